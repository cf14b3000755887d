"""A folder with one input, one configuration and an older release, and what a run leaves of it."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from helpers import children

from toolbox.cli.main import main

OLDER = "an older release\n"
CATEGORY = "<att name='a' type='category'/>"


@dataclass(frozen=True)
class Run:
    """What one run printed and which status it ended with."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on standard output."""
        return json.loads(self.out)


def configuration(
    qid: str = CATEGORY,
    *,
    root: str = "k='2'",
    given: str = "header='true'",
    source: str = "in.csv",
    target: str = "out.csv",
    output: str = "",
    sens: str = "",
    ids: str = "",
) -> str:
    """Write a configuration; the arguments are XML text."""
    return f"""<config {root}>
  <input filename="{source}" {given}/>
  <output order="input" filename="{target}" {output}/>
  <id>{ids}</id>
  <qid>{qid}</qid>
  <sens>{sens}</sens>
</config>"""


def write(path: Path, content: str | bytes) -> Path:
    """Write text as UTF-8, line endings as they stand, or bytes."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def run_here(arguments: Sequence[str | Path], capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command line in this process."""
    capsys.readouterr()
    status = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return Run(status, out, err)


def run_apart(arguments: Sequence[str | Path], folder: Path) -> Run:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "toolbox", *map(str, arguments)]
    done = children.run(command, capture_output=True, cwd=folder, timeout=60, check=False)
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


def files(folder: Path) -> dict[str, bytes]:
    """Read every file below a folder, hidden ones included, and list the folders; what Python compiles is left out."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"a folder"
        for path in sorted(folder.rglob("*"))
        if "__pycache__" not in path.parts
    }


def records(text: str, separator: str = ",") -> list[list[str]]:
    """Cut delimited text into values, with Python's reader and a separator of any length that no value holds."""
    stand_in = "\x1e"
    assert stand_in not in text
    return list(csv.reader(io.StringIO(text.replace(separator, stand_in), newline=""), delimiter=stand_in))


Release = Callable[..., bytes]
"""A function that anonymises bytes and returns the bytes of the release."""

FIRST = "<att index='0' type='category'/>"
"""The first column as a quasi-identifier, where there is no header."""


def quoted_field(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def read_fields(text: str, separator: str) -> list[list[str]]:
    """Read delimited text with a separator of any length, by the rules of RFC 4180, one character after another."""
    rows: list[list[str]] = [[""]]
    at, quoted = 0, False
    while at < len(text):
        if quoted:
            if text.startswith('""', at):
                rows[-1][-1] += '"'
                at += 1
            elif text[at] == '"':
                quoted = False
            else:
                rows[-1][-1] += text[at]
        elif text.startswith(separator, at):
            rows[-1].append("")
            at += len(separator) - 1
        elif text[at] == '"' and not rows[-1][-1]:
            quoted = True
        elif text[at] == "\n":
            rows.append([""])
        else:
            rows[-1][-1] += text[at]
        at += 1
    return rows[:-1]
