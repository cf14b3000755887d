"""What a command prints: a document, tables, or nothing."""

from __future__ import annotations

from argparse import Namespace

import pytest
from rich.console import Console

from toolbox.cli.output.streams import print_report, require_no_contradiction
from toolbox.errors import UsageError


def show(console: Console) -> None:
    console.print("[bold]records[/]  4")


@pytest.mark.parametrize(
    ("json", "quiet", "printed"),
    [
        (True, False, '{\n  "records": 4\n}\n'),
        (True, True, '{\n  "records": 4\n}\n'),
        (False, True, ""),
        (False, False, "records  4\n"),
    ],
)
def test_a_report_is_a_document_or_tables_or_nothing(
    json: bool, quiet: bool, printed: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_report(Namespace(json=json, quiet=quiet), lambda: {"records": 4}, show)
    assert capsys.readouterr() == (printed, "")


def test_less_and_more_contradict_each_other() -> None:
    require_no_contradiction(Namespace(quiet=True, verbose=False))
    with pytest.raises(UsageError, match="--quiet and --verbose contradict each other"):
        require_no_contradiction(Namespace(quiet=True, verbose=True))
