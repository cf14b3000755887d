"""The census of the configs folder, and configurations that read it from somewhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
from helpers.running import run_in_process

CENSUS = Path(__file__).parents[2] / "configs" / "census_5000.csv"
QUASI = (
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)


def place_census(folder: Path, records: int) -> None:
    """Put an input where benchmarks would make it; the committed sample begins as every file of seed 1 does."""
    lines = CENSUS.read_text().splitlines(keepends=True)[: records + 1]
    (folder / f"census_{records}.csv").write_text("".join(lines))


def configuration(folder: Path, source: str, release: str, attributes: str = "method='Mondrian' k='5'") -> Path:
    """Write a configuration of the census with an input and an output; return its path."""
    quasi = "".join(f"<att name='{name}' type='{'number' if name == 'age' else 'category'}'/>" for name in QUASI)
    path = folder / "config.xml"
    path.write_text(
        f"<config {attributes}>{source}{release}<id><att name='person_id'/></id><qid>{quasi}</qid>"
        "<sens><att name='diagnosis' type='category'/></sens></config>"
    )
    return path


def on_file(folder: Path, attributes: str = "method='Mondrian' k='5'") -> list[tuple[Any, ...]]:
    """Return the records of a release from the file, as texts."""
    source, release = f"<input filename='{CENSUS}' header='true'/>", "<output filename='out.csv'/>"
    run_in_process("-config", configuration(folder, source, release, attributes)).succeeded()
    return duckdb.sql(f"FROM read_csv('{folder}/out.csv', all_varchar=true)").fetchall()


def pages_of(folder: Path, source: str, release: str) -> list[str]:
    """Return the page of a run between these places, and that of a run on a file with the same types."""
    found = []
    duckdb.sql(f"COPY (FROM read_csv('{CENSUS}')) TO '{folder}/census.parquet'")
    for places in ((source, release), ("<input filename='census.parquet'/>", "<output filename='out.parquet'/>")):
        page = folder / "page.html"
        run_in_process("-config", configuration(folder, *places), "--html", page).succeeded()
        found.append(page.read_text(encoding="utf-8"))
    return found
