"""The flow of `init`: what becomes of each column of a table of which nobody has said anything."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from toolbox.config.file_names import has_types, list_input_files
from toolbox.config.model import Input, Limits
from toolbox.config.reading.overrides import parse_limits
from toolbox.errors import InputError
from toolbox.flows.arguments.checks import AS_SAID, Reading
from toolbox.flows.arguments.configuration import limit_threads
from toolbox.flows.judge.tables import TableSource
from toolbox.report.explore.suggestion import Suggestion
from toolbox.steps import Steps, Watcher
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.source import Source, open_arrow_source
from toolbox.store.input.text_file import (
    check_readable,
    find_header_line,
    guess_encoding,
    guess_separator,
    split_first_records,
)
from toolbox.suggestions.plan import RolePlan


def suggest_roles(
    data: TableSource,
    *,
    reading: Reading = AS_SAID,
    limits: Limits | str | None = None,
    watcher: Watcher | None = None,
) -> Suggestion:
    """Guess what becomes of each column of a table; `toolbox.suggest` explains the arguments.

    Raises
    ------
    ToolboxError
    """
    from toolbox.suggestions.plan import suggest_columns
    from toolbox.suggestions.profile import profile_columns
    from toolbox.suggestions.texts import Drawn

    steps = Steps(watcher)
    bounds = parse_limits(limits) or Limits()
    declared = _guess_declaration(data, reading)
    files = InputFiles(declared) if declared else None
    with Store(bounds.temp_dir, limit_threads(bounds, files or data)) as store, translate_file_errors(store.folder):
        with steps.step("read"), files.watch_reading() if files else nullcontext():
            source = files.source(store) if files else open_arrow_source(store, data)
            drawn = Drawn(store, source)
            steps.records = drawn.records
        with steps.step("look"):
            # A call with a table in memory cannot say that its texts have decimal commas.
            profiles = profile_columns(
                drawn,
                name_columns(source),
                source.said_kinds[: drawn.width],
                are_own=source.headers is not None,
                may_have_commas=files is not None,
                said=_find_notation_arguments(reading),
            )
            columns = suggest_columns(drawn, profiles)
            absent = drawn.absent(profiles.notation.mark)
    if drawn.records < 2:
        raise InputError(f"{source.name} holds 1 record, which can hide among no other. A release needs two at least.")
    plan = RolePlan(
        columns=columns,
        headers=source.headers,
        records=drawn.records,
        notation=profiles.notation,
        is_sample=profiles.is_sample,
        absent=absent,
    )
    return Suggestion(
        source=data if isinstance(data, Path) else None,
        input=None if any(source.kinds) else declared,
        table=reading.table,
        plan=plan,
        timings=steps.timings(),
        toolbox_version=version("anonymisation-toolbox"),
    )


def _guess_declaration(data: TableSource, reading: Reading) -> Input | None:
    """Return how the file of a table is read; None for a table in memory."""
    given = reading.input()
    if not isinstance(data, Path):
        return None
    is_encoded = reading.encoding is not None
    return guess_reading(replace(given, path=data), is_encoded=is_encoded, has_header=reading.header)


def _find_notation_arguments(reading: Reading) -> dict[str, str]:
    """Return what is said of numbers and missing values, by the words of a notation."""
    said = {"decimal": reading.decimal, "thousands": reading.thousands, "mark": reading.missing}
    return {name: value for name, value in said.items() if value is not None}


def guess_reading(reading: Input, *, is_encoded: bool, has_header: bool | int | None) -> Input:
    """Find out how a text is read: its encoding, its separator and whether it has a header, where nobody says so.

    Parameters
    ----------
    reading : Input
        The file, and what is said of it.
    is_encoded : bool
        Whether that is its encoding, too.
    has_header : bool or int, optional
        Or the line where it stands; None: nobody says so.

    Raises
    ------
    InputError
        If there is no such file.
    """
    from toolbox.suggestions.texts import has_header as looks_like_header

    files = list_input_files(reading)
    first = files[0]
    check_readable(first, alone=len(files) == 1)
    if has_types(first):
        return Input(path=reading.path, encoding=reading.encoding, table=reading.table)
    one = replace(reading, path=first)
    if not is_encoded:
        one = replace(one, encoding=guess_encoding(first))
    if has_header is None:
        one = replace(one, header_line=find_header_line(one))
    if one.guesses_separator:
        one = replace(one, separator=guess_separator(one), guesses_separator=False)
    header = looks_like_header(split_first_records(one)) if has_header is None else bool(has_header)
    return replace(one, path=reading.path, header=header)


def name_columns(source: Source) -> Sequence[str]:
    """Return what columns are called; by their positions where the first line does not name them."""
    if source.headers is not None:
        return source.headers[: source.width - source.added]
    return [f"column {index}" for index in range(source.width - source.added)]
