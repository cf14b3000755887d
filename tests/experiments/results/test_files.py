"""The files of a study."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from helpers.small_study import kept_study, small_study

from toolbox.errors import OutputError
from toolbox.experiments.results.page import PAGE, render_page, write_results


@pytest.mark.slow
def test_the_long_table_is_the_same_in_both_formats() -> None:
    report = kept_study()
    folder = report.folder
    assert folder is not None
    parquet, text = pd.read_parquet(folder / "results.parquet"), pd.read_csv(folder / "results.csv")
    assert list(parquet) == list(text) == list(report.to_frame())
    assert parquet["value"].dropna().tolist() == pytest.approx(text["value"].dropna().tolist())
    assert len(pd.read_csv(folder / "summary.csv")) == len(report.summary)
    assert (folder / PAGE).read_text() == render_page(report)
    assert not [path for path in folder.iterdir() if path.is_dir()]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="absent: the results cannot be written"):
        write_results(small_study(), tmp_path / "absent")
