"""The files of a study: the long table as CSV and Parquet, the summaries, and the page with the charts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from toolbox.config.outputs import keep_for_owner
from toolbox.errors import OutputError
from toolbox.experiments.page import page_of
from toolbox.store.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

    from toolbox.experiments.results import Results

PAGE = "experiment.html"


def write_results(report: Results, folder: Path) -> None:
    """Write all files of a study; each is whole at any moment.

    Raises
    ------
    OutputError
        If one cannot be written; an older one is then untouched.
    """
    long = report.to_frame()
    writers: dict[str, Callable[[Path], object]] = {
        "results.csv": lambda path: _csv(long, path),
        "results.parquet": lambda path: long.to_parquet(path, index=False),
        "summary.csv": lambda path: _csv(report.summary, path),
        "correlations.csv": lambda path: _csv(report.correlations, path),
        PAGE: lambda path: path.write_text(page_of(report), encoding="utf-8"),
    }
    try:
        # In a folder of its own: nobody sees half a file.
        with Workspace(folder) as workspace:
            for name, write in writers.items():
                written = workspace.folder / name
                write(written)
                keep_for_owner(written, "results of a study")
                written.replace(folder / name)
    except OSError as error:
        raise OutputError(f"{folder}: the results cannot be written ({error.strerror or error}).") from error


def _csv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, lineterminator="\n")
