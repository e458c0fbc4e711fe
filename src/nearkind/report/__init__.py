"""One page on a model and a table: a dict of facts first, HTML second.

``summary`` collects the facts of a ``ReportData``: the members of the model
(``model_data``, with ``distance_tables``), the rows of the table (``table_data``, which
``mds`` places) and sentences (``text``). ``page`` puts that dict and the templates into
one HTML file; it knows nothing of models. ``notebook`` makes an object of a page, which
``nearkind.report(model, X, y)`` returns: the package can be called, as it has the name
that the function has for users.
"""

import sys
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    def __call__(self, *args: Any, **settings: Any) -> Any:
        from nearkind.report.notebook import report

        return report(*args, **settings)


sys.modules[__name__].__class__ = _CallablePackage
