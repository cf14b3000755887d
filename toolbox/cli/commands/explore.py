"""The commands that look at a table of which nobody has said anything: `detect` and `init`."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from toolbox.cli.options.reader import OptionReader, collect_overrides, parse_table
from toolbox.cli.output.progress import show_progress
from toolbox.cli.output.streams import print_report, print_tables, require_no_contradiction
from toolbox.config import values
from toolbox.config.file_names import is_folder, list_input_files
from toolbox.config.model import Config, Input
from toolbox.errors import UsageError
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.explore.detect import DEFAULT_MOST_COLUMNS, ChosenColumns, SudaWanted, detect_columns
from toolbox.flows.explore.safe_harbor import build_zip_hierarchy, follow_safe_harbor
from toolbox.flows.explore.suggest import suggest_roles
from toolbox.messages import print_note
from toolbox.release.placing import require_free, write_whole
from toolbox.report.columns import format_columns
from toolbox.report.explore.suggestion import Suggestion, find_table_stem, release_beside
from toolbox.report.plots import plot_detection, require_plotting
from toolbox.store.input.text_file import check_readable
from toolbox.suggestions.roles import Role

if TYPE_CHECKING:
    from typing import TextIO

    from rich.console import Console


# The command `detect`: options in, one call, a report or an error out.

_POLICIES = ("drop", "value")
"""What becomes of records that lack a value."""


def detect(options: argparse.Namespace) -> int:
    """Run ``detect`` and return its exit status."""
    require_no_contradiction(options)
    reader = OptionReader(options)
    at_least_one = partial(values.parse_integer, minimum=1)
    most, top = reader.read("max_columns", at_least_one), reader.read("top", at_least_one)
    suda = SudaWanted(
        reader.read("suda", at_least_one), reader.read("sampling_fraction", values.parse_sampling_fraction)
    )
    plot = reader.read("plot", partial(values.parse_path, folder=Path()))
    if options.missing in _POLICIES:
        # What the option meant before there was --on-missing; as a mark it would be passed over without a word.
        raise UsageError(f"--missing names the text of a missing value. Write --on-missing {options.missing}.")
    on_missing = reader.read("on_missing", partial(values.parse_word, known=_POLICIES))
    reading = reader.reading()
    limits, named = reader.limits(), (reader.names("columns"), reader.names("exclude"))
    wanted = ChosenColumns(*named, options.all, reader.names("person"))
    reader.require_none_wrong()
    config = None if options.config is None else _read_config(options)
    data = _find_table(options.data, config)
    if plot is not None:
        require_plotting(plot)
    with show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        report = detect_columns(
            data,
            wanted,
            max_columns=most or DEFAULT_MOST_COLUMNS,
            missing_is_a_value=on_missing == "value",
            suda=suda,
            reading=reading,
            config=config,
            limits=limits if config is None else None,
            watcher=watcher,
        )
    shown = {} if top is None else {"top": top}
    if plot is not None:
        plot_detection(report, plot, **shown)
    print_report(options, report.document, partial(report.show_on, **shown))
    return 0


def _read_config(options: argparse.Namespace) -> Config:
    return read_configuration(Path(options.config), collect_overrides(options), is_run=False)


def _find_table(name: str | None, config: Config | None) -> Path:
    """Return the table that is named, or else the input of the configuration."""
    if name is not None:
        return parse_table(name)
    if config is None or config.input is None:
        raise UsageError("Nothing names the table. Write toolbox detect DATA.")
    return config.input.path


# The questions that `init` asks on a terminal: what becomes of each column, with the guess as the default.

_WORDS: Final[Mapping[Role, str]] = MappingProxyType(
    {"identifier": "id", "quasi-identifier": "qid", "sensitive": "sens", "as it is": "asis"}
)
_ANSWERS: Final[Mapping[str, Role]] = MappingProxyType(
    {word: role for role, word in _WORDS.items()} | {role: role for role in _WORDS} | {"drop": "identifier"}
)
_EXPLAINED: Final = """\
  id     drop it: it names or reaches a person
  qid    others may know it: generalise it, so that people hide among others
  sens   release it as it is: it is what the release is made for, and nobody else knows it
  asis   release it as it is: it says nothing of a person
  Enter takes the guess, a takes this one and all that follow, b goes back, q leaves and writes nothing.
"""


def ask_for_roles(
    suggestion: Suggestion, console: Console | None = None, stream: TextIO | None = None
) -> Mapping[int, Role] | None:
    """Ask for the role of each column.

    Parameters
    ----------
    suggestion : Suggestion
        Its roles are the defaults.
    console : Console, optional
        Where the questions go; by default standard output.
    stream : text file, optional
        Where the answers come from; by default standard input.

    Returns
    -------
    mapping of position to role, optional
        The roles that were chosen; None if somebody left.
    """
    if console is None:
        from rich.console import Console

        console = Console(highlight=False)
    chosen: dict[int, Role] = {}
    console.print(f"{suggestion.plan.records:,} records. What is each column?  ? explains.\n")
    index = 0
    while index < len(suggestion.columns):
        column = suggestion.columns[index]
        console.print(
            f"{index + 1} of {len(suggestion.columns)}  {format_columns([column.name])}", style="bold", markup=False
        )
        console.print(f"  {column.role}, {column.sureness}: {column.why}", markup=False)
        console.print(f"  {suggestion.plan.evidence(column)}", markup=False)
        answer = _answer(console, stream, _WORDS[column.role])
        if answer is None:
            return None
        if answer == "a":
            break
        if answer == "b":
            index = max(0, index - 1)
            chosen.pop(suggestion.columns[index].profile.position, None)
            continue
        chosen[column.profile.position] = _ANSWERS[answer]
        index += 1
    return chosen


def _answer(console: Console, stream: TextIO | None, default: str) -> str | None:
    """Ask until the answer is one that is known: a role, nothing for the default, ``a`` or ``b``; None to leave."""
    while True:
        try:
            answer = console.input(f"  id, qid, sens or asis ({default}): ", markup=False, stream=stream)
        except EOFError:
            return None
        if stream is not None and not answer:
            return None  # the end of a file; an empty line still has its line end
        match answer.strip().lower():
            case "q":
                return None
            case "":
                return default
            case "a" | "b" as known:
                return known
            case known if known in _ANSWERS:
                return known
            case "?":
                pass
            case _:
                console.print("  That is not one of the answers:", markup=False)
        console.print(_EXPLAINED, markup=False)


# The command `init`: a table in, a configuration out that runs as it stands.


def init(options: argparse.Namespace) -> int:
    """Run ``init`` and return its exit status."""
    require_no_contradiction(options)
    reader = OptionReader(options)
    reading = reader.reading()
    target = reader.read("output", partial(values.parse_path, folder=Path()))
    preset = reader.read("preset", partial(values.parse_word, known=("hipaa-safe-harbor",)))
    population = reader.read("zip_population", partial(values.parse_path, folder=Path()))
    limits = reader.limits()
    reader.require_none_wrong()
    if population is not None and preset is None:
        raise UsageError("--zip-population belongs to --preset hipaa-safe-harbor. Also write that, or leave it out.")
    data = _find_init_table(options.data)
    target = target or Path(f"{find_table_stem(data)}.xml")
    tree = target.with_name(f"{target.stem}_zip.csv")
    for made in (target,) if population is None else (target, tree):
        require_free(made, replaces=options.force, keeps=[data] if population is None else [data, population])
    allowed = None if population is None else build_zip_hierarchy(population)
    with show_progress(quiet=options.quiet, verbose=options.verbose) as watcher:
        suggestion = suggest_roles(
            data,
            reading=reading,
            limits=limits,
            watcher=watcher,
        )
    if preset is not None:
        plan = follow_safe_harbor(suggestion.plan, None if allowed is None else Path(tree.name))
        suggestion = replace(suggestion, plan=plan)
    if _can_ask(options):
        chosen = ask_for_roles(suggestion)
        if chosen is None:
            print_note("left; nothing was written.")
            return 0
        suggestion = suggestion.with_roles(chosen)
    if allowed is not None:
        write_whole(tree, allowed, "hierarchy", replaces=options.force)
    write_whole(target, suggestion.to_xml(target), "configuration", replaces=options.force)
    print_report(options, lambda: _build_document(suggestion, target), suggestion.show_on)
    if not options.json and not options.quiet:
        print_tables(partial(_show_next, suggestion, target))
    return 0


def _find_init_table(name: str | None) -> Path:
    if name is None:
        raise UsageError("Nothing names the table. Write toolbox init DATA, such as toolbox init people.csv.")
    data = Path(name)
    if data.suffix.lower() == ".xml":
        raise UsageError(f"{name} is a configuration already. Run it: toolbox -config {shlex.quote(name)}.")
    if not is_folder(data):
        # Who has mistyped it hears that, and not that the configuration of such a name is there already.
        first, *others = list_input_files(Input(path=data))
        check_readable(first, alone=not others)
    return data


def _can_ask(options: argparse.Namespace) -> bool:
    """Return whether somebody is there to answer, and wants to be asked."""
    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return is_terminal and not (options.yes or options.json or options.quiet)


def _build_document(suggestion: Suggestion, target: Path) -> dict[str, Any]:
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
