"""`toolbox.compare`: one value or many, of tables and of configurations."""

from __future__ import annotations

from inspect import signature
from pathlib import Path

import pandas as pd
import pytest

import toolbox

PEOPLE = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64], "ill": ["flu", "cold", "flu", "cold", "flu", "cold"]})


@pytest.mark.slow
def test_one_value_or_many_are_taken_and_the_best_can_be_released() -> None:
    columns = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "methods": ["Mondrian"]}
    report = toolbox.compare(PEOPLE, **columns, k=range(2, 4), l=1.5, metrics=["precision", "information kept"])
    assert [run.required for run in report.runs] == [
        "k=2; entropy l-diversity (l=1.5) of ill",
        "k=3; entropy l-diversity (l=1.5) of ill",
    ]
    assert toolbox.anonymize(**report.best.variant.arguments).summary.proof == report.best.variant.summary.proof
    assert "toolbox.anonymize(**report.best.variant.arguments)" in report.notes[-1]
    assert repr(report).startswith("<ComparisonReport: 2 runs; best: Mondrian, k=2;")


@pytest.mark.slow
def test_lists_of_models_are_compared() -> None:
    models = [[toolbox.KAnonymity(k=2)], [toolbox.DistinctLDiversity(l=2, attribute="ill")]]
    columns = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "metrics": ["kept"]}
    report = toolbox.compare(PEOPLE, **columns, models=models, methods=["Mondrian"])
    assert {run.required for run in report.runs} == {"k=2", "distinct l-diversity (l=2) of ill"}


@pytest.mark.slow
def test_a_configuration_that_names_no_release_is_enough(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "c.xml").write_text(
        "<config k='2'><input filename='people.csv' header='true'/><qid><att name='age'/></qid></config>"
    )
    report = toolbox.compare(tmp_path / "c.xml", k=(2, 3), methods=["Mondrian"], metrics=["information kept"])
    assert [run.required for run in report.runs] == ["k=2", "k=3"]
    with pytest.raises(toolbox.UsageError, match="so quasi_identifiers cannot be combined with it"):
        toolbox.compare(tmp_path / "c.xml", quasi_identifiers=["age"])


def test_columns_are_described_as_for_a_session() -> None:
    # A comparison is of one table.
    of_session = set(signature(toolbox.open).parameters) - {"records", "tables"}
    assert of_session <= set(signature(toolbox.compare).parameters)
