"""Each option of each command with what is no value of it: one line that names it, and says what to write instead.

All that is said stands in ``tests/recorded/wrong_options.txt``, for people to read. If the messages change, run
``PYTHONPATH=tests python tests/cli/test_wrong_options.py``, and read what is new in it.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.amounts import is_thorough, some
from helpers.wrong_words import is_taken, kind_of, kinds_in, line_of, listed, said_of, write_tables, wrong_lines

import toolbox.app.server.server
from toolbox.config.values import Option

RECORDED = Path(__file__).parents[1] / "recorded" / "wrong_options.txt"
HELPS = re.compile(
    r"\b(Write|Also write|Name|Leave|See|Choose|Put|Keep|Give|Install|Raise|It has|There are|Its rules|End its name|Did you mean)\b"
    r"|Installed: |is that a header"
)
SAID_OF_FAULTS = re.compile(r"^[^\n]*: [0-9,]+ faults\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with the tables; an application that would start is not served."""
    made = tmp_path_factory.mktemp("wrong_options")
    write_tables(made)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(toolbox.app.server.server, "serve", lambda *given, **named: None)
        yield made


def everything(folder: Path, *, every: int) -> Iterator[tuple[tuple[str, ...], Option, tuple[str, ...], str, int]]:
    """Yield each line that is refused, its option, the words behind it, the message and the status."""
    for command, option, words in some(list(wrong_lines()), every=every, start=3):
        line = line_of(command, option, words)
        finished = said_of(line, folder)
        if not is_taken(finished):
            message = finished.stderr.removeprefix("toolbox: ").rstrip("\n").replace(str(folder), "FOLDER")
            yield line, option, words, message, finished.status


def faults_in(line: tuple[str, ...], option: Option, words: tuple[str, ...], message: str, status: int) -> list[str]:
    """Return what is wrong with a message."""
    lines = message.split("\n")[1:] if SAID_OF_FAULTS.match(message) else message.split("\n")
    flags = {flag.lower() for flag in option.flags} | {option.flags[0].partition("=")[0].lower()}
    named = [*flags, *(word.lower() for word in words), *(part.strip() for word in words for part in word.split(","))]
    found = {
        "a fault of the program": "fault of the toolbox" in message or "Traceback" in message,
        "its status": status != (4 if "cannot be read" in message else 2) and "study.toml" not in message,
        "more than one line": len(lines) > 1 and not SAID_OF_FAULTS.match(message),
        "no full stop": not all(one.endswith((".", "?")) for one in lines),
        "no help": not all(HELPS.search(one) for one in lines),
        "names nothing": not any(name in message.lower() for name in named) and not is_about_the_file(option, message),
        "the largest number of a machine": "9223372036854775807" in message,
    }
    return [f"{' '.join(line)}: {what}: {message}" for what, is_so in found.items() if is_so]


def is_about_the_file(option: Option, message: str) -> bool:
    """Return whether a message tells that a file was not read as somebody says, or that the study is not there."""
    return (option.group == "reading" and ".csv has" in message) or "study.toml" in message


@pytest.mark.slow
def test_each_option_that_is_wrong_is_told_in_one_line_that_helps(folder: Path) -> None:
    known = kinds_in(RECORDED.read_text(encoding="utf-8"))
    wrong, said = [], []
    for line, option, words, message, status in everything(folder, every=16):
        said.append((" ".join(["toolbox", *line]), message))
        wrong += faults_in(line, option, words, message, status)
        if kind_of(message) not in known:
            wrong.append(f"{' '.join(line)}: not recorded: {message}")
    assert wrong == []
    assert len(said) > 100
    if is_thorough():
        assert listed(said) == RECORDED.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("line", "says"),
    [
        (("check", "release.csv", "-k", "abc", "--qi", "age"), "-k 'abc' is not a whole number. Write a whole number of at least 1."),
        (("check", "release.csv", "--"), "There is no option '--'. See toolbox check --help."),
        (("anonymize", "people.csv", "--"), "There is no option '--'. See toolbox --help."),
        (("check", "release.csv", "-q"), "There is no option '-q'. Did you mean '--quiet'?"),
        (("check", "release.csv", "--qi", "age", "town"), "Write a comma between them: --qi age,town."),
        (("check", "release.csv", "--qi", "age", "--k"), "-k lacks its value. Write -k K."),
        (("check", "release.csv", "--quiet=yes"), "--quiet takes no value, and 'yes' is one."),
        (("check", "release.csv", "other.csv"), "'other.csv' is one too many: toolbox check takes RELEASE."),
        (("check", "release.csv", "--qi", "age", "--hierarchy", "age"), "has no equals sign after a name."),
        (("detect", "people.csv", "--missing", "drop"), "Write --on-missing drop."),
        (("help", "nonsense"), "There is no command 'nonsense'."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)  # fmt: skip
def test_what_is_meant_is_said(folder: Path, line: tuple[str, ...], says: str) -> None:
    finished = said_of(line, folder)
    assert (finished.status, finished.stdout) == (2, "")
    assert says in finished.stderr


@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", [("help", "check"), ("check", "--help"), ("HELP", "CHECK"), ("check", "-k", "-h")])
def test_help_of_a_command(words: tuple[str, ...], folder: Path) -> None:
    expected = said_of(("check", "--help"), folder)
    if words[-1] == "-h":  # which is the value of -k
        assert said_of((*words, "--qi", "age"), folder).status == 2
    else:
        assert said_of(words, folder) == expected
        assert expected.stdout.startswith("Usage: toolbox check ")


def test_help_alone_is_that_of_the_program(folder: Path) -> None:
    assert said_of(("help",), folder) == said_of(("--help",), folder)


def test_separators_of_several_characters_are_known_to_all(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text('age::town\n21::"Graz::A"\n22::Linz\n', encoding="utf-8")
    assert said_of(("init", "people.csv", "--separator", "::", "--quiet"), tmp_path).succeeded().stderr == ""


if __name__ == "__main__":
    toolbox.app.server.server.serve = lambda *given, **named: None  # type: ignore[assignment]
    with tempfile.TemporaryDirectory() as place:
        write_tables(Path(place))
        told = [(" ".join(["toolbox", *line]), text) for line, _, _, text, _ in everything(Path(place), every=1)]
    sys.stdout.write(f"{RECORDED.write_text(listed(told), encoding='utf-8')} characters\n")
