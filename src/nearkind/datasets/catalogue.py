"""What the built-in sets are, and whom to cite."""

from typing import NamedTuple

UNCHECKED = "terms of the UCI Machine Learning Repository; not checked by nearkind"
COMPUTED = "computed by nearkind from a published rule, no file is copied"


class Entry(NamedTuple):
    """Size of a set, one line on what it is, and whose it is."""

    n_samples: int
    n_features: int
    n_classes: int
    about: str
    citation: str
    licence: str = UNCHECKED


_MONKS = "Thrun et al. (1991), The MONK's Problems, CMU-CS-91-197"
_SPLICE = "Towell, Noordewier and Shavlik (1991), Splice-junction Gene Sequences, UCI"
_VOTING = "Schlimmer (1987), Congressional Voting Records of 1984, UCI"

CATALOGUE = {
    "adult": Entry(
        *(48842, 14, 2),
        "UCI Adult, training rows then test rows",
        "Becker and Kohavi (1996), Adult, UCI",
    ),
    "audiology": Entry(
        *(226, 69, 24),
        "UCI Audiology (standardized)",
        "Jergen and Quinlan (1992), Audiology (Standardized), UCI",
    ),
    "balance": Entry(
        *(625, 4, 3),
        "UCI Balance Scale",
        "Siegler (1976) and Hume (1994), Balance Scale, UCI",
        COMPUTED,
    ),
    "car": Entry(
        *(1728, 6, 4), "UCI Car Evaluation", "Bohanec (1997), Car Evaluation, UCI"
    ),
    "census": Entry(
        *(299285, 41, 2),
        "UCI Census-Income (KDD)",
        "Lane and Kohavi (2000), Census-Income (KDD), UCI",
    ),
    "connect4": Entry(
        *(67557, 42, 3),
        "UCI Connect-4, positions after eight moves",
        "Tromp (1995), Connect-4, UCI",
    ),
    "credit_risk": Entry(
        *(6, 3, 3),
        "the six persons of the CPML paper",
        "Fan and Gaussier (2022), Supervised Categorical Metric Learning with Schatten "
        "p-Norms, IEEE Trans. Cybernetics 52(4)",
        "a worked example printed in that paper",
    ),
    "dna_nominal": Entry(
        *(3186, 60, 3),
        "StatLog DNA, decoded to letters",
        f"{_SPLICE}; Michie, Spiegelhalter and Taylor (1994), Machine Learning, Neural "
        "and Statistical Classification",
    ),
    "dna_promoter": Entry(
        *(106, 57, 2),
        "UCI Promoter Gene Sequences",
        "Harley, Reynolds and Noordewier (1990), Promoter Gene Sequences, UCI",
    ),
    "housevotes": Entry(
        *(232, 16, 2), "UCI Congressional Voting, complete rows only", _VOTING
    ),
    "krkopt": Entry(
        *(28056, 6, 18),
        "UCI Chess, king and rook against king",
        "Bain and Hoff (1994), Chess (King-Rook vs. King), UCI",
        COMPUTED,
    ),
    "krvskp": Entry(
        *(3196, 36, 2),
        "UCI Chess, king and rook against king and pawn",
        "Shapiro (1989), Chess (King-Rook vs. King-Pawn), UCI",
    ),
    "led24": Entry(
        *(3200, 24, 10),
        "UCI LED Display with 17 irrelevant bits",
        "Breiman, Friedman, Olshen and Stone (1984), Classification and Regression "
        "Trees",
    ),
    "lymphography": Entry(
        *(148, 18, 4),
        "UCI Lymphography",
        "Zwitter and Soklic (1988), Lymphography, UCI",
    ),
    "monks1": Entry(432, 6, 2, "UCI Monk's problem 1", _MONKS, COMPUTED),
    "monks2": Entry(432, 6, 2, "UCI Monk's problem 2", _MONKS, COMPUTED),
    "monks3": Entry(
        *(432, 6, 2), "UCI Monk's problem 3, without noise", _MONKS, COMPUTED
    ),
    "mushroom": Entry(
        *(8124, 22, 2), "UCI Mushroom", "Schlimmer (1987), Mushroom, UCI"
    ),
    "nursery": Entry(*(12960, 8, 5), "UCI Nursery", "Rajkovic (1997), Nursery, UCI"),
    "soybean_large": Entry(
        *(307, 35, 19),
        "UCI Soybean (Large), training file",
        "Michalski and Chilausky (1980), Soybean (Large), UCI",
    ),
    "spect": Entry(
        *(267, 22, 2),
        "UCI SPECT Heart, training rows then test rows",
        "Cios, Kurgan and Goodenday (2001), SPECT Heart, UCI",
    ),
    "splice": Entry(3190, 60, 3, "UCI Splice-junction Gene Sequences", _SPLICE),
    "tic_tac_toe": Entry(
        *(958, 9, 2),
        "UCI Tic-Tac-Toe Endgame",
        "Aha (1991), Tic-Tac-Toe Endgame, UCI",
        COMPUTED,
    ),
    "voting": Entry(435, 16, 2, "UCI Congressional Voting Records, 1984", _VOTING),
    "zoo": Entry(
        *(101, 16, 7),
        "UCI Zoo, without the animal's name",
        "Forsyth (1990), Zoo, UCI",
    ),
}
"""The sets that nearkind knows by name; sizes are counted, not quoted."""
