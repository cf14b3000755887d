"""The command `init`: what it writes, where, and what it prints."""

from __future__ import annotations

import os
import pty
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from helpers import children
from helpers.running import run_in_process, status_of
from helpers.workbooks import sheet, xlsx

PEOPLE = "name,age,smoker\n" + "".join(
    f"person {row},{20 + row % 30},{'yes' if row % 3 else 'no'}\n" for row in range(60)
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_configuration_is_called_like_the_table_and_the_next_commands_are_told() -> None:
    shown = run_in_process("init", "people.csv").succeeded().stdout
    assert "wrote  people.xml" in shown
    assert "next   toolbox -config people.xml" in shown
    assert "then   toolbox check people_release.csv -config people.xml" in shown
    assert Path("people.xml").read_text().startswith("<?xml")


@pytest.mark.parametrize("option", ["-o", "--output", "-O"])
def test_another_file_may_be_named(option: str) -> None:
    Path("configs").mkdir()
    run_in_process("init", "people.csv", option, "configs/mine.xml", "--quiet").succeeded()
    assert "filename='../people.csv'" in Path("configs/mine.xml").read_text()
    assert not Path("people.xml").exists()


def test_a_folder_and_a_pattern_have_a_name_as_well() -> None:
    Path("data").mkdir()
    Path("data/people.csv").write_text(PEOPLE)
    run_in_process("init", "data/", "--quiet").succeeded()
    assert "filename='data_release.csv'" in Path("data.xml").read_text()
    run_in_process("init", "peo*.csv", "--quiet").succeeded()
    assert "filename='peo__release.csv'" in Path("peo_.xml").read_text()


def test_of_several_sheets_one_is_named() -> None:
    rows = [line.split(",") for line in PEOPLE.splitlines()]
    xlsx(Path("two.xlsx"), {"People": sheet(rows), "Notes": sheet([["x"], ["y"]])})
    refused = run_in_process("init", "two.xlsx")
    assert (refused.status, "--input-table 'People'" in refused.stderr) == (4, True)
    run_in_process("init", "two.xlsx", "--input-table", "People", "--quiet").succeeded()
    run_in_process("-config", "two.xml", "--quiet").succeeded()
    assert Path("two_release.csv").read_text().startswith("age,smoker\n")


def test_the_document_names_the_configuration() -> None:
    document = run_in_process("init", "people.csv", "--json").succeeded().document
    assert document["configuration"] == "people.xml"
    assert [(one["column"], one["role"]) for one in document["columns"]] == [
        ("name", "identifier"),
        ("age", "quasi-identifier"),
        ("smoker", "sensitive"),
    ]


def test_a_file_that_is_there_is_replaced_only_by_force() -> None:
    Path("people.xml").write_text("mine")
    finished = run_in_process("init", "people.csv")
    assert (finished.status, "--force" in finished.stderr) == (2, True)
    assert Path("people.xml").read_text() == "mine"
    run_in_process("init", "people.csv", "--force", "--quiet").succeeded()
    assert "<config" in Path("people.xml").read_text()


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ([], 2, "toolbox init people.csv"),
        (["nobody.csv"], 4, "nobody.csv cannot be read"),
        (["people.csv", "-o", "people.csv", "--force"], 2, "is read itself"),
        (["."], 2, "would lie in the folder"),
        (["people.csv", "-o", "nowhere/a.xml"], 2, "no folder"),
        (["people.csv", "--header", "perhaps"], 2, "yes"),
        (["people.csv", "--encoding", "klingon"], 2, "--encoding"),
        (["people.csv", "--qi", "age"], 2, "toolbox init has no option '--qi', which says how a release is made"),
        (["people.csv", "--yess"], 2, "Did you mean '--yes'? See toolbox init --help."),
        (["people.csv", "--quiet", "--verbose"], 2, "contradict"),
        (["empty.csv"], 4, "is empty"),
        (["names.csv"], 2, "nothing is left to release"),
        (["people.xml"], 2, "toolbox -config people.xml"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(folder: Path, words: list[str], status: int, told: str) -> None:
    Path("empty.csv").write_text("")
    Path("names.csv").write_text("name\n" + "".join(f"person {row}\n" for row in range(30)))
    Path("nobody.xml").write_text("an old one, of a table that is gone")
    before = {path.name for path in folder.iterdir()}
    finished = run_in_process("init", *words)
    assert (finished.status, told in finished.stderr) == (status, True), finished.stderr
    assert {path.name for path in folder.iterdir()} == before


@contextmanager
def terminal(answers: str) -> Iterator[tuple[int, list[bytes]]]:
    """Type some answers on a terminal of its own; it is yielded with what is shown there, which is whole in the end."""
    here, there = pty.openpty()
    os.write(here, answers.encode())
    shown: list[bytes] = []

    def read() -> None:
        with suppress(OSError):  # as Linux tells that the other end is closed
            while part := os.read(here, 4096):
                shown.append(part)

    reading = threading.Thread(target=read)
    reading.start()
    try:
        yield there, shown
    finally:
        os.close(there)
        reading.join()
        os.close(here)


@pytest.mark.slow
def test_on_a_terminal_it_asks_and_the_answers_count() -> None:
    with terminal("\n\nqid\n") as (place, parts):
        command = [sys.executable, "-m", "toolbox", "init", "people.csv"]
        status = children.run(command, stdin=place, stdout=place, stderr=place, check=False).returncode
    shown = b"".join(parts).decode()
    assert (status, "3 of 3" in shown, "wrote" in shown) == (0, True, True), shown
    assert "<att name='smoker' type='category'>" in Path("people.xml").read_text()


@pytest.mark.parametrize(
    ("answers", "words", "said", "is_written"),
    [("\nq\n", [], "nothing was written", False), ("", ["--yes"], "wrote", True)],
    ids=["leaves", "yes"],
)
def test_who_leaves_writes_nothing_and_yes_asks_nothing(
    answers: str, words: list[str], said: str, is_written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        terminal(answers) as (place, parts),
        open(place, closefd=False) as typed,
        open(place, "w", closefd=False) as shown,
        monkeypatch.context() as patched,
    ):
        for name, stream in (("stdin", typed), ("stdout", shown), ("stderr", shown)):
            patched.setattr(sys, name, stream)
        status = status_of("init", "people.csv", *words)
    text = b"".join(parts).decode()
    assert (status, said in text, Path("people.xml").exists()) == (0, True, is_written), text
    assert ("? explains" in text) == (not is_written)
