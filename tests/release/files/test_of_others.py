"""Kinds of files that other people install: read by a run, written by one, listed, refused where they cannot be used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from helpers.plugged import install
from helpers.running import run_in_process

import toolbox
from toolbox.app.screens.data import _list_entries
from toolbox.config.file_names import KINDS, find_file_kind
from toolbox.errors import UsageError
from toolbox.report.runs.installed import build_installed_document

SOURCE = '''
from typing import ClassVar

from toolbox.config.file_names import FileKind, FirstBytes
from toolbox.release.files.part import rename_columns
from toolbox.store.input.formats.table import FileTable

WIDTH = 8

class FixedTable(FileTable):
    """Lines of fields that are eight characters wide."""

    def __init__(self, path):
        super().__init__()
        _, names, *self._lines = path.read_bytes().replace(b"\\0", b"").decode().splitlines()
        self.names = self._cut(names)

    def _cut(self, line):
        return [line[at : at + WIDTH].strip() for at in range(0, len(line), WIDTH)]

    def batches(self):
        rows = [[int(field) if field.isdigit() else field or None for field in self._cut(line)] for line in self._lines]
        yield len(rows), list(zip(*rows, strict=True))

class FixedWidth(FileKind):
    """Fields of one width."""

    name: ClassVar[str] = "fix"
    words: ClassVar[str] = "a file of fixed width"
    extensions: ClassVar[tuple[str, ...]] = (".fix", ".fixed")
    written: ClassVar[tuple[str, ...]] = (".fix",)
    first_bytes: ClassVar[tuple[FirstBytes, ...]] = (FirstBytes("a file of fixed width", b"FIX\\0", (".fix", ".fixed")),)

    @classmethod
    def open_table(cls, path, declared, known):
        return FixedTable(path)

    @classmethod
    def write(cls, store, part, path):
        named = rename_columns(part.rows, [f"h{index}" for index, _ in enumerate(part.headers)])
        rows = [part.headers, *store.rows(named)]
        lines = ["".join(str(value).ljust(WIDTH) for value in row) for row in rows]
        path.write_bytes(b"FIX\\0\\n" + "\\n".join(lines).encode())

class Workbooks(FixedWidth):
    name = "xlsx"
    extensions = (".xlsx",)
    written = ()

class Dotless(FixedWidth):
    name = "dotless"
    extensions = ("fix",)
    written = ()

class Unwritten(FileKind):
    name = "unwritten"
    words = "nothing"
    extensions = written = (".none",)

    @classmethod
    def open_table(cls, path, declared, known):
        raise AssertionError

class Failing(FixedWidth):
    """It fails at any file, and while it is asked about one."""

    @classmethod
    def open_table(cls, path, declared, known):
        return {}["secret"]

    @classmethod
    def recognise(cls, start, path):
        if path.suffix != ".fix":
            raise ValueError(start)
        return super().recognise(start, path)

class Second(FixedWidth):
    name = "second"
'''
LINES = "FIX\0\nage     town    ill     \n21      Graz    flu     \n21      Graz    cold    \n34      Linz    flu     \n34      Linz    gout    \n"
CONFIG = (
    "<config k='2'><input filename='in.fix'/><output filename='out.{}' order='input'/>"
    "<qid><att name='age'/><att name='town'/></qid><sens><att name='ill' type='category'/></sens></config>"
)


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install kinds of files: for each entry point its class."""

    def put(**entries: str) -> None:
        install(tmp_path, monkeypatch, "toolbox.file_kinds", entries, SOURCE)

    (tmp_path / "in.fix").write_text(LINES)
    return put


@pytest.mark.slow
def test_a_run_reads_it_and_writes_it(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(fix="FixedWidth")
    (tmp_path / "c.xml").write_text(CONFIG.format("csv"))
    run_in_process("-config", tmp_path / "c.xml").succeeded()
    assert (tmp_path / "out.csv").read_text() == "age,town,ill\n21,Graz,flu\n21,Graz,cold\n34,Linz,flu\n34,Linz,gout\n"
    (tmp_path / "c.xml").write_text(CONFIG.format("fix"))
    run_in_process("-config", tmp_path / "c.xml").succeeded()
    assert (tmp_path / "out.fix").read_text().splitlines()[1:3] == [
        "age     town    ill     ",
        "21      Graz    flu     ",
    ]
    # What it has written is read again, by a judge and in Python.
    run_in_process("check", tmp_path / "out.fix", "--qi", "age,town", "-k", "2").succeeded()
    made = toolbox.anonymize(tmp_path / "in.fix", quasi_identifiers=["age"], k=2)
    assert sorted(made.release["age"].astype(str)) == ["21", "21", "34", "34"]


def test_it_is_listed_and_offered(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(fix="FixedWidth")
    assert "A file of fixed width: .fix, .fixed; written as .fix" in run_in_process("methods").succeeded().stdout
    (entry,) = (one for one in build_installed_document()["file_kinds"] if one["name"] == "fix")
    assert (entry["extensions"], entry["written"]) == ([".fix", ".fixed"], [".fix"])
    assert "in.fix" in [found.name for found in _list_entries(tmp_path, tmp_path)[0]]
    assert ".fixed" in toolbox.Project.table_extensions()


def test_messages_name_it(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(fix="FixedWidth")
    (tmp_path / "c.xml").write_text(CONFIG.format("fixed"))
    run = run_in_process("-config", tmp_path / "c.xml")
    assert "has the name of a file of fixed width, and no release is written as such." in run.stderr
    assert ".sav, .dta or .fix." in run.stderr
    (tmp_path / "c.xml").write_text(CONFIG.format("fix"))
    run = run_in_process("-config", tmp_path / "c.xml", "--split-size", "1MB")
    assert "The output is a file of fixed width, which is not split." in run.stderr
    (tmp_path / "in.fix").write_text("age,town\n1,Graz\n")
    run = run_in_process("detect", tmp_path / "in.fix")
    assert "in.fix has the name of a file of fixed width, and is text." in run.stderr
    (tmp_path / "people.csv").write_text(LINES)
    run = run_in_process("detect", tmp_path / "people.csv")
    assert "people.csv is a file of fixed width. Give it a name that ends in .fix." in run.stderr
    (tmp_path / "c.xml").write_text(
        "<config k='2'><input header='true'><file name='people.csv'/><file name='in.fix'/></input>"
        "<output filename='out.csv'/><qid><att name='age'/></qid></config>"
    )
    run = run_in_process("-config", tmp_path / "c.xml")
    assert f"people.csv is delimited text, and {tmp_path}/in.fix is a file of fixed width." in run.stderr


def test_one_that_cannot_be_imported_stops_only_who_opens_such_a_file(
    plugged: Callable[..., None], tmp_path: Path
) -> None:
    plugged(fix="absent_module:Fix")
    pd.DataFrame({"age": [21, 21]}).to_csv(tmp_path / "people.odd", index=False)
    made = toolbox.anonymize(tmp_path / "people.odd", quasi_identifiers=["age"], k=2)
    assert len(made.release) == 2
    with pytest.raises(UsageError, match="there is no module 'absent_module'"):
        toolbox.anonymize(tmp_path / "in.fix", quasi_identifiers=["age"], k=2)
    assert "broken: the file kind fix" in run_in_process("methods").succeeded().stdout


def test_one_that_fails_is_told_by_its_line_and_stops_nobody_else(plugged: Callable[..., None], tmp_path: Path) -> None:
    plugged(fix="Failing")
    (tmp_path / "c.xml").write_text(CONFIG.format("csv"))
    run = run_in_process("-config", tmp_path / "c.xml")
    assert "in.fix cannot be read: Failing failed with KeyError in " in run.stderr
    assert (run.status, "secret" in run.stderr, "Traceback" in run.stderr) == (4, False, False)
    (tmp_path / "odd.csv").write_bytes(b"\x01\x02\0\0")
    assert "ValueError" not in run_in_process("detect", tmp_path / "odd.csv").stderr


@pytest.mark.parametrize(
    ("name", "target", "said"),
    [
        ("xlsx", "Workbooks", "has the extension .xlsx, which is a workbook. Use another one."),
        ("dotless", "Dotless", "has the extension 'fix'. Write a dot, then small letters and digits."),
        ("unwritten", "Unwritten", "is written as .none, and has no write(). Add it to Unwritten."),
        ("theirs", "pathlib:Path", "is no subclass of FileKind."),
    ],
)
def test_one_that_cannot_be_used_is_told_and_left_out(
    plugged: Callable[..., None], name: str, target: str, said: str
) -> None:
    plugged(**{name: target})
    (broken,) = KINDS.every().broken
    assert (broken.name, said in broken.reason) == (name, True), broken.reason
    assert find_file_kind(Path("a.xlsx")).__module__ == "toolbox.release.files.own"


def test_two_for_one_extension_are_told(plugged: Callable[..., None]) -> None:
    plugged(fix="FixedWidth", second="Second")
    with pytest.raises(UsageError, match=r"Two installed file kinds are for the same: .*:FixedWidth and .*:Second"):
        find_file_kind(Path("a.fix"))
