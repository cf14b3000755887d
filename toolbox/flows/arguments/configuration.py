"""The configuration of a run: read from a file, made of options, completed by what columns of plain text hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import FromClause, and_, not_, select

from toolbox.config.file_names import COPIES, has_types, list_input_files, needs_copy
from toolbox.config.model import Attribute, Config, Input, Limits
from toolbox.config.reading.declarations import Declarations
from toolbox.config.reading.overrides import NamedOverrides, Overrides
from toolbox.engines.objects import LocalCopies
from toolbox.errors import ConfigurationError, Fault, SettingError, ToolboxError, UsageError, did_you_mean, quote
from toolbox.flows.arguments.tables import read_header
from toolbox.messages import choose_setting_name
from toolbox.methods.anonymizer import collect_method_facts
from toolbox.privacy.registry import collect_model_facts
from toolbox.queries.dialect import Table, count_where
from toolbox.queries.scales import PLAIN, Figures, is_no_number
from toolbox.report.columns import format_columns
from toolbox.store.disk.folders import translate_file_errors
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.layout import Layout, MissingValues, find_columns
from toolbox.store.input.text_file import find_separator, guess_input
from toolbox.store.values.column_type import (
    TypeHints,
    find_nature,
    find_other_figures,
    format_figures_note,
    format_figures_setting,
    list_figure_marks,
)
from toolbox.store.values.dates import find_calendar, find_date_kind

if TYPE_CHECKING:
    import pyarrow as pa


# Reading a configuration, with all methods and privacy models that are installed.


def read_configuration(path: Path, overrides: Overrides | None = None, *, is_run: bool = True) -> Config:
    """Read a configuration file.

    Parameters
    ----------
    overrides : Overrides, optional
        What the caller or the command line says instead.
    is_run : bool
        Whether a release is to be made; otherwise nothing is written, and the output need not be there.

    Raises
    ------
    ConfigurationError
        With every fault of the file.
    """
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.reading.reader import read_config

    chosen = overrides or Overrides()
    return read_config(
        path, overrides=chosen, methods=collect_method_facts(), models=collect_model_facts(), is_run=is_run
    )


def make_overrides(options: Mapping[str, Any]) -> Overrides:
    """Return the overrides that the arguments of a call name; values may be of any type that has a text.

    Raises
    ------
    UsageError
        If there is no such option.
    """
    values = dict(options)
    settings, engine_settings = (
        {name: str(value) for name, value in values.pop(group, {}).items()} for group in ("settings", "engine_settings")
    )
    known = sorted(field.name for field in fields(Overrides) if field.name != "save_config")
    for name in values:
        if name not in known:
            there = f"There are: {', '.join(known)}."
            raise UsageError(f"load_config() has no argument {name!r}.{did_you_mean(name, known)} {there}")
    texts: dict[str, Any] = {name: str(value) for name, value in values.items() if value is not None}
    for several in ("input", "earlier"):
        paths = values.get(several)
        if isinstance(paths, type) or not isinstance(paths, (Iterable, Path, type(None))):
            raise SettingError(several, paths, "the path of a file, or a list of them")
        if not isinstance(paths, (str, Path, type(None))):
            texts[several] = tuple(map(str, paths))
    return NamedOverrides(settings=settings, engine_settings=engine_settings, **texts)


# Columns that nobody declared.


def require_declared(config: Config, layout: Layout) -> None:
    """Stop where a column is not declared, if the configuration asks for it.

    Raises
    ------
    UsageError
    """
    if config.undeclared == "fail" and layout.undeclared:
        columns = format_columns([layout.names[position] for position in layout.undeclared])
        raise UsageError(
            choose_setting_name(
                f"undeclared='fail', and nobody declared {columns}. Declare each column, as an identifier, a "
                "quasi-identifier or sensitive, or write undeclared='drop' to leave them out.",
                options=f"Nobody declared {columns}. Declare each column: --id drops it, --qi generalises it, "
                "--sensitive releases it as it is. Or write --undeclared drop to leave them out, or --undeclared pass "
                "to release them as they are.",
            )
        )


def require_released_child(config: Config, table: str, layout: Layout, width: int) -> None:
    """Stop where a column of a child table is not declared, or none of the columns that it has would be released.

    Raises
    ------
    UsageError
    """
    require_declared(config, replace(layout, names=tuple(f"{table}.{name}" for name in layout.names)))
    if not any(position < width for position in layout.released):
        raise UsageError(f"Nothing of the table {table} would be released. Release a column, or leave it out.")


# How many threads the engine takes for a table.

SMALL: Final = 20_000_000
"""Size in bytes below which one thread finishes sooner than two, measured with scripts/bench_scale.py."""
SMALL_TO_COMPARE: Final = 2_000_000
"""As `SMALL`, where records are compared with classes, which takes longer than reading them."""


def limit_threads(limits: Limits, *tables: InputFiles | pa.Table | None, small: int = SMALL) -> Limits:
    """Limit small tables to one thread, unless the user sets the threads: more would cost more than they save.

    Parameters
    ----------
    limits : Limits
    tables : InputFiles or pyarrow.Table, optional
        All that are read; None: something else, which may be large.
    small : int
        Bytes below which they are small together.
    """
    sizes = [_find_table_size(table) for table in tables]
    known = [size for size in sizes if size is not None]
    is_small = len(known) == len(sizes) and sum(known) < small
    return replace(limits, threads=1) if is_small and limits.threads is None else limits


def _find_table_size(table: InputFiles | pa.Table | None) -> int | None:
    """Return the bytes of a table; None if only reading could tell them."""
    if table is None:
        return None
    if isinstance(table, InputFiles):
        return table.measure_text_size()
    return int(table.nbytes)


# What columns of plain text hold, where options name them and nobody says it.

_LOOKED_AT = 300_000
"""Records by which a column is judged; a run says which later values do not fit."""


class FoundKinds(NamedTuple):
    """What columns hold of which options say nothing."""

    kinds: Mapping[str, str]
    """Kinds by the name of the column, or its position where the input has no header; of dates with their format."""
    notes: Sequence[str] = ()
    """How dates and numbers are read."""
    figures: Figures | None = None
    """How the input writes numbers, if that was found."""


def find_kinds(config: Config, *, finds_figures: bool = False, prefix: str = "") -> FoundKinds:
    """Return numbers, categories, dates or timestamps for columns of options that say nothing of what they hold.

    These are the quasi-identifiers, and the sensitive attributes that a privacy model judges. The columns are looked
    for as well, so that a wrong name is told before anything else is read.

    Parameters
    ----------
    finds_figures : bool
        Whether nobody says how the input writes numbers, so that the columns do.
    prefix : str
        What stands before the names of the columns of a child table.

    Raises
    ------
    ToolboxError
        If the input cannot be read, or has no such columns.
    """
    config = find_separator(config)
    source = config.input
    if source is None or source.remote is not None or not config.compatibility.knows_dates:
        return FoundKinds({})
    files = InputFiles(source)
    with (
        Store(config.work_folder, limit_threads(config.limits, files)) as store,
        translate_file_errors(store.folder),
        files.watch_reading(),
    ):
        records = files.source(store)
        layout = find_columns(config, records)
        require_declared(config, replace(layout, names=tuple(f"{prefix}{name}" for name in layout.names)))
        judged = {requirement.attribute for requirement in config.requirements}
        sensitive = zip(config.sensitive, layout.sensitive, strict=True)
        columns: list[tuple[Attribute, int]] = [
            *zip(config.quasi_identifiers, layout.quasi_identifiers, strict=True),
            *((attribute, position) for attribute, position in sensitive if str(attribute.column) in judged),
        ]
        open_columns = [one for one in columns if records.kinds[one[1]] is None and _is_open(one[0])]
        if not open_columns:
            return FoundKinds({})
        relation = records.relation()
        names = [f"c{position}" for _, position in open_columns]
        sample = store.create("looked_at", select(*(relation.c[name] for name in names)).limit(_LOOKED_AT))
        texts = {
            _find_column_key(attribute): _find_distinct_texts(store, attribute, sample, name, config)
            for (attribute, _), name in zip(open_columns, names, strict=True)
        }
        texts = {key: its for key, its in texts.items() if store.count(its)}
        declared = Figures(source.decimal, source.thousands)
        figures, notes = read_figures(store, texts, declared, guesses=finds_figures)
        known = {
            _find_column_key(attribute): _find_kind(
                store, attribute, texts[_find_column_key(attribute)], figures or declared
            )
            for attribute, _ in open_columns
            if _find_column_key(attribute) in texts
        }
        notes += [note for _, note in known.values() if note is not None]
    return FoundKinds({f"{prefix}{key}": kind for key, (kind, _) in known.items()}, notes, figures)


def _find_all_kinds(config: Config, *, finds_figures: bool) -> FoundKinds:
    """Return what the columns of the input hold, and those of child tables which are judged."""
    found = find_kinds(config, finds_figures=finds_figures)
    for name, child in config.child_tables.items():
        if child.quasi_identifiers:
            own = find_kinds(replace(child, limits=config.limits), prefix=f"{name}.")
            found = found._replace(kinds={**found.kinds, **own.kinds}, notes=[*found.notes, *own.notes])
    return found


def read_figures(
    store: Store, columns: Mapping[str, FromClause], usual: Figures, *, guesses: bool
) -> tuple[Figures | None, list[str]]:
    """Return the one way in which all columns of numbers write them, if it is not the usual one, and what to say of it.

    Parameters
    ----------
    columns : mapping of str to FromClause
        ``text``: the distinct texts of each column of which nobody says what it holds, by its name.
    usual : Figures
        How the input is said to write numbers.
    guesses : bool
        Whether nobody says it; otherwise it is only told which columns would be numbers in another way.
    """
    figures, note = _find_number_notation(store, columns) if guesses else (None, "")
    if figures is not None:
        return figures, [note]
    notes = [format_figures_note(store, name, texts, usual) for name, texts in columns.items()]
    return None, [note for note in notes if note is not None]


def _find_number_notation(store: Store, columns: Mapping[str, FromClause]) -> tuple[Figures | None, str]:
    """Return the one way in which all columns of numbers write them, if it is not the usual one, and the note on it."""
    ways = {each: find_other_figures(store, texts) for each, texts in columns.items()}
    unusual = [each for each, its in ways.items() if its]
    if not unusual:
        return None, ""

    def is_number(texts: FromClause, figures: Figures) -> bool:
        return not store.scalar(select(count_where(is_no_number(texts.c.text, figures))))

    numbers = [texts for each, texts in columns.items() if ways[each] or is_number(texts, PLAIN)]
    fitting = [
        way
        for way in dict.fromkeys(way for its in ways.values() for way in its)
        if all(is_number(texts, way) for texts in numbers)
    ]
    if len(fitting) != 1:
        return None, ""
    have = "has" if len(unusual) == 1 else "have"
    note = (
        f"{format_columns(unusual)} {have} numbers with {list_figure_marks(fitting[0])}, so that all "
        f"numbers of the input are read so, as with {format_figures_setting(fitting[0])}."
    )
    return fitting[0], note


def _is_open(attribute: Attribute) -> bool:
    """Return whether an option declares a column, and nothing says what it holds."""
    says_nothing = attribute.kind is None and attribute.hierarchy is None and attribute.categories is None
    return says_nothing and attribute.column.line == 0


def _find_column_key(attribute: Attribute) -> str:
    column = attribute.column
    return str(column.index) if column.index is not None else str(column.name)


def _find_distinct_texts(store: Store, attribute: Attribute, sample: FromClause, name: str, config: Config) -> Table:
    """Return the distinct texts of a column that are there."""
    text = sample.c[name]
    present = and_(text.is_not(None), not_(MissingValues.of(config).test(attribute, text)))
    return store.create("looked_at_texts", select(text.label("text")).where(present).distinct())


def _find_kind(store: Store, attribute: Attribute, texts: Table, figures: Figures) -> tuple[str, str | None]:
    """Return what the values of a column are, and what is to be said of it."""
    # Its values alone are asked, not what is declared besides.
    bare = Attribute(column=attribute.column, kind=None)
    kind = find_nature(store, bare, texts, TypeHints(figures=figures)).kind
    if kind == "number" or (unit := find_date_kind(store, texts)) is None:
        return kind, None
    dates = find_calendar(store, bare, texts, unit, zone=None, is_typed=False)
    return f"{unit} {dates.calendar.format or ''}".strip(), dates.note


# The configuration of a command line: a file with options, or options alone, and saving it.

_SHOWN = 30
"""Columns that a message names."""


def read_command_configuration(
    path: Path | None, overrides: Overrides, declarations: Declarations, faults: Sequence[Fault] = ()
) -> Config:
    """Read what a command line asks for.

    Parameters
    ----------
    path : Path, optional
        The configuration; None: the options say everything. Then the input has a header, its separator is guessed, and
        columns that are not declared are a fault, unless an option says otherwise.
    faults : sequence of Fault, optional
        What is wrong with the options already.

    Raises
    ------
    ConfigurationError
        With all that is wrong.
    """
    # Nothing else needs lxml, which takes long to import.
    from toolbox.config.reading.reader import read_config

    if path is None and overrides.recoding is None:
        overrides = overrides.say(header=overrides.header or "true", undeclared=overrides.undeclared or "fail")
    methods, models = collect_method_facts(), collect_model_facts()
    read = partial(read_config, path, methods=methods, models=models)
    try:
        config = read(overrides=overrides, declarations=declarations, faults=faults)
    except ConfigurationError as error:
        raise _add_input_columns(error, overrides) from None
    found = FoundKinds({})
    if path is None or declarations:
        is_said = path is not None or overrides.decimal is not None or overrides.thousands is not None
        with LocalCopies(config) as copies:
            known = copies.config
            if path is None:
                known, overrides = _guess_separator(known, overrides, declarations)
            found = _find_all_kinds(known, finds_figures=not is_said)
        if known.input is not None and config.input is not None:
            config = replace(config, input=replace(known.input, path=config.input.path, more=config.input.more))
    if found.kinds:
        # What was found is said like all else, so that a saved configuration says it too.
        declarations = replace(declarations, kinds={**found.kinds, **declarations.kinds})
        if found.figures is not None:
            marks = found.figures
            overrides = overrides.say(decimal=marks.decimal, thousands=marks.thousands or None)
        again = read(overrides=overrides, declarations=declarations)
        source = config.input
        if source is not None and again.input is not None:
            source = replace(source, decimal=again.input.decimal, thousands=again.input.thousands)
        config = replace(again, input=source, warnings=(*again.warnings, *found.notes))
    return config if overrides.save_config is None else _build_saved_configuration(config, overrides, declarations)


def _guess_separator(config: Config, overrides: Overrides, declarations: Declarations) -> tuple[Config, Overrides]:
    """Choose the separator with which the input has most of the columns, if nothing names it."""
    source = config.input
    if source is None or source.remote is not None or not source.guesses_separator:
        return config, overrides
    names = [*declarations.person, *declarations.identifiers, *declarations.quasi_identifiers, *declarations.sensitive]
    names += declarations.treatments
    with suppress(ToolboxError, OSError, ValueError):  # which the run reports
        fitting = guess_input(source, names) if source.header else find_separator(config).input
        config = replace(config, input=fitting)
    known = config.input
    if known is None or known.guesses_separator or has_types(list_input_files(known)[0]):
        return config, overrides
    return config, overrides.say(separator=known.separator)


def _build_saved_configuration(config: Config, overrides: Overrides, declarations: Declarations) -> Config:
    """Return the configuration with the text that is to be saved, which was read again and says the same."""
    from toolbox.config.editing.saving import OF_ONE_RUN, Saving, list_differences, require_replaceable
    from toolbox.config.reading.reader import read_config

    target = config.output.configuration
    assert target is not None
    require_replaceable(target)
    methods, models = collect_method_facts(), collect_model_facts()
    method = overrides.method
    facts = (
        methods[method.strip() if ":" in method else method.strip().lower()]
        if method
        else methods.get(config.method.lower())
    )
    saving = Saving(config, target, overrides, models, declarations, facts)
    text = saving.text()
    beside = Overrides(**{name: getattr(overrides, name) for name in OF_ONE_RUN})
    if not saving.is_installed:
        beside = beside.say(method=method, settings=overrides.settings)
    again = read_config(target, text=text, overrides=beside, methods=methods, models=models)
    if differing := list_differences(config, again):
        fault = Fault(0, f"The file would not say the same of {', '.join(differing)}.", "Leave out --save-config.")
        raise ConfigurationError("--save-config", [fault])
    return replace(config, saved=text)


def _add_input_columns(error: ConfigurationError, overrides: Overrides) -> ConfigurationError:
    """Return the error with the columns of the input, where nobody has said which of them may be known."""
    from toolbox.config.reading.reader import NO_QUASI_IDENTIFIERS

    if not any(fault.found == NO_QUASI_IDENTIFIERS for fault in error.faults):
        return error
    paths = [Path(given.text) for given in overrides.list_given("input")]
    has_header = overrides.header is not None and overrides.header.lower() in ("true", "yes", "1")
    names = read_header(paths, separator=overrides.separator, encoding=overrides.encoding) if has_header else ()
    has = f" The columns are {format_columns(names, most=_SHOWN)}." if names else ""
    faults = [
        replace(fault, remedy=f"{fault.remedy}{has}") if fault.found == NO_QUASI_IDENTIFIERS else fault
        for fault in error.faults
    ]
    return ConfigurationError(error.args[0], faults)


# Objects of stores, and tables of a lake, that are read where no run is made.


class _ReadCopies:
    """Copies of whatever is read within a block, each fetched once."""

    def __init__(self, limits: Limits, stack: ExitStack) -> None:
        self._limits, self._stack = limits, stack
        self._known: dict[tuple[Path, ...], LocalCopies] = {}

    def localise(self, source: Input) -> Input:
        names = source.names
        if names not in self._known:
            if not any(map(needs_copy, names)):
                return source
            copies = LocalCopies.of_files(names, self._limits)
            # What is read of the copies is no object any more.
            token = COPIES.set(None)
            try:
                self._known[names] = self._stack.enter_context(copies)
            finally:
                COPIES.reset(token)
        first, *more = self._known[names].files
        return replace(source, path=first, more=tuple(more))

    def name_objects(self, text: str) -> str:
        for copies in self._known.values():
            text = copies.name_objects(text)
        return text


@contextmanager
def read_objects(limits: Limits) -> Iterator[None]:
    """Let all that is read within a block be objects of stores, or tables of a lake.

    Raises
    ------
    UsageError
        If nobody has allowed the network, and one is read.
    """
    with ExitStack() as stack:
        stack.enter_context(LocalCopies.kept())
        token = COPIES.set(_ReadCopies(limits, stack))
        try:
            yield
        finally:
            COPIES.reset(token)


# Texts that stand for missing values, where an engine holds no text in which it could find them.

_WORDS = {"nan", "inf", "infinity", "true", "false"}
"""Texts of numbers and flags without a digit."""


def require_matchable_missing(config: Config, layout: Layout, schema: pa.Schema, name: str) -> None:
    """Stop where a missing value that an engine must find may be written as a number, a date or a flag.

    An engine leaves out the records that lack a sensitive value; by person it also looks for those that lack another.
    In columns that hold no texts it knows null alone.

    Raises
    ------
    UsageError
    """
    missing = MissingValues.of(config)
    mark = missing.mark
    if not any(map(str.isdigit, mark)) and mark.lower().lstrip("+-") not in _WORDS:
        return
    sought: list[tuple[Attribute, int]] = []
    if missing.policy != "keep":
        sought += zip(config.sensitive, layout.sensitive, strict=True)
    if config.person:
        places = zip(config.identifiers, layout.identifiers, strict=False)
        sought += [(Attribute(column=column, kind=None), place) for column, place in places if column in config.person]
        sought += (
            [] if missing.policy == "keep" else zip(config.quasi_identifiers, layout.quasi_identifiers, strict=True)
        )
    typed = [
        layout.names[position]
        for attribute, position in sought
        if missing.mark in missing.marks(attribute) and not _holds_texts(schema, position)
    ]
    if typed:
        raise UsageError(
            f"missing={quote(missing.mark)} marks values of {format_columns(typed)} as missing, but {name} holds no "
            "texts there, and an engine only finds null. Let a query or a view make these values null."
        )


def _holds_texts(schema: pa.Schema, position: int) -> bool:
    from pyarrow import types

    held = schema.field(position).type
    held = held.value_type if types.is_dictionary(held) else held
    return bool(types.is_string(held) or types.is_large_string(held) or types.is_string_view(held))
