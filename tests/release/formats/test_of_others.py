"""Formats that other people install: written by a run, chosen in the application, refused where they cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from helpers.plugged import install
from helpers.running import run_in_process

import toolbox
from toolbox.config.formats import FORMATS, list_formats
from toolbox.errors import SettingError, UsageError
from toolbox.report.runs.installed import build_installed_document

SOURCE = '''
from typing import ClassVar

from sqlalchemy import func, select

from toolbox.config.formats import ReleaseFormat
from toolbox.queries.labels import build_class_labels
from toolbox.release.files.part import Part

class ClassTable(ReleaseFormat):
    """A table with a row for each class."""

    name: ClassVar[str] = "classTable"
    words: ClassVar[str] = "One row for each class, with its size"
    tells_classes_apart: ClassVar[bool] = True
    order_can_be_chosen: ClassVar[bool] = False
    own_order: ClassVar[str] = "sorts its classes"

    @classmethod
    def parts(cls, tables, layout, config, notation):
        found = build_class_labels(tables.equivalence, [one.intervals for one in tables.quasi_identifiers]).subquery()
        names = [layout.names[one.position] for one in tables.quasi_identifiers]
        labels = [found.c[f"label_{index}"] for index, _ in enumerate(names, start=1)]
        sizes = tables.equivalence
        rows = select(*labels, sizes.c.size).join_from(
            found, sizes, sizes.c.equivalence_id == found.c.equivalence_id
        )
        return [Part(suffix="", headers=(*names, "people"), rows=rows.order_by(*labels))]

class Groups(ClassTable):
    """Groups in one table."""

    name = "groups"
    has_groups = True

class Silent(ReleaseFormat):
    """A format that does not say whether classes can be told apart."""

    name = "silent"
    words = "nothing"

    @classmethod
    def parts(cls, tables, layout, config, notation):
        return []

class Taken(ClassTable):
    name = "genVals"
'''
PEOPLE = pd.DataFrame({"age": [21, 21, 34, 34, 34], "ill": ["flu", "cold", "flu", "gout", "flu"]})
CONFIG = (
    "<config k='2'><input filename='in.csv' header='true'/>"
    "<output filename='out.csv' format='{}'/><qid><att name='age'/></qid><sens><att name='ill' type='category'/></sens>{}</config>"
)


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install formats: for each entry point its class."""

    def put(**entries: str) -> None:
        install(tmp_path, monkeypatch, "toolbox.release_formats", entries, SOURCE)

    return put


@pytest.mark.slow
def test_a_run_writes_a_format_that_its_configuration_names(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(classTable="ClassTable")
    PEOPLE.to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "c.xml").write_text(CONFIG.format("CLASSTABLE", ""))
    run = run_in_process("-config", tmp_path / "c.xml", "--order", "input").succeeded()
    assert (tmp_path / "out.csv").read_text() == "age,people\n21,2\n34,3\n"
    assert "order=input is ignored: classTable sorts its classes." in run.stdout
    assert "One row for each class, with its size" in run_in_process("methods").succeeded().stdout
    judged = run_in_process("check", "-config", tmp_path / "c.xml")
    assert "The configuration releases classTable, whose values are not generalised ones." in judged.stderr
    unknown = run_in_process("-config", tmp_path / "c.xml", "-outputFormat", "classTables")
    assert "Did you mean 'classTable'? Write one of: anatomy, classTable, genVals, genValsDist." in unknown.stderr


@pytest.mark.slow
def test_python_and_a_project_know_it_by_its_name(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(classTable="ClassTable")
    PEOPLE.to_csv(tmp_path / "in.csv", index=False)
    made = toolbox.anonymize(PEOPLE, quasi_identifiers=["age"], sensitive=["ill"], k=2, output_format="classTable")
    assert made.release.astype(str).values.tolist() == [["21", "2"], ["34", "3"]]
    assert list(toolbox.Project.of_file(tmp_path / "in.csv", tmp_path).formats)[-1] == "classTable"
    assert {"name": "classTable", "summary": "One row for each class, with its size"} in build_installed_document()[
        "release_formats"
    ]
    with pytest.raises(SettingError, match="one of 'anatomy', 'classTable', 'genVals'"):
        toolbox.anonymize(PEOPLE, quasi_identifiers=["age"], k=2, output_format="classtables")


def test_where_only_combinations_are_known_it_is_refused(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(classTable="ClassTable")
    PEOPLE.to_csv(tmp_path / "in.csv", index=False)
    places = CONFIG.format("classTable", "<engine name='spark' url='local[1]'/>").replace("in.csv", "in.parquet")
    (tmp_path / "c.xml").write_text(places)
    said = run_in_process("-config", tmp_path / "c.xml").stderr
    assert "classTable is made of the records themselves, which no engine does." in said


def test_a_configuration_names_no_module_and_one_that_is_broken_is_told(
    plugged: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugged(theirs="absent_module:Theirs")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted.py").write_text("raise SystemExit(9)")
    PEOPLE.to_csv(tmp_path / "in.csv", index=False)
    for name, said in (("planted:Format", "is unknown."), ("theirs", "there is no module 'absent_module'.")):
        (tmp_path / "c.xml").write_text(CONFIG.format(name, ""))
        run = run_in_process("-config", tmp_path / "c.xml")
        assert (run.status, said in run.stderr) == (2, True), run.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "target", "said"),
    [
        ("silent", "Silent", "has no tells_classes_apart. Add tells_classes_apart = .. to Silent."),
        ("groups", "Groups", "connects two tables by groups. Name two suffixes."),
        ("theirs", "pathlib:Path", "is no subclass of ReleaseFormat."),
        ("genVals", "Taken", ""),
    ],
)
def test_only_who_names_one_that_cannot_be_used_is_stopped(
    plugged: Callable[..., None], name: str, target: str, said: str
) -> None:
    plugged(**{name: target})
    columns = {"quasi_identifiers": ["age"], "k": 2}
    assert len(toolbox.anonymize(PEOPLE[["age"]], **columns).release) == 5
    if said:
        with pytest.raises(UsageError) as caught:
            toolbox.anonymize(PEOPLE[["age"]], **columns, output_format=name)
        assert said in str(caught.value)
    (broken,) = FORMATS.every().broken
    assert (broken.what, broken.name) == ("release format", name)
    assert FORMATS["genVals"].__module__ == "toolbox.release.formats.own"
    assert name not in list_formats() or name == "genVals"
