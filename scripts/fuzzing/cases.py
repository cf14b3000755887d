"""From a seed to a case: files, a command line, and what the judge may know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from xml.sax.saxutils import quoteattr

from fuzzing.columns import Column, draw_columns, draw_records
from fuzzing.commands import SAVED, can_be_saved, command_of, is_sayable
from fuzzing.damage import damaged
from fuzzing.dialects import Dialect, Line, Writer, draw_dialect, packed
from fuzzing.draw import Draw
from fuzzing.options import FULL_DOMAIN, ONE_SENSITIVE, Options, draw_method, draw_options, root_text
from fuzzing.parquet import parquet_of
from fuzzing.published import draw_published

CONFIGURATION = "config.xml"


@dataclass(frozen=True)
class Told:
    """What the judge of a run knows of its input."""

    columns: tuple[Column, ...]
    options: Options
    dialect: Dialect | None
    """None for Parquet."""
    inputs: tuple[str, ...]
    """Names of the files, in the order of their records."""
    lines: tuple[Line, ...] | None
    """What they hold; None if they are damaged, so that the judge must read them himself."""
    before: tuple[Line, ...] = ()
    """What a Parquet file held before it was damaged; nothing if it is not."""


@dataclass(frozen=True)
class Case:
    """A folder, and what is run in it."""

    seed: int
    files: Mapping[str, bytes]
    folders: tuple[str, ...]
    arguments: tuple[str, ...]
    wrongs: tuple[str, ...]
    """All that is wrong on purpose; nothing else may make the toolbox refuse it."""
    told: Told | None = None
    """None if there is no judge for what it makes."""
    follow_up: tuple[str, ...] = ()
    """A second command line, run if the first one made a release, which must succeed."""
    is_repeated: bool = False
    """Whether to run it twice, and expect the same bytes."""
    declared: frozenset[str] = frozenset()
    """Names of files that it may write, besides the release."""
    cells: int = 0
    """How many cells a study has, each of which can be done; 0 if nobody knows."""


@dataclass
class _Input:
    """The files of an input, and the XML that names them."""

    xml: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    lines: list[Line] | None = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    dialect: Dialect | None = None
    before: tuple[Line, ...] = ()
    """What a Parquet file held before it was damaged."""


def draw_case(seed: int) -> Case:
    """Draw a case; the same seed draws the same one."""
    draw = Draw(seed)
    if draw.chance(0.3):
        files, arguments = draw_published(draw)
        return Case(seed, files, (), tuple(arguments), tuple(draw.wrongs))
    method = draw_method(draw)
    dialect = draw_dialect(draw)
    is_parquet = draw.chance(0.12)
    encoding = "utf-8" if is_parquet else dialect.encoding
    columns = draw_columns(
        draw, encoding=encoding, needs_hierarchies=method in FULL_DOMAIN, needs_sensitive=method in ONE_SENSITIVE
    )
    options = draw_options(draw, method, columns)
    records = draw_records(draw, columns, options.missing)
    input_ = _parquet(draw, columns, records) if is_parquet else _text(draw, dialect, columns, records)
    return _assembled(draw, seed, columns, options, input_)


def _text(draw: Draw, dialect: Dialect, columns: Sequence[Column], records: Sequence[Sequence[str | None]]) -> _Input:
    """Write the records into one file, or several."""
    input_ = _Input(dialect=dialect)
    writer = Writer(draw, dialect)
    parts = _parts(draw, records)
    names = [f"in{index}.csv" for index, _ in enumerate(parts)] if len(parts) > 1 else ["in.csv"]
    is_damaged = draw.wrong("a damaged input", 0.25)
    victim = draw.choice(names)
    lines: list[Line] = []
    for name, part in zip(names, parts, strict=True):
        data, ends = writer.write([column.name for column in columns], part)
        lines += ends
        if is_damaged and name == victim and draw.chance(0.7):
            data = packed(draw, damaged(draw, data))
        else:
            data = packed(draw, data)
            data = damaged(draw, data) if is_damaged and name == victim else data
        input_.files[name] = data
    input_.names = names
    input_.lines = None if is_damaged else lines
    encoding = dialect.encoding
    if draw.wrong("another encoding than the declared one", 0.05):
        encoding = draw.choice(("utf-8", "ascii", "utf-16", "latin-1", "nonsense", "base64"))
        input_.dialect, input_.lines = replace(dialect, encoding=encoding), None
    # XML knows no control characters.
    written = dialect.separator if dialect.separator.isprintable() or dialect.separator == "\t" else ","
    attributes = f"separator={quoteattr(written)} header='{str(dialect.header).lower()}'"
    if encoding != "utf-8":
        attributes += f" encoding='{encoding}'"
    input_.xml = _named(draw, names, attributes)
    return input_


def _parts(draw: Draw, records: Sequence[Sequence[str | None]]) -> list[Sequence[Sequence[str | None]]]:
    if len(records) < 3 or not draw.chance(0.15):
        return [records]
    first, second = sorted(draw.some(range(1, len(records)), 2))
    return [records[:first], records[first:second], records[second:]]


def _named(draw: Draw, names: Sequence[str], attributes: str) -> str:
    """Write the names of the files in one of the possible ways."""
    if len(names) == 1:
        return f"<input filename='{names[0]}' {attributes}%s/>"
    if draw.chance(0.5):
        return f"<input filename='in*.csv' {attributes}%s/>"
    return f"<input {attributes}%s>" + "".join(f"<file name='{name}'/>" for name in names) + "</input>"


def _parquet(draw: Draw, columns: Sequence[Column], records: Sequence[Sequence[str | None]]) -> _Input:
    data = parquet_of(draw, columns, records)
    lines = [Line("record", tuple(cells)) for cells in records]
    name, xml = "in.parquet", "<input filename='in.parquet'%s/>"
    if draw.wrong("a damaged Parquet file", 0.3):
        return _Input(xml, {name: damaged(draw, data)}, None, [name], before=tuple(lines))
    return _Input(xml, {name: data}, lines, [name])


def _assembled(draw: Draw, seed: int, columns: tuple[Column, ...], options: Options, input_: _Input) -> Case:
    files = dict(input_.files)
    for column in columns:
        files |= column.generalisations.files
    is_command = draw.chance(0.3) and is_sayable(columns, options, input_.dialect)
    if not is_command:
        files[CONFIGURATION] = _damaged_or_not(draw, _configuration(draw, columns, options, input_))
    if draw.chance(0.25):
        files[options.output] = b"an older release\n"
    folders = ("temporary",) if "temporary" in options.arguments else ()
    command = command_of(columns, options, input_.dialect, input_.names) if is_command else ["-config", CONFIGURATION]
    arguments = [*command, "--json", *options.arguments]
    if not is_command and input_.dialect is not None and input_.dialect.separator == "\x1e":
        arguments += ["-separator", input_.dialect.separator]
    lines = None if input_.lines is None else tuple(input_.lines)
    told = Told(columns, options, input_.dialect, tuple(input_.names), lines, input_.before)
    if draw.chance(0.03):
        # What was written in 2010 had rules of its own, for which other tests have a judge.
        arguments += ["--compatibility", "utd"]
        draw.wrongs.append("the rules of 2010")
    follow_up: tuple[str, ...] = ()
    declared = frozenset(options.declared)
    if is_command and can_be_saved(options, input_.dialect, columns) and draw.chance(0.5):
        # What was saved makes the same release, byte for byte, so that no file changes.
        arguments += ["--save-config", SAVED]
        declared, follow_up = declared | {SAVED}, ("-config", SAVED, "--json")
    elif (
        not is_command
        and draw.chance(0.15)
        and options.format == "genVals"
        and {"-separator", "-k", "--split-size"}.isdisjoint(arguments)
        and not options.split
    ):
        follow_up = (draw.choice(("check", "measure", "risk")), "-config", CONFIGURATION, "--json")
    is_repeated = draw.chance(0.05) and (options.format != "anatomy" or options.seed is not None)
    wrongs = tuple(draw.wrongs)
    if "utd" in arguments:
        return Case(seed, files, folders, tuple(arguments), wrongs, declared=declared)
    return Case(seed, files, folders, tuple(arguments), wrongs, told, follow_up, is_repeated, declared)


def _damaged_or_not(draw: Draw, configuration: str) -> bytes:
    data = configuration.encode("utf-8", "surrogatepass")
    return damaged(draw, data) if draw.wrong("a damaged configuration", 0.06) else data


def _configuration(draw: Draw, columns: Sequence[Column], options: Options, input_: _Input) -> str:
    names = [column.name for column in columns]
    has_names = input_.dialect is None or input_.dialect.header
    has_ranks = draw.chance(0.2)
    lists = {"id": "", "qid": "", "sens": ""}
    for index, column in enumerate(columns):
        if column.role == "other":
            continue
        is_nameable = has_names and names.count(column.name) == 1 and column.name.strip() and column.role != "sens"
        by_name = is_nameable and draw.chance(0.5)
        name = f"name={quoteattr(column.name)}" if by_name else f"index='{index}'"
        rank = f" priority='{index + 1}' weight='{index + 0.5}'" if column.role == "qid" and has_ranks else ""
        kind = "" if column.role == "id" or "<map>" in column.generalisations.xml else f" type='{column.kind}'"
        lists[column.role] += f"<att {name}{kind}{rank}>{column.generalisations.xml}</att>"
    more = f" missing={quoteattr(options.missing)} onMissing='{options.on_missing}'"
    output = f"<output filename='{options.output}' format='{options.format}' order='input'"
    if options.separator:
        output += f" separator={quoteattr(options.separator)}"
    if options.split:
        output += f" splitSize='{draw.choice(('300B', '1KB', '2KB')).replace('300B', '1KB')}'"
    if options.suppressed == "drop":
        options.root["suppressed"] = "drop"
    return (
        f"<config {root_text(options)}>{input_.xml % more}{output}/>"
        + "".join(f"<{name}>{elements}</{name}>" for name, elements in lists.items())
        + options.models
        + "</config>"
    )
