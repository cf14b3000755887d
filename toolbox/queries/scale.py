"""How the values of an ordered column are written: the contract of numbers and of dates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from sqlalchemy import String, cast
from sqlalchemy.sql.elements import ColumnElement


def shortest(number: ColumnElement[float]) -> ColumnElement[str]:
    """Write a number in the shortest way that reads back as the same one."""
    return cast(number, String)


class Scale(ABC):
    """Leads from the texts of a column to ordered numbers, on which everything is computed, and back."""

    @abstractmethod
    def value(self, text: ColumnElement[str]) -> ColumnElement[float]:
        """Read a text as a finite number, otherwise as null."""

    @abstractmethod
    def text(
        self, number: ColumnElement[float], write: Callable[[ColumnElement[float]], ColumnElement[str]] = shortest
    ) -> ColumnElement[str]:
        """Write a number so that `value` reads it back; ``write`` says how plain numbers look."""

    @abstractmethod
    def variance(self, number: ColumnElement[float]) -> ColumnElement[str]:
        """Write the variance of several numbers."""
