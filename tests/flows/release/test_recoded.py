"""The recoding of a configuration: its run leaves nothing behind, neither a file nor a changed one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import toolbox
from toolbox.config.model import Config
from toolbox.flows.release.recoded import fit_recoding

MAIN = "pid,age\np1,21\np2,22\np3,24\np4,31\np5,32\np6,34\n"
VISITS = "pid,ward\np1,A\np1,B\np4,A\n"
CONFIG = """<config method='Flash' k='3' undeclared='pass'>
<input filename='main.csv' header='true'/><output filename='out.csv'/>
<person><att name='pid'/></person>
<qid><att name='age'><vgh build='intervals' width='10,40'/></att></qid>
<tables><table name='visits' filename='visits.csv' key='pid'>{columns}</table></tables></config>"""


def configured(folder: Path, columns: str = "") -> Config:
    """A configuration with a child table, whose outputs are there already, and ask for everything beside them."""
    (folder / "main.csv").write_text(MAIN)
    (folder / "visits.csv").write_text(VISITS)
    (folder / "c.xml").write_text(CONFIG.format(columns=columns))
    config = toolbox.load_config(folder / "c.xml")
    beside = {name: folder / f"{name}.json" for name in ("report", "html", "codebook", "lattice", "rejects")}
    output = replace(config.output, **beside)
    config = replace(config, output=output, limits=replace(config.limits, store=folder / "store.duckdb"))
    for path in config.written_paths:
        path.write_text("old")
    return config


def test_only_the_recoding_leaves_the_run(tmp_path: Path) -> None:
    config = configured(tmp_path)
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert {"out.csv", "out_visits.csv", "store.duckdb", "report.json"} < set(before)
    assert fit_recoding(config).document["levels"] == [1]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def test_a_child_table_that_is_searched_with_the_main_table_is_refused(tmp_path: Path) -> None:
    config = configured(tmp_path, "<qid><att name='ward'><vgh build='auto'/></att></qid>")
    with pytest.raises(toolbox.UsageError, match=r"A recoding is of one table, and visits\.ward is generalised"):
        fit_recoding(config)
