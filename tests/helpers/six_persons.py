"""The six persons of the worked examples, and drawn tables as users would have them."""

import pandas as pd

PERSONS = pd.DataFrame(
    [
        ("Acc", "Bach", "Mar"),
        ("Doc", "Mas", "Mar"),
        ("Plu", "TAFE", "Sin"),
        ("Plu", "HS", "Sin"),
        ("Doc", "Mas", "Mar"),
        ("Acc", "Mas", "Sin"),
    ],
    columns=["Occupation", "Education", "Marital"],
)
RISK = ["Low", "Low", "High", "Mid", "Mid", "High"]


def rows_of(codes):
    """Return codes as rows of words, -1 as a missing cell."""
    return [[None if c < 0 else f"v{c}" for c in row] for row in codes.tolist()]
