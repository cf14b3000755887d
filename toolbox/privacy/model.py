"""What a privacy model is: a judge of equivalence classes, which knows nothing of the method that made them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Integral
from types import MappingProxyType
from typing import Any, ClassVar, final

from sqlalchemy import select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes
from toolbox.queries.query import Query


@dataclass(frozen=True, kw_only=True)
class PrivacyModel(ABC):
    """A requirement that every equivalence class of a release must meet.

    A subclass is a frozen dataclass of the model's parameters. It supplies what a class achieves, which achieved
    values are enough, and an entry point under ``toolbox.privacy_models``.
    """

    name: ClassVar[str]
    reference: ClassVar[str] = ""
    """Where the model is published."""
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
    def needs_hierarchy(self) -> bool:
        """Whether the sensitive attribute must have a hierarchy."""
        return False

    @property
    def counts_outside(self) -> bool:
        """Whether the people whom no class covers count, so that suppressing one class makes others violate it."""
        return False

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
        measured = self.achieved(classes).subquery()
        return select(measured).where(~self.holds(measured.c.achieved))

    @final
    def parameters(self) -> dict[str, Any]:
        """Return the model's own parameters by their names."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "attribute"}

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value:g}" for name, value in self.parameters().items() if _is_number(value))
        return self.name + (f" ({values})" if values else "") + (f" of {self.attribute}" if self.attribute else "")


def is_count(value: object) -> bool:
    """Return whether a value is a whole number of at least 1. True is not, though Python treats it as 1."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
