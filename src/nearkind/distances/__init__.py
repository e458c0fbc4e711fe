"""Forms: fitted distances.

A form is a frozen dataclass over a codebook. ``represent`` turns codes into rows as the
form compares them, ``compare`` gives their distances, ``contributions`` splits one
among the features, ``check`` says whether the fields fit together, and ``cost`` is how
many numbers a comparison reads.

| form | a distance is |
|---|---|
| ``ValueVectors`` | Euclidean between sums of vectors of values |
| ``ChiSquareVectors`` | chi-square between sums of vectors of values |
| ``TreeVectors`` | Euclidean between sums of vectors of values and of leaves |
| ``KernelLandmarks`` | Euclidean between mapped kernels with landmarks |
| ``MismatchWeights`` | the weight of the features that differ |
| ``PairTables`` | a sum over features of tables of distances |
| ``MeanSimilarity`` ``RatioSimilarity`` | a function of a similarity of rows |
| ``DependentTables`` | a sum over pairs of dependent features |
| ``Bits`` | the share of bits that differ |
| ``LeafCodes`` | the share of the trees of a forest in which leaves differ |
| ``MixedTables`` | a weighted mean of differences of words and of numbers |
"""

from nearkind.distances.bits import Bits
from nearkind.distances.dependence import DependentTables
from nearkind.distances.form import FittedDistance
from nearkind.distances.kernel import KernelLandmarks
from nearkind.distances.leaf_codes import LeafCodes
from nearkind.distances.mismatches import MismatchWeights
from nearkind.distances.mixed_tables import MixedTables
from nearkind.distances.pair_tables import PairTables
from nearkind.distances.similarities import MeanSimilarity, RatioSimilarity
from nearkind.distances.trees import TreeVectors
from nearkind.distances.vectors import ChiSquareVectors, ValueVectors

FORMS: dict[str, type[FittedDistance]] = {
    form.__name__: form
    for form in (
        ValueVectors,
        ChiSquareVectors,
        TreeVectors,
        KernelLandmarks,
        MismatchWeights,
        PairTables,
        MeanSimilarity,
        RatioSimilarity,
        DependentTables,
        Bits,
        LeafCodes,
        MixedTables,
    )
}
"""All forms by name; a model file can hold no others."""

__all__ = ["FORMS", "FittedDistance", *FORMS]
