"""`toolbox.open`: what it takes, and that its session is that of the documentation."""

from __future__ import annotations

from inspect import signature

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import toolbox

PEOPLE = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64]})


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "make", [pl.from_pandas, lambda table: table, pa.Table.from_pandas], ids=["polars", "pandas", "arrow"]
)
def test_a_table_of_any_make_is_opened_and_released(make) -> None:
    with toolbox.open(make(PEOPLE), quasi_identifiers=["age"]) as session:
        variant = session.run(k=3)
    assert variant.summary.proof.classes == 2
    assert toolbox.anonymize(**variant.arguments).summary.proof == variant.summary.proof


def test_the_calls_take_what_anonymize_takes_of_columns_and_of_runs() -> None:
    opened, run, every = (
        set(signature(call).parameters) for call in (toolbox.open, toolbox.Session.run, toolbox.anonymize)
    )
    about_runs = {"method", "k", "l", "c", "t", "models", "suppression_threshold", "seed", "settings"}
    about_releases = {
        "suppressed",
        "undeclared",
        "rows_are_people",
        "attacker",
        "output_format",
        "order",
        "statistics",
        "index",
        "save_recoding",
    }
    about_releases |= {"treatments", "key", "same_domain_as"}  # of columns that no class depends on
    assert opened - {"watcher", "records", "tables"} == every - about_runs - about_releases
    own = {"self", "metrics", "threshold", "classes", "keep", "sample", "nodes", "watcher", "cancel"}
    assert run - own == about_runs | {"quasi_identifiers", "hierarchies", "levels"}
