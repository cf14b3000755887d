"""The columns that leave, and what is done to the values of each, with a promise that is recounted on the release."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sqlalchemy import BigInteger, FromClause, String, Text, cast, func, select, true
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import ProofError, UsageError, quote
from toolbox.extensions import Registry
from toolbox.messages import format_count
from toolbox.queries.cells import escape_name, escape_text, match_formula, remove_escape
from toolbox.queries.query import Query

if TYPE_CHECKING:
    from pyspark.sql import Column


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

    @abstractmethod
    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return what becomes of a value, in SQL of the store."""

    def treat_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return what becomes of a value, in SQL of PostgreSQL.

        Raises
        ------
        UsageError
            If PostgreSQL cannot do it.
        """
        raise self._make_engine_error("PostgreSQL")

    def treat_in_spark(self, value: Column, functions: Any) -> Column:
        """Return what becomes of a value, as an expression of Spark; ``functions`` are those of the session.

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
        treated = select(_write_text(self.treat(read.c.value)).label("text"), read.c.size).subquery()
        expected = _add_up(treated)
        found = _add_up(shown)
        both = expected.join(found, expected.c.text == found.c.text, full=True)
        sizes = [func.coalesce(side.c.size, 0) for side in (expected, found)]
        # A cell that became another is missing at one text, and too many at the other.
        differing = func.coalesce(func.sum(func.abs(sizes[0] - sizes[1])), 0)
        others = select(differing.label("broken")).select_from(both).scalar_subquery()
        own = select(func.coalesce(func.sum(shown.c.size), 0)).where(~self.is_kept_by(shown.c.text)).scalar_subquery()
        return select(cast(others + own, BigInteger))

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
            f"The treatment {quote(self.name)} has no expression of {engine}, where the records stay. "
            "Leave it out, or read the records here."
        )


def _write_text(value: ColumnElement[Any]) -> ColumnElement[str]:
    # Not all files tell a missing value from an empty text.
    return func.coalesce(cast(value, String), "")


def _add_up(counted: FromClause) -> FromClause:
    text = _write_text(counted.c.text).label("text")
    rows = select(text, func.sum(counted.c.size).label("size"))
    return rows.group_by(text).subquery()


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


def find_treatment(name: str) -> Treatment | None:
    """Find a treatment by its name, ours or one that is installed; None if there is none.

    Raises
    ------
    UsageError
        If a plug-in of that name cannot be used.
    """
    if name in _OURS:
        return _OURS[name]
    return TREATMENTS[name]() if name in TREATMENTS else None


def list_treatment_names() -> list[str]:
    """List the names that users can write, ours first."""
    return [*_OURS, *(name for name in TREATMENTS if name not in _OURS)]


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

    def select_from_records(self, records: FromClause) -> ColumnElement[Any]:
        """Return the treated value of a record of the store, where columns are called by their places."""
        return self._treat(records.c[f"c{self.position}"])

    def select_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return the treated value in PostgreSQL."""
        treated = self.treatment.treat_in_postgresql(value)
        return treated if self.treatment.keeps_type else cast(treated, Text)

    def select_in_spark(self, value: Column, functions: Any) -> Column:
        """Return the treated value in Spark."""
        treated = self.treatment.treat_in_spark(value, functions)
        return treated if self.treatment.keeps_type else treated.cast("string")

    def _treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        treated = self.treatment.treat(value)
        return treated if self.treatment.keeps_type else cast(treated, String)
