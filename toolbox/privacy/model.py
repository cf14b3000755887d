"""What a privacy model is: a judge of equivalence classes, which knows nothing of the method that made them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from math import isnan
from numbers import Integral, Real
from pathlib import Path
from sys import modules
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, TypeGuard, final

from sqlalchemy import FromClause, func, select
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import SelectBase

from toolbox.errors import EngineError, ModelError, SettingError, ToolboxError
from toolbox.extensions import find_last_line
from toolbox.privacy.classes import Classes
from toolbox.queries.dialect import Query

_ACHIEVED: Final = (
    "achieved() must return a select of equivalence_id and achieved, a number, with one row for each class."
)


@dataclass(frozen=True, kw_only=True)
class PrivacyModel(ABC):
    """A requirement that every equivalence class of a release must meet.

    A subclass is a frozen dataclass of the model's parameters. It supplies what a class achieves, which achieved
    values are enough, and an entry point under ``toolbox.privacy_models``.
    """

    name: ClassVar[str]
    reference: ClassVar[str] = ""
    """Where the model is published."""
    summary: ClassVar[str] = ""
    """What it promises, in one sentence for people who do not study that; empty: the first one of the docstring."""
    meaning: ClassVar[str] = ""
    """One sentence of the page about a release, with ``{value}`` for what was achieved and ``{of}`` for the sensitive
    attribute; empty: the page shows the figure alone."""
    rank: ClassVar[int] = 1000
    """Place among all models where they are listed, the smallest first; models of one rank in the order of names."""
    empty_at: ClassVar[float | None] = None
    """Value of the measured parameter that every table achieves, so that it promises nothing."""
    told_apart_by: ClassVar[tuple[str, ...]] = ()
    """Parameters that distinguish the `variants` with which it is measured."""
    asked_as: ClassVar[tuple[str, str] | None] = None
    """The name of another model, and a parameter that this one has and that one lacks: both together ask for this."""
    monotone: ClassVar[bool]
    """Whether merging two classes that satisfy the model always gives one that does; pruning a lattice needs it."""
    suppression_helps: ClassVar[bool]
    """Whether violating classes may be left out to make a table satisfy the model. Then merging a satisfying class with
    any other class must give a satisfying one, too: a search with a threshold prunes by it."""
    needs_attribute: ClassVar[bool] = False
    """Whether it protects a sensitive attribute, whose histogram it judges."""
    counts_values: ClassVar[bool] = False
    """Whether it only asks which sensitive values a class holds, not how many records have each. Then `Classes.held`
    may be known, which it looks at instead of the histogram."""
    needs_kind: ClassVar[bool] = False
    """Whether it must know if the sensitive attribute holds numbers or categories."""
    needs_population: ClassVar[bool] = False
    """Whether it compares the classes with a population, whose people it must be shown."""
    needs_columns: ClassVar[bool] = False
    """Whether it compares classes with each other in some of their quasi-identifiers, as `Classes.shown_columns` has
    them. Then a class that is suppressed may make others violate it, and a search must show it all classes at once."""
    of_release: ClassVar[bool] = False
    """Whether it is asked once, about all classes of a release together; see `ReleaseModel`."""
    of_earlier: ClassVar[bool] = False
    """Whether it asks where persons are in earlier releases; who is suppressed is in none with others."""
    measured_with: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """Parameters with which `check` measures a table of which nothing is required. Without them it tries small numbers:
    name here what is no number, and what must be of a certain size."""
    bounds: ClassVar[tuple[str, ...]] = ()
    """Its parameters that classes are compared with; `check` measures the first. Empty: the one equal to `required`."""
    k_is_class_size: ClassVar[bool] = False
    """Whether its parameter ``k`` is the size of the smallest class."""

    attribute: str | None = None
    """The sensitive attribute that it protects; None if it protects the identity alone."""

    def __post_init__(self) -> None:
        if self.needs_attribute and self.attribute is None:
            raise SettingError("attribute", None, f"the sensitive attribute that {self.name} protects")

    @classmethod
    def variants(cls, classes: Classes, achieved: Mapping[str, float | None]) -> Iterable[Mapping[str, Any]]:
        """List the parameters with which `check` measures classes: once with each mapping.

        Parameters
        ----------
        classes : Classes
        achieved : mapping of str to float, optional
            What the classes achieve by the names of the models that were measured before.
        """
        return (cls.measured_with,)

    @property
    def looks_beyond_class(self) -> bool:
        """Whether it asks more than what each class holds: a population, other classes, or all of them together."""
        return self.needs_population or self.needs_columns or self.of_release

    @property
    def needs_hierarchy(self) -> bool:
        """Whether the sensitive attribute must have a hierarchy."""
        return False

    @property
    def needs_order(self) -> bool:
        """Whether the values of the sensitive attribute must have an order, be they numbers or categories."""
        return False

    @property
    def counts_outside(self) -> bool:
        """Whether the people whom no class covers count, so that suppressing one class makes others violate it."""
        return False

    @property
    def holds_with_others(self) -> bool:
        """Whether a satisfying class still does when persons join it of whom some are in it already.

        Then classes of persons who are in several classes may be merged as classes of records are.
        """
        return self.monotone and (self.suppression_helps or self.counts_values)

    @property
    @abstractmethod
    def required(self) -> float:
        """The value that every class must achieve."""

    @property
    @abstractmethod
    def least_records(self) -> int:
        """Fewest records that a satisfying class can have; a table with fewer can never satisfy the model."""

    @abstractmethod
    def achieved(self, classes: Classes) -> Query:
        """Measure each class: ``equivalence_id, achieved``, one row per class, never null."""

    @abstractmethod
    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        """Test whether an achieved value is enough."""

    @abstractmethod
    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        """Aggregate the achieved values of all classes into that of the table."""

    @final
    def violations(self, classes: Classes) -> Query:
        """Find the classes that do not satisfy the model: ``equivalence_id, achieved``."""
        measured = self.measured(classes)
        return select(measured).where(~self.judged("holds", measured.c.achieved))

    @final
    def measured(self, classes: Classes) -> FromClause:
        """Measure each class as `achieved` does, and look at what it returns: ``equivalence_id, achieved``.

        Raises
        ------
        ModelError
            If a model by other people returns no select of these two columns.
        """
        with self.errors_told():
            query = self.achieved(classes)
            if not isinstance(query, SelectBase):
                raise ModelError(self.name, f"achieved() returned {type(query).__name__}, no select", _ACHIEVED)
            found = list(query.selected_columns.keys())
            lacking = [name for name in ("equivalence_id", "achieved") if name not in found]
            if lacking:
                has = ", ".join(found) or "none"
                raise ModelError(self.name, f"its select has no column {lacking[0]!r}; it has {has}", _ACHIEVED)
            return query.subquery()

    @final
    def judged(self, by: Literal["holds", "worst"], achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        """Return what `holds` or `worst` says of achieved values, after a look at it.

        Raises
        ------
        ModelError
            If a model by other people returns no SQL.
        """
        with self.errors_told():
            said: object = getattr(self, by)(achieved)
            if not isinstance(said, ColumnElement):
                remedy = f"{by}() must return SQL, an expression of the achieved value."
                raise ModelError(self.name, f"{by}() returned {type(said).__name__}", remedy)
            return said

    @final
    @contextmanager
    def errors_told(self) -> Iterator[None]:
        """Raise an error that names the line in which other people's model fails, instead of lines of our own.

        Raises
        ------
        ModelError
        """
        module = type(self).__module__
        try:
            yield
        except (Exception, SystemExit) as error:
            is_told = isinstance(error, ToolboxError) and not isinstance(error, EngineError)
            if is_told or module.partition(".")[0] == "toolbox":
                raise
            cause = error.__cause__ if isinstance(error, EngineError) else error
            file, line = find_last_line(error, module)
            where = (
                f" in {Path(file).name}, line {line}" if file == getattr(modules.get(module), "__file__", None) else ""
            )
            remedy = _ACHIEVED if isinstance(error, EngineError) else "Correct the model."
            raise ModelError(self.name, f"{type(cause).__name__}{where}", remedy) from error

    @final
    def parameters(self) -> dict[str, Any]:
        """Return the model's own parameters by their names."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "attribute"}

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value:g}" for name, value in self.parameters().items() if is_number(value))
        return self.name + (f" ({values})" if values else "") + (f" of {self.attribute}" if self.attribute else "")


@dataclass(frozen=True, kw_only=True)
class ReleaseModel(PrivacyModel):
    """A requirement that all classes of a release together must meet: it is asked once, and not about each class.

    A subclass is a frozen dataclass of the model's parameters. It supplies `required`, the largest value that is
    enough, and `measure`, which knows the sizes of all classes and nothing else. It is `monotone` if merging classes,
    whichever they are, never makes the measured value larger.
    """

    of_release: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = False
    is_estimate: ClassVar[bool] = False
    """Whether it estimates what cannot be counted; then nothing is proved."""

    @abstractmethod
    def measure(self, histogram: Sequence[tuple[int, int]]) -> float:
        """Measure a release.

        Parameters
        ----------
        histogram : sequence of tuple of int
            Each size of a class, in records or persons, and how many classes have it; at least one.
        """

    @property
    def least_records(self) -> int:
        return 1

    @classmethod
    def variants(cls, classes: Classes, achieved: Mapping[str, float | None]) -> Iterable[Mapping[str, Any]]:
        # All of them would be measured for each table, whether or not somebody asks.
        return ()

    @final
    def judge(self, histogram: Sequence[tuple[int, int]]) -> tuple[float, bool]:
        """Return what a release achieves, and whether that is enough.

        Raises
        ------
        ModelError
            If a model by other people returns no number.
        """
        with self.errors_told():
            figure: object = self.measure(histogram)
            if not isinstance(figure, Real) or isinstance(figure, bool) or isnan(figure):
                raise ModelError(self.name, f"measure() returned {figure!r}", "Return a number.")
            return float(figure), float(figure) <= self.required

    @final
    def achieved(self, classes: Classes) -> Query:
        raise AssertionError("a model of the whole release is asked by judge()")

    @final
    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved <= self.required

    @final
    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.max(achieved)


def is_count(value: object) -> bool:
    """Return whether a value is a whole number of at least 1. True is not, though Python treats it as 1."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number; True is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)
