"""The files of a study."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from helpers.small_study import small_study

from toolbox.errors import OutputError
from toolbox.experiments.files import PAGE, write_results


def test_the_long_table_is_the_same_in_both_formats(tmp_path: Path) -> None:
    report = small_study()
    (tmp_path / PAGE).write_text("an older page")
    write_results(report, tmp_path)
    parquet, text = pd.read_parquet(tmp_path / "results.parquet"), pd.read_csv(tmp_path / "results.csv")
    assert list(parquet) == list(text) == list(report.to_frame())
    assert parquet["value"].dropna().tolist() == pytest.approx(text["value"].dropna().tolist())
    assert len(pd.read_csv(tmp_path / "summary.csv")) == len(report.summary)
    assert (tmp_path / PAGE).read_text().startswith("<!doctype html>")
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="absent: the results cannot be written"):
        write_results(small_study(), tmp_path / "absent")
