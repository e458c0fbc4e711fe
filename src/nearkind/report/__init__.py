"""One page on a model and a table: a dict of facts first, HTML second.

``summary`` collects what the page knows of a ``Subject``: the voters (``members``, with
``distances`` and the rows that vote), the rows of the table (``rows``), where they
stand in two dimensions (``placing``), and sentences (``sentences``). ``page`` packs
that dict (``packing``) into the templates beside it; nothing there knows a model.
"""
