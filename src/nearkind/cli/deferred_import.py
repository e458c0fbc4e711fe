"""Imports of packages that are deferred until first use.

scikit-learn imports ``scipy.stats`` and ``pandas`` whatever is asked of it, which is
half of the time that ``nearkind predict`` takes.
"""

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any


class DeferredModule(ModuleType):
    """A module that runs when the first of its attributes is asked for.

    ``importlib.util.LazyLoader`` runs a module when it is imported a second time, as
    the import statement asks for ``__spec__``.
    """

    def __getattr__(self, name: str) -> Any:
        """Run the module, unless that is under way, and return an attribute."""
        loader = self.__spec__.loader  # type: ignore[union-attr]
        if isinstance(loader, DeferringLoader):
            loader.run(self)
        return object.__getattribute__(self, name)


class DeferringLoader(Loader):
    """Loads a package later than it is imported.

    Parameters
    ----------
    loader : Loader
        What loads it then.
    """

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._lock = RLock()  # threads wait until the module is complete
        self._path: Any = None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Make the module as usual."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module empty; its submodules are looked for in ``__path__``."""
        self._path = module.__dict__.pop("__path__")
        module.__class__ = DeferredModule

    def run(self, module: ModuleType) -> None:
        """Run the module, once."""
        with self._lock:
            if self._path is not None:
                module.__path__, self._path = self._path, None
                self._loader.exec_module(module)
                module.__class__ = ModuleType
                module.__spec__.loader = module.__loader__ = self._loader  # type: ignore[union-attr]


class DeferringFinder(MetaPathFinder):
    """Finds packages by name, and loads them when they are used.

    Parameters
    ----------
    names : collection of str
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def find_spec(
        self, fullname: str, path: Any = None, target: Any = None
    ) -> ModuleSpec | None:
        """Return where a package is, None for one of another name."""
        if fullname not in self.names:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        spec.loader = DeferringLoader(spec.loader)
        return spec


def defer(*names: str) -> None:
    """Run packages when they are used rather than when they are imported."""
    sys.meta_path.insert(0, DeferringFinder(names))
