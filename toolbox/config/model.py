"""A configuration as frozen dataclasses: what the XML file and the command line say, checked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Self

from toolbox.config.formats import FORMATS, GEN_VALS, OUR_OWN, Compatibility, FormatName, ReleaseFormat

if TYPE_CHECKING:
    from toolbox.config.reading.recoding import SavedRecoding
    from toolbox.hierarchy.builders.builder import Builder, Other
    from toolbox.hierarchy.date_formats import Period
    from toolbox.hierarchy.hierarchy import Hierarchy, Interval

Kind = Literal["number", "category", "date", "timestamp"]
OnMissing = Literal["skip", "fail", "keep"]
Suppressed = Literal["keep", "drop"]
Order = Literal["input", "shuffled", "sorted"]
InputDigest = Literal["plain", "keyed", "none"]
Statistics = Literal["exact", "rounded"]
ReportKind = Literal["internal", "public"]
"""Of the page for people: for those who may know all, or for everybody, of what the release tells."""
Undeclared = Literal["pass", "drop", "fail"]
Attacker = Literal["rows", "profile"]
Parameter = Literal["k", "l", "t", "distinct l"]

DEFAULT_MISSING = "?"
DEFAULT_K = 10
DEFAULT_L = 10.0
DEFAULT_T = 0.2
"""What a run and a comparison require where nothing says k, l or t."""
_REJECTS_ALLOWED = 10
"""Lines that may be left out of any input, unless it says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of the input, named by its position, by its header, or both."""

    index: int | None
    """Position from 0; None if the column is named by its header."""
    name: str | None
    """Header that finds the column when there is no index; otherwise a name for messages and reports."""
    line: int = 0

    def __str__(self) -> str:
        return self.name if self.name is not None else f"column {self.index}"


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """A column with what is known of its values."""

    column: Column
    kind: Kind | None
    """Numbers, categories, dates or timestamps; None: what the input says of its columns, in plain text numbers."""
    format: str | None = None
    """How dates are written, such as ``%d.%m.%Y``; None: ISO 8601, or what all values fit."""
    categories: Mapping[str, int] | None = None
    """Code of each category, in hierarchy order; None for numbers, and for categories numbered from the data."""
    ordered: bool = False
    """Whether the codes are an order that means something, so that a range of them is a value: ``low..mid``."""
    hierarchy: Hierarchy | None = None
    listed: tuple[float, ...] | None = None
    """The only numbers that the hierarchy knows, ascending, if it came as a file; None: every number in its root."""
    builder: Builder | None = None
    """What makes the hierarchy, once the values are known."""
    other: Other = "error"
    """What becomes of values that the hierarchy does not know."""
    known: Interval | None = None
    """Where the values are that the hierarchy knows, once its root is wider than they are."""

    @property
    def has_hierarchy(self) -> bool:
        """Whether it has a hierarchy, or will have one when its values are known."""
        return self.hierarchy is not None or self.builder is not None


@dataclass(frozen=True, kw_only=True)
class QuasiIdentifier(Attribute):
    """A column that an attacker may know."""

    priority: int | None = None
    """Rank of importance, 1 the most important."""
    weight: float | None = None
    """Share in weighted information loss; positive."""
    periods: tuple[Period, ...] = ()
    """What it declares that dates are generalised to, the shortest first; then it holds dates."""
    usual_periods: tuple[Period, ...] = ()
    """Those of `Config.periods`, if it holds dates and declares no others."""
    min_level: int = 0
    """The lowest level that a release may have of it."""
    max_level: int | None = None
    """The highest, except for suppressed records; None: that of the root."""

    @property
    def date_periods(self) -> tuple[Period, ...]:
        """What its dates are generalised to, if it has no other hierarchy."""
        return self.periods or self.usual_periods

    @property
    def has_levels(self) -> bool:
        """Whether its levels are bounded."""
        return self.min_level > 0 or self.max_level is not None


@dataclass(frozen=True)
class Portion:
    """A number of lines or records: a count, or a percentage of all.

    Examples
    --------
    >>> Portion(Decimal(12)).of(300), Portion(Decimal("2.5"), is_percentage=True).of(300)
    (12, 7)
    """

    amount: Decimal
    is_percentage: bool = False

    def of(self, total: int) -> int:
        """Return the number, rounded down."""
        return int(self.amount * total / 100) if self.is_percentage else int(self.amount)

    def __int__(self) -> int:
        if self.is_percentage:
            raise ValueError("a percentage is no number of records until it is known of how many")
        return int(self.amount)

    def __bool__(self) -> bool:
        return bool(self.amount)

    def __str__(self) -> str:
        return f"{self.amount}%" if self.is_percentage else str(self.amount)


@dataclass(frozen=True, kw_only=True)
class Remote:
    """A table that is no file of this machine."""

    url: str = ""
    """Of a database, without a password; or of a folder that a cluster reads. Empty for a table of a cluster."""
    table: str | None = None
    """Such as ``public.people``."""
    query: str | None = None
    """A select, instead of a table."""
    format: str | None = None
    """Of the files of a folder; None: what their names say."""

    def __str__(self) -> str:
        return " ".join(part for part in (self.url, self.table or ("(query)" if self.query else "")) if part)

    @property
    def name(self) -> str:
        """The table, or the folder without those above it."""
        return self.table or self.url.rstrip("/").rpartition("/")[2]


@dataclass(frozen=True, kw_only=True)
class EngineChoice:
    """The engine in which the records stay."""

    name: str
    url: str
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, kw_only=True)
class Input:
    """Where the records come from and how their text is cut into values."""

    path: Path
    """A file, a folder of files, or a pattern such as ``part-*.csv`` if no file has that very name."""
    more: tuple[Path, ...] = ()
    """More of these, whose records follow."""
    separator: str = ","
    guesses_separator: bool = field(default=False, compare=False)
    """Whether nothing names the separator, so that another one is taken where a comma does not fit."""
    header: bool = False
    header_line: int = 1
    """Line of a text from which on it is read: a title may stand above the header."""
    encoding: str = "utf-8"
    missing: str = DEFAULT_MISSING
    """The text that stands for a missing value; an empty field is always one."""
    guesses_figures: bool = field(default=False, compare=False)
    """Whether nothing says how numbers are written, so that the columns tell it."""
    on_missing: OnMissing | None = None
    """What becomes of records that lack a declared value; None: nobody has said."""
    decimal: str = "."
    """What stands before the decimals of numbers."""
    thousands: str = ""
    """What stands between their thousands; empty: nothing."""
    max_rejects: Portion | None = None
    """Most lines that may be left out because they do not fit; None: one in a hundred, and at least ten."""
    remote: Remote | None = None
    """The table, if it is no file; then the path only tells what it is called."""
    table: str | None = None
    """The sheet or the table to read, where a file holds several; None: the only one."""

    def reject_limit(self, lines: int) -> int:
        """Return how many of the lines may be rejected."""
        return max(_REJECTS_ALLOWED, lines // 100) if self.max_rejects is None else self.max_rejects.of(lines)

    def copy_for_table(self, path: Path) -> Self:
        """Return how a table of the same kind of records is read, whose separator may be another one."""
        return replace(self, path=path, more=(), remote=None, table=None, header_line=1, guesses_separator=True)

    @property
    def names(self) -> tuple[Path, ...]:
        """All files and folders that are named, in the order of the records."""
        return (self.path, *self.more)


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where the release goes, and in which format."""

    path: Path | None
    format: type[ReleaseFormat] = field(default_factory=lambda: FORMATS[GEN_VALS])
    separator: str | None = None
    """None: that of the input, or a comma."""
    suppressed: Suppressed = "keep"
    rejects: Path | None = None
    """File that keeps the lines which could not be read."""
    report: Path | None = None
    html: Path | None = None
    """The report as a page for people."""
    codebook: Path | None = None
    """File that says of each column of the release what it is, and what is not true any more."""
    configuration: Path | None = None
    """File that gets the configuration by which a run does the same again."""
    input_digest: InputDigest = "none"
    """Which checksum of the input the summary tells: SHA-256, one with the user's key, or none."""
    recoding: Path | None = None
    """File that gets the recoding, to be applied to other tables."""
    command: str | None = None
    """The command line that asks for the run, for that page."""
    lattice: Path | None = None
    """The file of all nodes of a lattice that is searched: a list, or if it ends in ``.svg`` a picture."""
    split_size: int | None = None
    """Size in bytes of the files into which each table of the release is split; None: one file."""
    order: Order = "input"
    """Of the records, where the format leaves a choice: that of the input, a random one, or by the released values."""
    statistics: Statistics = "exact"
    """Of the classes in genValsDist: as they are, or so coarse that several multisets of values have them."""
    partition_by: tuple[str, ...] | None = None
    """Columns for whose values the release has files of their own, in a folder of the name of the release."""
    escapes_formulas: bool = False
    """Whether an apostrophe goes before a cell of delimited text that a spreadsheet would run."""
    remote: Remote | None = None
    """The table to make, if it is no file; then there is no path."""
    replaces: bool = False
    """Whether such a table may replace one that is there."""

    def in_format(self, name: FormatName = GEN_VALS) -> Self:
        """Return the same, with a release in another format."""
        return replace(self, format=FORMATS[name])


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a run may use of the machine."""

    memory: str | None = None
    """Such as ``2GB``; None: what DuckDB takes by default, four fifths of the machine's."""
    threads: int | None = None
    store: Path | None = None
    """File in which the tables are kept after the run; None: a temporary one."""
    temp_dir: Path | None = None
    """Folder for temporary files; None: beside the release."""
    lock_timeout: float = 30.0
    """Most seconds to wait for another run that is releasing into the same folder."""
    network: bool = False
    """Whether objects of stores may be fetched and stored: ``s3://``, ``gs://`` and ``az://``."""


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """A privacy model that every class of the release must satisfy."""

    model: str
    """Its name, as it is registered."""
    attribute: str | None = None
    """The sensitive attribute that it protects; None if it protects the identity alone."""
    parameters: Mapping[str, float | str]
    line: int = 0


@dataclass(frozen=True, kw_only=True)
class Config:
    """All that one run needs to know."""

    source: str
    """What messages call it: the path of the XML file, or the call that made it."""
    path: Path | None
    method: str = "Mondrian"
    """Name of the method as it is registered."""
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The method's own settings, as text, such as ``dimension``."""
    recoding: SavedRecoding | None = None
    """How an earlier run has generalised, to be applied here: then no method searches."""
    others: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What is said of settings that have no field here, by their names."""
    k: int = DEFAULT_K
    """The smallest class that is asked for, in records."""
    requirements: tuple[Requirement, ...] = ()
    """What every class must satisfy; empty if the caller gives privacy models as objects."""
    parameters_left_out: tuple[str, ...] = ()
    """Sentences on what was given and is not required, under compatibility with the toolbox of 2010."""
    rows_are_people: bool = False
    """Whether somebody says that each record is a person of its own, whatever its identifiers are."""
    attacker: Attacker | None = None
    """Whether somebody sees each row by itself, or all rows of a person side by side: her profile; None: as what is
    released tells."""
    suppression_threshold: int | Portion | None = None
    """Most records that may be suppressed, or most of a hundred; None: k."""
    seed: int | None = None
    """Makes what is random reproducible; None: the operating system's randomness."""
    compatibility: Compatibility = OUR_OWN
    """Whether it writes what the toolbox of 2010 wrote, byte for byte, without its bugs."""
    undeclared: Undeclared = "pass"
    """Whether columns that are not declared are released as they are, left out, or a fault."""
    engine: EngineChoice | None = None
    """Where the records stay; None: they are read here."""
    input: Input | None
    """None if the records come as a table of the caller."""
    population: Input | None = None
    """All people who could be in it, for models that compare with them."""
    earlier: tuple[Any, ...] = ()
    """Earlier releases, paths or tables of a caller, which readers of the new one may hold as well."""
    output: Output
    limits: Limits = Limits()
    identifiers: tuple[Column, ...] = ()
    """The columns that are dropped, with those of the person."""
    person: tuple[Column, ...] = ()
    """Those of them that tell persons apart, or households, whom classes count then; empty: each record is one."""
    quasi_identifiers: tuple[QuasiIdentifier, ...]
    sensitive: tuple[Attribute, ...] = ()
    treated: tuple[tuple[Column, str], ...] = ()
    """Columns that are released record by record, each with its treatment as users write it, such as ``round:1000``:
    identifiers among them, which are not dropped then, and columns that nothing else declares."""
    child_tables: Mapping[str, Config] = field(default_factory=lambda: MappingProxyType({}))
    """Tables with rows of the same persons, by their names, which are released with this one or not at all; the person
    of each is its key."""
    periods: tuple[Period, ...] = ()
    """What dates are generalised to where nothing else is said: of methods that climb hierarchies."""
    is_of_2010: bool = field(default=False, compare=False)
    """Whether it is a file that says nothing which the toolbox of 2010 did not know, and no option chooses an order."""
    saved: bytes | None = field(default=None, compare=False, repr=False)
    """The configuration that does the same, where it is to be written: to `Output.configuration`."""
    warnings: tuple[str, ...] = ()
    """What a reader noticed and went on, such as leaves that share a boundary."""

    @property
    def release_separator(self) -> str:
        """What stands between the values of a release that is delimited text."""
        return self.output.separator or (self.input.separator if self.input else ",")

    @property
    def work_folder(self) -> Path | None:
        """The folder for temporary files; None: that of the system."""
        return self.limits.temp_dir or (self.output.path.parent if self.output.path else None)

    @property
    def written_paths(self) -> tuple[Path, ...]:
        """The files of a run; a format of several tables writes them in the place of the first."""
        output = self.output
        beside = (output.rejects, output.report, output.html, output.codebook, output.lattice, output.configuration)
        others = (child.output.path for child in self.child_tables.values())
        paths = (output.path, *others, *beside, output.recoding, self.limits.store)
        return tuple(path for path in paths if path is not None)

    @property
    def column_names(self) -> frozenset[str]:
        """Names of all declared columns that have one."""
        columns = [
            *self.identifiers,
            *(attribute.column for attribute in (*self.quasi_identifiers, *self.sensitive)),
            *(column for column, _ in self.treated),
        ]
        return frozenset(column.name for column in columns if column.name is not None)


@dataclass(frozen=True, kw_only=True)
class MethodFacts:
    """What a configuration must know of a method before it runs; the registry of methods supplies it."""

    name: str
    full_domain: bool
    """Whether it needs, of every quasi-identifier, a hierarchy with all leaves at one depth."""
    settings: Mapping[str, tuple[str, ...]]
    """Its own settings, each with the words allowed; an empty tuple allows any text."""
    checks: Mapping[str, Callable[[str], object]] = field(default_factory=lambda: MappingProxyType({}))
    """Of a setting that is no word: what raises `BadValueError` where its text is wrong."""
    parameter: Parameter = "k"
    """Which of the original parameters goes with it."""
    climbs: bool = False
    """Whether it generalises by the levels of hierarchies, so that dates need one."""
    bounds_levels: bool = False
    """Whether it keeps each column between two levels where these are declared."""
    only_format: FormatName | None = None
    """The only format of its releases; None: any."""


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """What a configuration must know of a privacy model; the registry of models supplies it."""

    name: str
    needs_attribute: bool
    """Whether it protects a sensitive attribute."""
    parameters: Mapping[str, type[int] | type[float] | type[str]]
    """Its own parameters, each with the type of its values."""
    needed: tuple[str, ...]
    """Those parameters that have no default."""
    check: Callable[[Requirement], None]
    """Raises `SettingError` for a parameter that is out of range."""
    k_is_class_size: bool = False
    """Whether its parameter ``k`` is the size of the smallest class."""
    asked_as: tuple[str, str] | None = None
    """The name of another model, and a parameter with which it means this one."""


def find_model_facts(models: Mapping[str, ModelFacts], name: str, given: Collection[str]) -> ModelFacts | None:
    """Find a model by its name; a parameter may show that another one is meant, as ``any`` of k-anonymity does.

    Parameters
    ----------
    models : mapping of str to ModelFacts
        By their names in lower case.
    given : collection of str
        The parameters that are given.
    """
    found = models.get(name.strip().lower())
    if found is None:
        return None
    asked = ((facts, facts.asked_as) for facts in models.values() if facts.asked_as is not None)
    meant = (facts for facts, (other, parameter) in asked if other == found.name and parameter in given)
    return next(meant, found)


# The levels between which a release must keep a quasi-identifier.


def find_levels_fault(attribute: QuasiIdentifier, height: int | None = None) -> tuple[str, str] | None:
    """Return what is wrong with the levels of a column, and what to do; None if nothing is.

    Parameters
    ----------
    height : int, optional
        The level of its root, where no declared hierarchy says it.
    """
    low, high = attribute.min_level, attribute.max_level
    if attribute.hierarchy is not None:
        height = attribute.hierarchy.height
    if high is not None and low > high:
        return f"{attribute.column} has {low} for its lowest level, and {high} for its highest.", "Exchange them."
    most = max(low, high or 0)
    if height is not None and most > height:
        problem = f"{attribute.column} has no level {most}: the root of its hierarchy is level {height}."
        return problem, f"Write a level from 0 to {height}."
    return None
