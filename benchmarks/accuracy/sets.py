"""The sets of the benchmark: those of the paper, and tables of a folder.

The 24 tables are in the folder that NEARKIND_TABLES names: NAME.csv.gz, the last
column being the class, and datasets.json, which lists the columns of numbers. A split
has at most 3,000 rows of them to learn from.
"""

import json
import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from nearkind.datasets.catalogue import CATALOGUE
from nearkind.experiments.paper import reference
from nearkind.experiments.sets import BuiltIn
from nearkind.experiments.splits import Part, subsample

FOLDER = "NEARKIND_TABLES"
MOST_TABLE_ROWS = 3_750
"""Rows of a table at most, four fifths of them to learn from."""
PAPER = {name: CATALOGUE[name].n_samples for name in sorted(reference.set_sizes())}
"""Rows of each set of the paper."""
TABLES = {
    "autos": 202, "chess_games": 20_058, "chile_vote": 2_532, "cmc": 1_473,
    "credit_data": 4_454, "cylinder_bands": 540, "dresses_sales": 500,
    "esl_marketing": 8_993, "eucalyptus": 736, "heart_cleveland": 303,
    "horse_colic": 368, "hr_attrition": 1_470, "kdd_internet_usage": 10_108,
    "lending_club": 9_857, "mammographic": 961, "midwest_survey": 2_494,
    "okcupid_stem": 5_000, "police_force": 12_916, "rodents": 34_766, "sick": 3_772,
    "soup": 1_847, "stackoverflow": 5_594, "telco_churn": 7_043, "titanic": 1_309,
}  # fmt: skip
"""Rows of each table."""
N_ROWS = PAPER | TABLES


class Table(NamedTuple):
    """A table of the folder, numbers as floats, missing cells None."""

    name: str

    def load(self, seed: int = 0, numbers: bool = False) -> Part:
        """Return the rows that a repetition uses, without numbers or with them."""
        folder = Path(os.environ[FOLDER])
        table = pd.read_csv(
            folder / f"{self.name}.csv.gz",
            dtype=str, keep_default_na=False, na_values=[""],
        )  # fmt: skip
        y = table.pop("class").to_numpy(dtype=str)
        columns = []
        for column, is_number in _is_number(self.name, folder, tuple(table)).items():
            if not is_number:
                columns.append(table[column].astype(object))
            elif numbers:
                columns.append(pd.to_numeric(table[column]).astype(object))
        X = np.column_stack([c.where(c.notna(), None) for c in columns])
        return subsample(Part(X, y), MOST_TABLE_ROWS, seed)


@cache
def _is_number(name, folder, columns):
    listed = json.loads((folder / "datasets.json").read_text())
    numeric = next(each["numeric"] for each in listed if each["name"] == name)
    return {column: column in numeric for column in columns}


def data_set(name):
    """Return the set of a name."""
    return Table(name) if name in TABLES else BuiltIn(name)


def available():
    """Return the names of all sets that can be read: tables only of a known folder."""
    return [*PAPER, *(TABLES if FOLDER in os.environ else ())]
