"""What a privacy model is: a judge of equivalence classes, which knows nothing of the method that made them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, final

from sqlalchemy import FromClause, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.queries.query import Query


@dataclass(frozen=True, kw_only=True)
class PrivacyModel(ABC):
    """A requirement that every equivalence class of a release must meet.

    A subclass is a frozen dataclass of the model's parameters. It supplies what a class achieves, which achieved
    values are enough, and an entry point under ``toolbox.privacy_models``.
    """

    name: ClassVar[str]
    monotone: ClassVar[bool]
    """Whether merging two classes that satisfy the model always gives one that does; pruning a lattice needs it."""
    suppression_helps: ClassVar[bool]
    """Whether leaving violating classes out makes a table satisfy the model."""

    attribute: str | None = None
    """The sensitive attribute that it protects; None if it protects the identity alone."""

    @property
    @abstractmethod
    def required(self) -> float:
        """The value that every class must achieve."""

    @property
    @abstractmethod
    def least_records(self) -> int:
        """Fewest records that a satisfying class can have; a table with fewer can never satisfy the model."""

    @abstractmethod
    def achieved(self, classes: FromClause) -> Query:
        """Measure each class: ``equivalence_id, achieved``.

        Parameters
        ----------
        classes : FromClause
            ``equivalence_id, size`` (in records), one row per class.
        """

    @abstractmethod
    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        """Test whether an achieved value is enough."""

    @abstractmethod
    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        """Aggregate the achieved values of all classes into that of the table."""

    @final
    def violations(self, classes: FromClause) -> Query:
        """Find the classes that do not satisfy the model: ``equivalence_id, achieved``."""
        measured = self.achieved(classes).subquery()
        return select(measured).where(~self.holds(measured.c.achieved))
