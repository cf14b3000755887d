"""What an owner of records does with `toolbox.generalise`: count, join and count again, in plain pandas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

import toolbox
from toolbox.privacy.proof.proof import Proof

N = "n"
"""The column that counts."""


def counted(table: pd.DataFrame, by: Sequence[Hashable], count: Hashable = N) -> pd.DataFrame:
    """Count the records of each combination of some columns; missing is a value."""
    return table.groupby(list(by), dropna=False, sort=False, observed=True).size().rename(count).reset_index()


def written(records: pd.DataFrame, made: toolbox.Generalisation, quasi_identifiers: Sequence[Hashable]) -> pd.DataFrame:
    """Give each record the texts of its class in place of its values; pandas joins missing to missing."""
    return classed(records, made, quasi_identifiers).drop(columns=["class_id", "size", "suppressed"])


def classed(records: pd.DataFrame, made: toolbox.Generalisation, quasi_identifiers: Sequence[Hashable]) -> pd.DataFrame:
    """Do the same, and leave the columns that say of which class a record is."""
    own = list(quasi_identifiers)
    placed = records.merge(made.mapping, on=own, how="inner").drop(columns=own)
    return placed.merge(made.classes, on="class_id", how="left")


def with_near_statistics(table: pd.DataFrame) -> pd.DataFrame:
    """Round the statistics: the last digits of a sum depend on the order in which it is made."""
    names = [name for name in table if str(name).endswith((":variance", "_distribution"))]
    return table.assign(**{name: [near(text) for text in table[name]] for name in names})


def near(text: object) -> object:
    """Write the numbers of a statistic with nine digits."""
    return ":".join(f"{float(number):.9g}" for number in text.split(":")) if isinstance(text, str) else text


def same_proof(one: Proof, other: Proof) -> bool:
    """Compare two proofs; what was achieved may differ in the last digits, by the order in which a sum was made."""
    achieved = [[result.achieved or 0.0 for result in proof.models] for proof in (one, other)]
    models = [replace(result, achieved=same.achieved) for result, same in zip(other.models, one.models, strict=True)]
    return achieved[0] == pytest.approx(achieved[1]) and replace(other, models=tuple(models)) == one


def bag(table: pd.DataFrame) -> Counter[tuple[Any, ...]]:
    """Return the rows of a table without their order, nor that of its columns; what is missing is None."""
    names = sorted(table.columns, key=str)
    columns = [[None if pd.isna(value) else value for value in table[name].tolist()] for name in names]
    return Counter([tuple(map(str, names)), *zip(*columns, strict=True)])
