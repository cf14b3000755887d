"""What a run gives back: a summary, and the release or the names of its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.small_tables import declared

from toolbox import KAnonymity
from toolbox.flows.release.anonymize import run

PEOPLE = pa.table({"age": [20, 20], "note": ["x", "y"]})
K2 = (KAnonymity(k=2),)


def test_a_table_of_the_caller_comes_back_and_no_file_is_named() -> None:
    outcome = run(declared("age"), table=PEOPLE, models=K2)
    (part,) = outcome.released
    assert (part.headers, [column.to_pylist() for column in part.made.columns]) == (("age", "note"), [["20", "20"]])
    assert (outcome.files, outcome.summary.proof.records) == ((), 2)


@pytest.mark.slow
def test_of_a_file_its_names_come_back_and_no_table(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("20,x\n20,y\n")
    config = declared("age")
    assert config.input is not None
    (age,) = config.quasi_identifiers
    by_position = replace(age, column=replace(age.column, index=0))
    source = replace(config.input, path=tmp_path / "in.csv")
    release = replace(config.output, path=tmp_path / "out.csv")
    outcome = run(replace(config, input=source, output=release, quasi_identifiers=(by_position,)), models=K2)
    assert (outcome.released, outcome.files) == ([], ((tmp_path / "out.csv",),))
    assert not outcome.has_header
