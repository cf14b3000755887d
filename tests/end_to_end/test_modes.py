"""Who may read what is written: everybody what is published, and its owner alone what tells more than that."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolbox import Project
from toolbox.cli.main import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes of files")

_PEOPLE = "".join(f"{town},{age},{illness}\n" for town in ("Graz", "Wien") for age in (17, 18) for illness in "abc")
_CONFIG = """<config method='Incognito' k='2'><input filename='people.csv' separator=',' header='true'/>
<output filename='release.csv'/>
<qid><att name='town'><vgh file='town.csv'/></att><att name='age'><vgh file='age.csv'/></att></qid>
<sens><att name='illness'/></sens></config>"""
_PLAN = """methods = ["Mondrian"]
[parameters]
k = [2]
[[data]]
name = "people"
table = "people.csv"
quasi_identifiers = ["town", "age"]
sensitive = ["illness"]
"""
_RUN = ["-config", "project.xml", "--quiet"]
_FOR_ALL, _OWN = 0o644, 0o600
_WRITTEN: list[tuple[list[str], dict[str, int]]] = [
    (_RUN, {"release.csv": _FOR_ALL}),
    ([*_RUN, "--html", "page.html"], {"page.html": _OWN, "release.csv": _FOR_ALL}),
    ([*_RUN, "--html", "page.html", "--report-kind", "internal"], {"page.html": _OWN}),
    ([*_RUN, "--html", "page.html", "--report-kind", "public"], {"page.html": _FOR_ALL}),
    ([*_RUN, "--report", "report.json"], {"report.json": _OWN}),
    ([*_RUN, "--lattice", "lattice.json"], {"lattice.json": _OWN}),
    ([*_RUN, "--lattice", "lattice.svg"], {"lattice.svg": _OWN}),
    ([*_RUN, "--store", "run.duckdb"], {"run.duckdb": _OWN}),
    ([*_RUN, "--rejects", "rejects.csv"], {"rejects.csv": _OWN, "release.csv": _FOR_ALL}),
    ([*_RUN, "--save-config", "saved.xml"], {"saved.xml": _OWN}),
    (["report", "people.csv", "--qi", "town", "--html", "page.html"], {"page.html": _OWN}),
    (
        ["report", "people.csv", "--qi", "town", "--html", "page.html", "--report-kind", "public"],
        {"page.html": _FOR_ALL},
    ),
    (["init", "people.csv", "-o", "begun.xml"], {"begun.xml": _OWN}),
    (
        ["hierarchy", "build", "people.csv", "intervals:10", "--column", "age", "-o", "ages.csv"],
        {"ages.csv": _OWN},
    ),
    (
        ["experiment", "plan.toml", "--output", "study"],
        {
            f"study/{name}": _OWN
            for name in ("results.csv", "results.parquet", "summary.csv", "correlations.csv", "experiment.html")
        },
    ),
]
"""A command, and the mode of each file that it writes, where the user lets everybody read new files."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("town,age,illness\n" + _PEOPLE)
    Path("town.csv").write_text("Graz;*\nWien;*\n")
    Path("age.csv").write_text("17;*\n18;*\n")
    Path("project.xml").write_text(_CONFIG)
    Path("plan.toml").write_text(_PLAN)
    before = os.umask(0o022)
    yield tmp_path
    os.umask(before)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("command", "modes"), _WRITTEN, ids=[" ".join(command) for command, _ in _WRITTEN])
def test_what_tells_more_than_the_release_is_for_its_owner_alone(
    folder: Path, command: list[str], modes: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    # What was there before was for everybody; what replaces it is not.
    for name in modes:
        if "study" not in name:
            Path(name).write_text(_CONFIG if name.endswith(".xml") else "old")
    assert main([*command, *(["--force"] if command[0] in ("report", "init") else [])]) == 0, capsys.readouterr().err
    assert {name: Path(name).stat().st_mode & 0o777 for name in modes} == modes
    unknown = {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("people.csv", "town.csv", "age.csv", "project.xml", "plan.toml")
    } - {*modes, "release.csv"}
    assert {name for name in unknown if Path(name).stat().st_mode & 0o077} == set()


def test_a_project_is_for_its_owner_alone(folder: Path) -> None:
    project = Project.of_file("people.csv", folder / "made")
    project.set_role("age", "quasi-identifier")
    project.set_rows("age", [("17", "*"), ("18", "*")])
    project.save()
    assert {path.name: path.stat().st_mode & 0o777 for path in (folder / "made").rglob("*.*")} == {
        "project.xml": _OWN,
        "age.csv": _OWN,
    }
