"""The script that measures the search for quasi-identifiers."""

import bench_detection as script
import pytest


def test_a_generated_table_is_searched(capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main(["--records", "500", "--columns", "8", "--max-columns", "3"]) == 0
    printed = capsys.readouterr().out
    assert "500 records, 8 columns, up to 3 at a time" in printed
    assert "elected: " in printed


def test_the_last_column_follows_from_another() -> None:
    table = script.generated(300, 8)
    assert (table.coded.columns[-1] == table.coded.columns[-2] // 2).all()
    assert all(column.max() < values for column, values in zip(table.coded.columns, table.coded.values, strict=True))
