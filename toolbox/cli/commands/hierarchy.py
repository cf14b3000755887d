"""The command `hierarchy`: its first word says whether to show, check, import or export one."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, cast

from toolbox.cli.options.commands import ACTIONS
from toolbox.cli.options.reader import OptionReader, collect_overrides
from toolbox.cli.output.progress import show_progress
from toolbox.cli.output.streams import print_document, print_out, print_report, print_tables, require_no_contradiction
from toolbox.config import values
from toolbox.config.model import Config
from toolbox.errors import UsageError, did_you_mean, quote
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.hierarchies.commands import (
    build_hierarchy,
    check_hierarchy,
    convert_hierarchy,
    show_hierarchy,
    write_hierarchy,
)
from toolbox.flows.hierarchies.subject import HierarchyRequest, read_named_configuration
from toolbox.hierarchy.notations import NOTATIONS, UTD, Notation, guess_notation
from toolbox.report.explore.hierarchy import HierarchyCheck, HierarchyReport
from toolbox.steps import Steps

FAULTY: Final = 4
"""The exit status where a check finds a fault."""
_ONLY_FOR: Final = {
    "depth": ("show",),
    "all": ("show",),
    "values": ("show", "check"),
    "from": ("show", "check", "import", "export"),
    "header": ("show", "check", "import", "export"),
    "to": ("build", "import", "export"),
    "output": ("build", "import", "export"),
}
"""The actions for which an option means something, unless that is all."""
_BY_EXTENSION: Final = {".xml": UTD, ".txt": "rules"}


def hierarchy(options: argparse.Namespace) -> int:
    """Run ``hierarchy`` and return its exit status."""
    require_no_contradiction(options)
    action = _parse_action(options.action)
    _require_meaning(options, action)
    reader = OptionReader(options)
    depth = reader.read("depth", partial(values.parse_integer, minimum=1))
    output = reader.read("output", partial(values.parse_path, folder=Path()))
    to = cast("Notation | None", reader.read("to", partial(values.parse_word, known=NOTATIONS)))
    asked = _read_request(options, reader, action)
    with show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        answer = _answer(
            options, replace(asked, steps=Steps(watcher)), action, _find_target_notation(action, to, output)
        )
    match answer:
        case HierarchyReport():
            print_report(options, answer.document, partial(answer.show_on, depth=depth, whole=options.all))
        case HierarchyCheck():
            print_report(options, answer.document, answer.show_on)
            return 0 if answer.holds else FAULTY
        case NotationText():
            _write(options, asked, output, answer)
    return 0


class NotationText(NamedTuple):
    """A hierarchy in a notation."""

    text: str
    report: HierarchyReport
    notation: Notation


def _answer(
    options: argparse.Namespace, asked: HierarchyRequest, action: str, notation: Notation
) -> HierarchyReport | HierarchyCheck | NotationText:
    match action:
        case "show":
            return show_hierarchy(asked, shows_values=options.values)
        case "check":
            return check_hierarchy(asked, shows_values=options.values)
        case "build":
            builder = _find_builder(options)
            text, report = build_hierarchy(asked, builder, notation)
        case _:
            text, report = convert_hierarchy(asked, notation)
    return NotationText(text, report, notation)


def _find_builder(options: argparse.Namespace) -> str:
    """Return the builder, which stands behind the table."""
    if options.config is not None:
        raise UsageError("build makes a hierarchy of a table. Write that of a configuration by export.")
    if len(options.data) < 2:
        lacking = "builder" if options.data else "table"
        form = "toolbox hierarchy build DATA BUILDER --column NAME"
        raise UsageError(f"Nothing names the {lacking}. Write {form}; a builder is, say, prefix:3,1.")
    builder: str = options.data[1]
    return builder


def _parse_action(word: str | None) -> str:
    if word is None:
        raise UsageError("Nothing says what to do. Write toolbox hierarchy show FILE; or check, build, import, export.")
    if word.lower() not in ACTIONS:
        hint = did_you_mean(word, ACTIONS) or f" Write one of {', '.join(ACTIONS)}."
        raise UsageError(f"toolbox hierarchy cannot {quote(word)}.{hint} See toolbox hierarchy --help.")
    return word.lower()


def _require_meaning(options: argparse.Namespace, action: str) -> None:
    """Raise an error for an option that has no effect on the action."""
    for name, actions in _ONLY_FOR.items():
        if vars(options)[name] and action not in actions:
            raise UsageError(f"--{name} means nothing to {action}: it goes with {', '.join(actions)}. Leave it out.")


def _find_target_notation(action: str, to: Notation | None, output: Path | None) -> Notation:
    """Return the notation to write: the one that is named, or else that of an import, or of the name of the file."""
    if to is not None or action == "import":
        return to or "arx"
    extension = "" if output is None else output.suffix.lower()
    return cast("Notation", _BY_EXTENSION.get(extension, "arx"))


def _read_request(options: argparse.Namespace, reader: OptionReader, action: str) -> HierarchyRequest:
    notation = cast("Notation | None", reader.read("from", partial(values.parse_word, known=NOTATIONS)))
    header = reader.read("header", values.parse_boolean)
    # The option is about the file of the hierarchy; the table beside it names its columns.
    reading, limits = replace(reader.reading(), header=None), reader.limits()
    reader.require_none_wrong()
    named = [Path(name) for name in options.data]
    config = _find_config(options, named)
    if config is not None and options.config is None:
        named = named[1:]
    files, data = ([], named) if config is not None else _split_files(named, notation, action)
    if len(data) > 1:
        first = "at most one table, as the configuration has the hierarchy"
        if config is None:
            first = "the table and then a builder" if action == "build" else "the hierarchy, and then at most one table"
        raise UsageError(f"{quote(str(data[1]))} is one too many. Write {first}.")
    return HierarchyRequest(
        files=tuple(files),
        notation=notation,
        header=header,
        config=config,
        column=options.column,
        data=data[0] if data else None,
        reading=reading.input(),
        limits=limits,
    )


def _split_files(named: list[Path], notation: Notation | None, action: str) -> tuple[list[Path], list[Path]]:
    """Divide the named files into files of the hierarchy (rules have one for each level) and files of the data."""
    if action == "build":  # behind the table stands the builder
        return [], [*named[:1], *named[2:]]
    if action in ("import", "export") and len(named) > 1 and (notation or guess_notation(named[0])) == "rules":
        return named, []
    return named[:1], named[1:]


def _find_config(options: argparse.Namespace, named: list[Path]) -> Config | None:
    """Return the configuration that is named, be it behind its option or as the file."""
    overrides = collect_overrides(options, but={"header"})
    if options.config is not None:
        return read_configuration(Path(options.config), overrides, is_run=False)
    if options.action.lower() == "build" or not named or vars(options)["from"] not in (None, UTD):
        return None
    return read_named_configuration(named[0], overrides)


def _write(options: argparse.Namespace, asked: HierarchyRequest, output: Path | None, written: NotationText) -> None:
    text, report, notation = written
    if output is not None:
        write_hierarchy(text, output, asked, _find_builder(options) if options.action.lower() == "build" else "")
    if options.json:
        place = {"text": text} if output is None else {"written": str(output)}
        print_document({**report.document(), "notation": notation, **place})
    elif output is None:
        print_out(text.removesuffix("\n"))
    elif not options.quiet:
        print_tables(report.show_on)
        print_out(f"written {output}")
