"""Which values count as missing, and what happens to a record that has one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import case, false, func, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import DEFAULT_MISSING, Attribute, Config, OnMissing
from toolbox.hierarchy.builders.texts import TextBuilder


@dataclass(frozen=True)
class MissingValues:
    """The policy of one input: nulls, empty fields and the declared mark are missing."""

    mark: str
    policy: OnMissing
    strips_blanks: bool = False
    """Whether blanks around a value are no part of it."""
    looks_everywhere: bool = False
    """Whether a missing value in a column that is not declared disqualifies a record, too."""

    @classmethod
    def of(cls, config: Config) -> MissingValues:
        """Return the policy of the input of a configuration; without an input only nulls are missing."""
        declared, mode = config.input, config.compatibility
        if declared is None:
            return cls("", "skip")
        return cls(declared.missing, declared.on_missing, mode.strips_blanks, mode.looks_for_missing_everywhere)

    def test(self, attribute: Attribute, text: ColumnElement[str]) -> ColumnElement[bool]:
        """Test for a missing value; a text that the configuration declares as a category is none."""
        return or_(text.is_(None), self._stripped(text).in_(self.marks(attribute)))

    def marks(self, attribute: Attribute) -> tuple[str, ...]:
        """Return the texts that stand for a missing value of an attribute."""
        # What the values are made into is not known yet where a builder lists some of them.
        listed = attribute.builder.listed if isinstance(attribute.builder, TextBuilder) else ()
        declared = attribute.categories or listed
        return tuple(mark for mark in dict.fromkeys(("", self.mark)) if mark not in declared)

    def _stripped(self, text: ColumnElement[str]) -> ColumnElement[str]:
        return func.trim(text) if self.strips_blanks else text

    def disqualifies(self, values: Sequence[tuple[Attribute, ColumnElement[str]]]) -> ColumnElement[bool]:
        """Test whether a record cannot be used because one of its values is missing."""
        if self.policy == "keep":
            return false()
        return or_(false(), *(self.test(attribute, text) for attribute, text in values))

    def marked(self, texts: Sequence[ColumnElement[str]]) -> ColumnElement[bool]:
        """Test whether a missing value in a column that is not declared makes a record unusable, as it did in 2010."""
        if self.policy == "keep" or not self.looks_everywhere:
            return false()
        # An empty field of another column is a null, which marks nothing.
        return or_(false(), *(func.coalesce(self._stripped(text) == self.mark, false()) for text in texts))

    @property
    def rewrites(self) -> bool:
        """Whether different texts may be one value, because of how missing values and blanks are read."""
        return self.strips_blanks or self.kept is not None

    @property
    def kept(self) -> str | None:
        """The text of missing values where they are a category; None where they are none."""
        return (self.mark or DEFAULT_MISSING) if self.policy == "keep" else None

    def value(self, attribute: Attribute, text: ColumnElement[str]) -> ColumnElement[str]:
        """Return the text of a value; all missing values have the same text."""
        stripped = self._stripped(text)
        return stripped if self.kept is None else case((self.test(attribute, text), self.kept), else_=stripped)
