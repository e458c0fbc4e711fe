"""LMNN: large margin nearest neighbours, on indicators of values."""

from nearkind.baselines.large_margin import LargeMargin
from nearkind.baselines.mahalanobis import CODINGS
from nearkind.estimators import params
from nearkind.protocols import Projection


class LMNN(LargeMargin):
    """Large margin nearest neighbour.

        min over M of  (1 - mu) sum of d_ij  +  mu sum of [1 + d_ij - d_il]_+

    over rows i, their k nearest j of the same class before learning, and all rows l of
    other classes; d is the squared distance under M. Weinberger, Blitzer and Saul, NIPS
    2006; mu as in Weinberger and Saul, JMLR 10, 2009. Targets are fixed once. Rows
    equally near are taken in the order of their class histograms' distance. Of more
    than 4,000 distinct rows a sample of 4,000 are anchors and impostors.

    Parameters
    ----------
    n_neighbors : targets of a row; a smaller class is taken whole
    mu : weight of pushing against pulling, 0 < mu <= 1
    max_iter : iterations at most
    tol : stop when a round of 20 gains less than this share of the objective
    coding : {"onehot", "vdm"}, values as indicators or as class histograms
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Attributes
    ----------
    metric_ : M (W, W) over the coordinates of the coding
    objective_, n_iter_, stop_reason_ : value reached, iterations, why they ended

    Examples
    --------
    >>> rows, labels = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 0, 1, 1]
    >>> model = LMNN(n_neighbors=1).fit(rows, labels)
    >>> near, far = model.pairwise_distances(rows[:1], rows[1:3])[0]
    >>> bool(near < far)
    True
    """

    def __init__(
        self,
        n_neighbors=3,
        mu=0.5,
        max_iter=200,
        tol=1e-3,
        coding="onehot",
        unseen="prior",
        missing="level",
        numeric="auto",
    ):
        self.n_neighbors = n_neighbors
        self.mu = mu
        self.max_iter = max_iter
        self.tol = tol
        self.coding = coding
        self.unseen = unseen
        self.missing = missing
        self.numeric = numeric

    def _projection(self) -> Projection:
        return params.choice(self, "coding", CODINGS)()
