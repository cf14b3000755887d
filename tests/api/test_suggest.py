"""`suggest` of tables in memory and of files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import toolbox

PEOPLE = pd.DataFrame(
    {
        "name": [f"person {row}" for row in range(40)],
        "born": pd.to_datetime([f"{1940 + row}-03-{1 + row % 28:02}" for row in range(40)]).date,
        "postcode": [8000 + 10 * (row % 8) for row in range(40)],
        "illness": ["flu" if row % 3 else "gout" for row in range(40)],
    }
)
ROLES = {"name": "identifier", "born": "quasi-identifier", "postcode": "quasi-identifier", "illness": "sensitive"}


def test_a_frame_an_arrow_table_and_files_say_the_same(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    parquet.write_table(pa.Table.from_pandas(PEOPLE), tmp_path / "people.parquet")
    for table in (PEOPLE, pa.Table.from_pandas(PEOPLE), str(tmp_path / "people.csv"), tmp_path / "people.parquet"):
        assert {column.name: column.role for column in toolbox.suggest(table).columns} == ROLES


@pytest.mark.slow
def test_the_arguments_make_a_release_without_what_identifies() -> None:
    arguments = toolbox.suggest(PEOPLE).arguments
    assert arguments == {
        "identifiers": ["name"],
        "quasi_identifiers": ["born", "postcode"],
        "sensitive": ["illness"],
        "kinds": {"born": "date", "postcode": "category"},
        "k": 5,
    }
    result = toolbox.anonymize(PEOPLE, **arguments)
    assert list(result.release.columns) == ["born", "postcode", "illness"]
    assert result.summary.proof.smallest_class >= 5


def test_how_a_text_is_read_may_be_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("20;Graz\n30;Linz\n", encoding="utf-16")
    found = toolbox.suggest(tmp_path / "a.csv", separator=";", encoding="utf-16", header=False, limits="1GB")
    assert [column.name for column in found.columns] == ["column 0", "column 1"]
    assert found.plan.records == 2


def test_an_unknown_encoding_is_told() -> None:
    with pytest.raises(toolbox.UsageError, match="klingon"):
        toolbox.suggest("a.csv", encoding="klingon")
