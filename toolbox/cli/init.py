"""The command `init`: a table in, a configuration out that runs as it stands."""

from __future__ import annotations

import argparse
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

from toolbox.cli.answers import print_report, print_tables, require_no_contradiction
from toolbox.cli.dialogue import chosen_roles
from toolbox.cli.option_reader import OptionReader
from toolbox.cli.progress import progress
from toolbox.config import values
from toolbox.config.inputs import input_files, is_folder
from toolbox.config.model import Input
from toolbox.errors import UsageError
from toolbox.flows.new_file import require_free, write_whole
from toolbox.flows.suggest import suggest_roles
from toolbox.messages import tell
from toolbox.report.draft import release_beside, stem_of
from toolbox.report.suggestion import Suggestion
from toolbox.store.text_file import check_readable


def init(options: argparse.Namespace) -> int:
    """Run ``init`` and return its exit status."""
    require_no_contradiction(options)
    reader = OptionReader(options)
    reading = reader.reading()
    target = reader.read("output", partial(values.path, folder=Path()))
    limits = reader.limits()
    reader.require_none_wrong()
    data = _data(options.data)
    target = target or Path(f"{stem_of(data)}.xml")
    require_free(target, replaces=options.force, keeps=[data])
    with progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        suggestion = suggest_roles(
            data,
            reading=reading,
            limits=limits,
            watcher=watcher,
        )
    if _asks(options):
        chosen = chosen_roles(suggestion)
        if chosen is None:
            tell("left; nothing was written.")
            return 0
        suggestion = suggestion.with_roles(chosen)
    write_whole(target, suggestion.to_xml(target), "configuration", replaces=options.force)
    print_report(options, lambda: _document(suggestion, target), suggestion.show_on)
    if not options.json and not options.quiet:
        print_tables(partial(_show_next, suggestion, target))
    return 0


def _data(name: str | None) -> Path:
    if name is None:
        raise UsageError("Nothing names the table. Write toolbox init DATA, such as toolbox init people.csv.")
    data = Path(name)
    if data.suffix.lower() == ".xml":
        raise UsageError(f"{name} is a configuration already. Run it: toolbox -config {shlex.quote(name)}.")
    if not is_folder(data):
        # Who has mistyped it hears that, and not that the configuration of such a name is there already.
        first, *others = input_files(Input(path=data))
        check_readable(first, alone=not others)
    return data


def _asks(options: argparse.Namespace) -> bool:
    """Return whether somebody is there to answer, and wants to be asked."""
    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return is_terminal and not (options.yes or options.json or options.quiet)


def _document(suggestion: Suggestion, target: Path) -> dict[str, Any]:
    return {**suggestion.document(), "configuration": str(target)}


def _show_next(suggestion: Suggestion, target: Path, console: Any) -> None:
    """Print what to do with the configuration."""
    from rich.markup import escape

    assert suggestion.source is not None, "it was read from a file"
    release = release_beside(suggestion.source, target.parent)
    written, named = shlex.quote(str(target)), shlex.quote(str(release))
    for title, text in (
        ("wrote", str(target)),
        ("next", f"toolbox -config {written}"),
        ("then", f"toolbox check {named} -config {written}"),
    ):
        console.print(f"[bold]{title:5}[/]  {escape(text)}", soft_wrap=True)
