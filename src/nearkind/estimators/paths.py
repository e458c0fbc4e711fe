"""A path of strengths: one fit after the other, the table read once."""

from collections.abc import Iterable, Iterator
from typing import Any, Self

from nearkind.estimators.elsewhere import home_of
from nearkind.estimators.watching import watching
from nearkind.protocols import Array


class GoesAlongStrengths:
    """Mixin that gives CPML ``fit_path``."""

    strength: Any
    max_iter: int
    metric_: Array
    _last: Any
    _learn: Any
    _posed: Any

    def fit_path(
        self, X: Any, y: Any, strengths: Iterable[Any], sample_weight: Any = None
    ) -> Iterator[Self]:
        """Learn at one strength after the other, each from where the last one ended.

        The table is read and counted once. From strong to weak, few directions lead to
        more; directions that a strong penalty took away stay away.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``
        strengths : each as ``strength`` may be, which it becomes

        Yields
        ------
        self, fitted at one strength after the other: use it at once, or copy it

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("credit_risk", as_frame=False)
        >>> path = nk.CPML(tol=0.01).fit_path(data.X, data.y, ["50%", "10%", "1%"])
        >>> [model.rank_ for model in path]
        [1, 1, 2]
        """
        if home_of(X) is not None:
            raise ValueError(
                f"{type(self).__name__}.fit_path reads a table whole, and this one is "
                "in partitions. Call fit at each strength, or pass X.compute()."
            )
        last, problem = self._last(), None
        for strength in strengths:
            self.strength = strength
            problem = problem or self._posed(X, y, sample_weight)
            with watching(self, self.max_iter, X, y, sample_weight) as callback:
                self._learn(problem, callback, last)
            last = self.metric_
            yield self
