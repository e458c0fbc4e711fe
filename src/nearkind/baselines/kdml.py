"""KDML: large margin nearest neighbours on class histograms, one full matrix."""

from nearkind.baselines.large_margin import LargeMargin
from nearkind.projections.vdm import VDM
from nearkind.protocols import Projection


class KDML(LargeMargin):
    """Kernel density metric learning, as we read it.

    He, Chen, Chen and Mao, ICDM 2013. Our reconstruction from abstracts and from the
    paper's description, with these choices. K1: a value is its class histogram. K2:
    numeric columns are cut into quantile bins and K1 applies, in place of a kernel
    estimate. K3: bandwidths are not learned. K4: the learner is LMNN (see
    :class:`nearkind.baselines.LMNN`) on all D C numbers, started at the identity.

    Parameters
    ----------
    n_neighbors, mu, max_iter, tol : as in :class:`nearkind.baselines.LMNN`
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Attributes
    ----------
    metric_ : M (D C, D C)
    objective_, n_iter_, stop_reason_ : value reached, iterations, why they ended

    Examples
    --------
    >>> rows, labels = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "no", "yes"]
    >>> KDML(n_neighbors=1).fit(rows, labels).metric_.shape
    (2, 2)
    """

    def __init__(
        self,
        n_neighbors=3,
        mu=0.5,
        max_iter=200,
        tol=1e-3,
        unseen="prior",
        missing="level",
        numeric="auto",
    ):
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.max_iter = max_iter
        self.tol = tol
        self.unseen = unseen
        self.missing = missing
        self.numeric = numeric

    def _projection(self) -> Projection:
        return VDM()
