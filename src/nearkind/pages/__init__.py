"""The report page: a dict of facts, and its HTML.

``summary`` collects the facts of a ``ReportData``: the members of the model
(``model_data``, with ``distance_tables``), the rows of the table (``table_data``, which
``mds`` places) and sentences (``text``). ``page`` puts that dict and the templates into
one HTML file; it knows nothing of models. ``notebook`` makes an object of a page, which
``nearkind.report(model, X, y)`` returns.
"""
