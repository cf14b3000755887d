"""The columns that leave, and what is done to the values of each, with a promise that is recounted on the release."""

from __future__ import annotations

import csv
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from sqlalchemy import BigInteger, FromClause, String, Text, case, cast, extract, func, or_, select, true
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.types import NullType, UserDefinedType

from toolbox.errors import ProofError, UsageError, did_you_mean, quote
from toolbox.extensions import Registry
from toolbox.hierarchy.date_formats import find_unknown_directive
from toolbox.messages import format_count, name_column
from toolbox.queries.cells import escape_name, escape_text, match_formula, remove_escape
from toolbox.queries.dialect import Query, parse_iso_moment, parse_moment
from toolbox.queries.scales import PLAIN, Figures

if TYPE_CHECKING:
    from pyspark.sql import Column


# What a treatment is told: by whoever names it, and by the run.


PERSON_KEY: Final = "person_key"
"""The column of the records that tells persons apart, for treatments that must know them: a hash with a secret."""

PERSON_DRAW: Final = "person_draw"
"""The column of the records with a number from 0 to below 1 that the key file makes of the person: the same in all
releases of a domain."""


@dataclass(frozen=True)
class TreatmentSetting:
    """One setting of a treatment, as users write it behind the name: ``round:1000`` or ``round:base=1000``."""

    name: str
    read: Callable[[str], Any]
    """Makes its value of a text, or raises ``ValueError``."""
    wanted: str
    """What to write, for messages: ``a number above 0, such as 1000``."""
    is_needed: bool = True

    @classmethod
    def of_date_format(cls) -> Self:
        """Return the setting of how dates are written."""
        return cls("format", _read_date_format, "how dates are written, such as %d.%m.%Y", is_needed=False)


def _read_date_format(text: str) -> str:
    if "%" not in text or find_unknown_directive(text) is not None:
        raise ValueError(text)
    return text


@dataclass(frozen=True)
class RunFacts:
    """What a treatment must know of the run."""

    missing: tuple[str, ...] = ("",)
    """The texts of a missing value, which stays as it is."""
    figures: Figures = PLAIN
    """How the input writes its numbers."""
    k: int = 1
    """The smallest group of records, or of persons, in which anybody hides."""
    persons: tuple[int, ...] = ()
    """The places of the columns that tell persons apart; empty: each record is a person."""
    secret: str = ""
    """Makes what is random; of a run with a seed, always the same."""
    place: int = -1
    """The place of the column in the input."""
    kind: object = None
    """What the input says that the column holds, such as ``number`` or ``date``; None: its values are texts."""

    @property
    def is_typed(self) -> bool:
        """Whether the input says the type of the column, so that its values are no texts."""
        return self.kind is not None

    @classmethod
    def of_notation(cls, missing: str, decimal: str, thousands: str) -> Self:
        """Return what is known of a table before any run: how it writes missing values and numbers."""
        return cls(missing=tuple(dict.fromkeys(("", missing))), figures=Figures(decimal, thousands))

    def at(self, place: int, kinds: Sequence[object]) -> RunFacts:
        """Return what the treatment of one column must know, of an input that says these kinds of its columns."""
        return replace(self, place=place, kind=kinds[place])


# What is done to the values of a column, in each place where a release is made.


class Treatment(ABC):
    """What is done to the values of a column that is released record by record.

    The store writes `treat`, which is also what a caller of Python gets back: as Arrow, and as what Arrow becomes. An
    engine that writes the release itself has an expression of its own, or refuses.

    What is promised is recounted on the finished release, before anything is placed. See `count_broken`.
    """

    name: ClassVar[str]
    """As users write it, and that of its entry point."""
    words: ClassVar[str]
    """What it does to a column, for people who choose one."""
    promise: ClassVar[str]
    """What is recounted, as a sentence of a message goes on after "that"."""
    releases: ClassVar[bool] = True
    """Whether the column is in the release at all."""
    changes: ClassVar[bool] = True
    """Whether any value may become another: one that stays is taken from where it was read, in its type."""
    keeps_type: ClassVar[bool] = False
    """Whether treated values have the type of the column; otherwise they are texts."""
    keeps_missing: ClassVar[bool] = True
    """Whether a missing value stays as it is, whatever the treatment does to others."""
    hides_identity: ClassVar[bool] = False
    """Whether an identifier may be released when it is treated so: nobody can be named by what remains."""
    joins_rows: ClassVar[bool] = False
    """Whether equal values stay equal and different ones different, so that all rows of a person can be joined."""
    is_true: ClassVar[bool] = True
    """Whether what is released is true, though less is told; otherwise reports say *not true*."""
    untrue: ClassVar[str] = ""
    """What does not hold any more of a treated column, as one sentence; empty: nothing is known."""
    needs_persons: ClassVar[bool] = False
    """Whether it must know which records are of one person, where persons are declared: by `PERSON_KEY`."""
    requires_person: ClassVar[bool] = False
    """Whether it does the same to all records of a person, by `PERSON_DRAW`, so that a person must be declared."""
    writes_plain: ClassVar[bool] = False
    """Whether what it writes needs quotes only where the value that was read needs them."""
    is_costly: ClassVar[bool] = False
    """Whether it takes long, so that equal values are better treated once when they are recounted."""
    needs_key: ClassVar[bool] = False
    """Whether it needs the key file."""
    makes_numbers: ClassVar[bool] = False
    """Whether what is made of a column of numbers is a double, whatever the type of the column."""
    measures: ClassVar[str] = ""
    """What reports call the figure of `measure`; empty: there is none."""
    kinds_in_engines: ClassVar[tuple[str, ...]] = ()
    """What a column must hold that an engine treats, as an engine reads no numbers and no dates from texts; empty: it
    does not matter."""
    settings: ClassVar[tuple[TreatmentSetting, ...]] = ()
    """What may stand behind the name, in this order."""
    facts: RunFacts = RunFacts()

    def told(self, facts: RunFacts) -> Self:
        """Return the same treatment that knows the run."""
        known = copy(self)
        object.__setattr__(known, "facts", facts)
        return known

    @abstractmethod
    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return what becomes of a value, in SQL of the store; null for one that the treatment cannot read."""

    def treat_record(self, value: ColumnElement[Any], record: FromClause) -> ColumnElement[Any]:
        """Return what becomes of a value of a record of the store; missing values stay where that is promised."""
        treated = self.treat_in(record, value) if self.by_record else self.treat(value)
        if not self.keeps_type:
            value, treated = cast(value, String), cast(treated, String)
        return case((self.is_missing(value), value), else_=treated) if self._spares_missing else treated

    def treat_in(self, record: FromClause, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return what becomes of a value of one record, for treatments that look at more than the value."""
        return self.treat(value)

    def prepare(self, records: FromClause, value: str) -> FromClause:
        """Return records with what is worked out once for each; ``value`` is the name of the column that is treated."""
        return records

    def is_missing(self, value: ColumnElement[Any]) -> ColumnElement[bool]:
        """Test for a value that is missing."""
        return or_(value.is_(None), cast(value, String).in_(self.facts.missing))

    @staticmethod
    def find_moment(value: ColumnElement[Any], date_format: str = "") -> ColumnElement[Any]:
        """Return the timestamp of a value of the years 1 to 9999; null if it is none."""
        text = cast(value, String)
        moment = parse_moment(text, date_format) if date_format else parse_iso_moment(text, zoned=False)
        return case((extract("year", moment).between(1, 9999), moment))

    @property
    def by_record(self) -> bool:
        """Whether what becomes of a value depends on its record, and not on the value alone."""
        return False

    @property
    def beside(self) -> tuple[str, ...]:
        """The columns of a record that it looks at beside the value."""
        return ("record_id",) if self.by_record else ()

    @property
    def writes_no_formulas(self) -> bool:
        """Whether the promise excludes what a spreadsheet would run, so that nobody need look for it."""
        return False

    @property
    def _spares_missing(self) -> bool:
        return self.changes and self.keeps_missing

    def treat_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return what becomes of a value that is not missing, in SQL of PostgreSQL; null for one that it cannot read.

        Where the treatment keeps the type, that is the type of the value.

        Raises
        ------
        UsageError
            If PostgreSQL cannot do it.
        """
        raise self._make_engine_error("PostgreSQL")

    def treat_in_spark(self, value: Column, functions: Any) -> Column:
        """Return what becomes of a value that is not missing, as an expression of Spark.

        ``functions`` are those of the session.

        Raises
        ------
        UsageError
            If Spark cannot do it.
        """
        raise self._make_engine_error("Spark")

    def treat_header(self, name: str) -> str:
        """Return how delimited text writes the name of a column of which all texts are treated."""
        return name

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        """Test whether a text of the release keeps the promise, whatever was read."""
        return true()

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Count the cells of a finished release that break the promise: one row, one number.

        By default each text must keep the promise by itself, and the texts must be those that the treatment makes of
        what was read, each as often. A treatment that promises more counts more.

        Parameters
        ----------
        read : FromClause
            ``value, size``: the values as they were read, and how many released records have each.
        shown : FromClause
            ``text, size``: the texts of the finished release, and how many of its records have each.
        """
        # What is treated is a column of its own first: the engine would work it out wherever it is named.
        read = self.prepare(read, "value")
        made = select(self.treat_record(read.c.value, read).label("made"), read.c.value, read.c.size).subquery()
        treated = select(self._expect(made).label("text"), made.c.size).subquery()
        expected, found = self._add_up(treated), self._add_up(shown)
        both = expected.join(found, expected.c.text == found.c.text, full=True)
        sizes = [func.coalesce(side.c.size, 0) for side in (expected, found)]
        # A cell that became another is missing at one text, and too many at the other.
        differing = func.coalesce(func.sum(func.abs(sizes[0] - sizes[1])), 0)
        others = select(differing.label("broken")).select_from(both).scalar_subquery()
        unkept = ~self.is_kept_by(shown.c.text)
        if self._spares_missing:
            unkept = unkept & ~self.is_missing(shown.c.text)
        own = select(func.coalesce(func.sum(shown.c.size), 0)).where(unkept).scalar_subquery()
        return select(cast(others + own, BigInteger))

    def _add_up(self, counted: FromClause) -> FromClause:
        # Few texts may be left of many values: each is normalised once.
        once = select(counted.c.text, func.sum(counted.c.size).label("size")).group_by(counted.c.text).subquery()
        text = _write_text(self.normalise(once.c.text)).label("text")
        return select(text, func.sum(once.c.size).label("size")).group_by(text).subquery()

    def normalise(self, text: ColumnElement[str]) -> ColumnElement[str]:
        """Return what is compared of a released text: files with types write a number in ways of their own."""
        return text

    def _expect(self, treated: FromClause) -> ColumnElement[str]:
        """Return the text that a released cell should have; one that nothing has where a value cannot be read."""
        text = _write_text(treated.c.made)
        if not self._spares_missing:
            return text
        return case((treated.c.made.is_(None) & treated.c.value.is_not(None), _UNREAD), else_=text)

    def measure(self, read: FromClause) -> Query | None:
        """Return a figure of what the treatment has lost, from what `count_broken` is given: one row, one number."""
        return None

    def list_causes(self, read: FromClause) -> Iterator[tuple[Query, str, str]]:
        """Yield what the values themselves may have that no treatment can mend, and what to write instead.

        Each is a query for how many cells have it; what they are, as in ``cell:cannot be read``; and a remedy.
        """
        unread = self.treat_record(read.c.value, read).is_(None) & ~self.is_missing(read.c.value)
        unread_cells = select(func.coalesce(func.sum(read.c.size), 0)).where(unread)
        yield unread_cells, f"cell:no value that {quote(self.name)} can read", self.remedy

    remedy: ClassVar[str] = "Choose another treatment, such as redact or drop."
    """What to write where values cannot be read."""

    def require_no_cause(self, header: str, read: FromClause, count: Callable[[Query], Any]) -> None:
        """Stop where values cannot be treated as is asked, which is no fault of the release.

        Parameters
        ----------
        read : FromClause
            As of `count_broken`.
        count : callable
            Returns the one number of a query.

        Raises
        ------
        UsageError
        """
        for query, found, remedy in self.list_causes(read):
            if cells := int(count(query)):
                (unit, _, what), verb = found.partition(":"), "is" if cells == 1 else "are"
                raise UsageError(
                    f"{format_count(cells, unit)} of {quote(name_column(header))} {verb} {what}. {remedy} Nothing was "
                    "released."
                )

    def require_kept(self, header: str, broken: int) -> None:
        """Stop a release in which cells break the promise.

        Raises
        ------
        ProofError
        """
        if broken:
            raise ProofError(
                f"{format_count(broken, 'cell')} of {quote(header)} would break what the treatment "
                f"{quote(self.name)} promises: that {self.promise}. Nothing was released."
            )

    def _make_engine_error(self, engine: str) -> UsageError:
        return UsageError(
            f"The treatment {quote(self.name)} has no expression of {engine}, where the records stay. Choose one of "
            "redact, mask, prefix, truncate, round, top and bottom, or drop; or read the records here."
        )

    def require_for_engine(self, header: str, engine: str) -> None:
        """Stop where an engine cannot treat a column so.

        Raises
        ------
        UsageError
        """
        wanted, said = self.kinds_in_engines, f"{quote(header)} cannot be treated by {quote(self.name)} in {engine}"
        if wanted and self.facts.kind not in wanted:
            raise UsageError(
                f"{said}, which reads no {wanted[0]} from other values. Let a query or a view make a {wanted[0]} of "
                "them, choose another treatment, or read the records here."
            )
        if self.needs_persons and self.facts.persons:
            raise UsageError(
                f"{said}: it promises something of persons, whom an engine counts by combination only. Choose another "
                "treatment, such as round or drop, or read the records here."
            )


_UNREAD: Final = "\x01unread\x01"
"""What stands for a value that cannot be treated, where it is compared with what was released."""


def _write_text(value: ColumnElement[Any]) -> ColumnElement[str]:
    # Not all files tell a missing value from an empty text.
    return func.coalesce(cast(value, String), "")


class Pass(Treatment):
    """A column is released as it was read."""

    name: ClassVar[str] = "pass"
    words: ClassVar[str] = "Released as it is"
    promise: ClassVar[str] = "each value is the one that was read"
    changes: ClassVar[bool] = False
    keeps_type: ClassVar[bool] = True

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return value

    def treat_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return value

    def treat_in_spark(self, value: Column, functions: Any) -> Column:
        return value


class Drop(Treatment):
    """A column is left out."""

    name: ClassVar[str] = "drop"
    words: ClassVar[str] = "Left out of the release"
    promise: ClassVar[str] = "no column of the release shows it"
    releases: ClassVar[bool] = False

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        raise AssertionError("a column that is left out has no values")


class Escape(Treatment):
    """A text that a spreadsheet would run as a formula gets an apostrophe before it."""

    name: ClassVar[str] = "escape"
    words: ClassVar[str] = "An apostrophe before what a spreadsheet would run"
    keeps_missing: ClassVar[bool] = False
    promise: ClassVar[str] = "no cell begins a formula, and without its apostrophe each is the text that was read"

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return escape_text(value if isinstance(value.type, String) else cast(value, String))

    def treat_header(self, name: str) -> str:
        return escape_name(name)

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        return ~match_formula(text)

    def count_broken(self, read: FromClause, shown: FromClause) -> Query:
        """Also take the apostrophes away, which must give what was read."""
        forward = super().count_broken(read, shown).scalar_subquery()
        restored = select(remove_escape(shown.c.text).label("text"), shown.c.size).subquery()
        back = PASS.count_broken(read, restored).scalar_subquery()
        return select(cast(forward + back, BigInteger))


PASS: Final = Pass()
DROP: Final = Drop()
ESCAPE: Final = Escape()
_OURS: Final = {one.name: one for one in (PASS, DROP, ESCAPE)}
"""Those without which there is no release, whatever else is installed."""
TREATMENTS: Final = Registry("toolbox.treatments", Treatment, "treatment")  # type: ignore[type-abstract]
"""The treatments that others have installed."""


def parse_treatment(text: str) -> Treatment:
    """Make a treatment of what users write: its name, and its settings behind colons.

    Examples
    --------
    >>> parse_treatment("pass").words
    'Released as it is'

    Raises
    ------
    TreatmentError
        If there is no such treatment, or its settings are wrong.
    UsageError
        If a plug-in of that name cannot be used.
    """
    parts = next(csv.reader([text.replace("\0", " ")], delimiter=":"), [])
    name, *words = (part.strip() for part in parts or [""])
    if name in _OURS and not words:
        return _OURS[name]
    if name not in _OURS and name not in TREATMENTS:
        known = list_treatment_names()
        raise TreatmentError(
            f"there is no treatment {quote(name)}.{did_you_mean(name, known)}", f"Write one of: {', '.join(known)}."
        )
    class_ = type(_OURS[name]) if name in _OURS else TREATMENTS[name]
    try:
        return class_(**_read_settings(class_, words))
    except ValueError as error:
        raise TreatmentError(f"the treatment {quote(name)} is wrong: {error}.", _describe_settings(class_)) from None


def _read_settings(class_: type[Treatment], words: Iterable[str]) -> dict[str, Any]:
    """Read the words behind the name of a treatment, each by its place or by the name of its setting."""
    settings = {setting.name: setting for setting in class_.settings}
    waiting, given = list(settings), dict[str, Any]()
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or name not in settings:
            name, text = (waiting[0] if waiting else ""), word
        if name not in settings:
            raise ValueError(f"{quote(word)} is one setting too many")
        if name in given:
            raise ValueError(f"{name} is there twice")
        waiting.remove(name)
        try:
            given[name] = settings[name].read(text)
        except (ValueError, ArithmeticError):
            raise ValueError(f"{name} is {quote(text)}; write {settings[name].wanted}") from None
    if lacking := [name for name in waiting if settings[name].is_needed]:
        raise ValueError(f"{lacking[0]} lacks; write {settings[lacking[0]].wanted}")
    return given


def _describe_settings(class_: type[Treatment]) -> str:
    if not class_.settings:
        return f"It has no settings. Write {class_.name}."
    needed = ":".join(setting.name.upper() for setting in class_.settings if setting.is_needed)
    others = "".join(f"[:{setting.name}=..]" for setting in class_.settings if not setting.is_needed)
    return f"Write {class_.name}{':' * bool(needed)}{needed}{others}."


class TreatmentError(UsageError):
    """A treatment is named that cannot be made: what was found, and what to write instead."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found, remedy)

    def __str__(self) -> str:
        return " ".join(self.args)


def list_treatment_names() -> list[str]:
    """List the names that users can write, ours first."""
    return [*_OURS, *(name for name in TREATMENTS if name not in _OURS)]


def list_treatments() -> list[type[Treatment]]:
    """Return all treatments, in the order in which they are shown."""
    return [*map(type, _OURS.values()), *(TREATMENTS[name] for name in sorted(TREATMENTS.every().classes))]


# A column of a release.


@dataclass(frozen=True)
class ReleasedColumn:
    """A column of a release: one of the input, treated, or a text of the class of each record.

    Examples
    --------
    >>> ReleasedColumn("age", text="label_1").is_unmodified, ReleasedColumn("note", source="note").is_unmodified
    (False, True)
    """

    header: str
    source: str | None = None
    """The column of the input whose values it shows, by its name; None: it shows a text of the class."""
    text: str | None = None
    """The column of texts of the classes that it shows otherwise."""
    position: int | None = None
    """The place of the source in the input, from 0; None where only its name is known."""
    treatment: Treatment = PASS
    """What is done to the values of the source."""

    @property
    def is_of_record(self) -> bool:
        """Whether it shows a value of each record, and not a text of its class."""
        return self.source is not None

    @property
    def is_unmodified(self) -> bool:
        """Whether it shows the values as they were read."""
        return self.is_of_record and not self.treatment.changes

    @property
    def unmodified_position(self) -> int | None:
        """The place of the column in the input whose values it shows as they were read; None if it is made."""
        return self.position if self.is_unmodified else None

    @property
    def looked_up(self) -> str:
        """The column of the records with what becomes of the values, where each different one was treated once."""
        return f"treated_{self.position}"

    def find_value(self, records: FromClause) -> ColumnElement[Any]:
        """Return the value of a record of the store as it was read; columns are called by their places there."""
        value: ColumnElement[Any] = records.c[f"c{self.position}"]
        return value

    def select_from_records(self, records: FromClause) -> ColumnElement[Any]:
        """Return the treated value of a record of the store."""
        if self.looked_up in records.c:
            made: ColumnElement[Any] = records.c[self.looked_up]
            return made
        value = self.find_value(records)
        if self.treatment.changes and isinstance(value.type, UserDefinedType):
            # What is kept as an enumeration of texts is a text.
            value = cast(value, String)
        return self.treatment.treat_record(value, records)

    def select_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return the treated value in PostgreSQL; missing values stay where that is promised."""
        treatment = self.treatment
        if not treatment.changes:
            return treatment.treat_in_postgresql(value)
        treatment.require_for_engine(self.header, "PostgreSQL")
        treated, kind = treatment.treat_in_postgresql(value), value.type if treatment.keeps_type else Text()
        if not isinstance(kind, NullType):
            treated = cast(treated, kind)
        if not treatment.keeps_missing:
            return treated
        is_missing = or_(value.is_(None), cast(value, Text).in_(treatment.facts.missing))
        return case((is_missing, value if treatment.keeps_type else cast(value, Text)), else_=treated)

    def select_in_spark(self, value: Column, functions: Any, kind: Any = "string") -> Column:
        """Return the treated value in Spark, of a column of this kind; missing values stay where that is promised."""
        treatment = self.treatment
        if not treatment.changes:
            return treatment.treat_in_spark(value, functions)
        treatment.require_for_engine(self.header, "Spark")
        kind = kind if treatment.keeps_type else "string"
        treated: Column = treatment.treat_in_spark(value, functions).cast(kind)
        if not treatment.keeps_missing:
            return treated
        is_missing = value.isNull() | value.cast("string").isin(*treatment.facts.missing)
        return functions.when(is_missing, value.cast(kind)).otherwise(treated)  # type: ignore[no-any-return]
