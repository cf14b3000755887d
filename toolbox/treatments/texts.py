"""Treatments of texts: what is left of each, and that nothing else is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sqlalchemy import String, Text, case, cast, func, literal
from sqlalchemy.sql.elements import ColumnElement

from toolbox.treatments.treatment import Treatment, TreatmentSetting

if TYPE_CHECKING:
    from pyspark.sql import Column

_MARK: Final = "*"


def _read_count(text: str) -> int:
    """Read a whole number of at least 1.

    Raises
    ------
    ValueError
    """
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text[:10]) <= 1_000_000:
        raise ValueError(text)
    return int(text)


@dataclass(frozen=True)
class RedactText(Treatment):
    """Every value becomes the same text.

    Examples
    --------
    >>> RedactText().name, RedactText("n/a").text
    ('redact', 'n/a')
    """

    name: ClassVar[str] = "redact"
    words: ClassVar[str] = "Every value becomes the same text"
    promise: ClassVar[str] = "each value that was there is one and the same text"
    hides_identity: ClassVar[bool] = True
    untrue: ClassVar[str] = "Nothing is told but whether there was a value."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("text", str, "the text that takes the place of each value", is_needed=False),
    )
    text: str = _MARK

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError("text is empty; write the text that takes the place of each value")

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return cast(literal(self.text), String)

    def treat_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return cast(literal(self.text), Text)

    def treat_in_spark(self, value: Column, functions: Any) -> Column:
        return functions.lit(self.text)  # type: ignore[no-any-return]

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        return text == self.text


@dataclass(frozen=True)
class MaskText(Treatment):
    """Every character becomes an asterisk, but for a few at the end.

    A text that is no longer than what stays is masked as a whole.

    Examples
    --------
    >>> MaskText().keep, MaskText(4).keep
    (0, 4)
    """

    name: ClassVar[str] = "mask"
    writes_plain: ClassVar[bool] = True
    words: ClassVar[str] = "Asterisks instead of characters"
    promise: ClassVar[str] = "every character is an asterisk, but for the last ones that shall stay"
    untrue: ClassVar[str] = "Different values may look the same."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("keep", _read_count, "how many characters stay at the end, such as 4", is_needed=False),
    )
    keep: int = 0

    def __post_init__(self) -> None:
        # The last characters of a short name, or of an address, may be nearly all of it.
        object.__setattr__(self, "hides_identity", not self.keep)

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        text = cast(value, String)
        length = func.length(text)
        masked = func.repeat(_MARK, length)
        if not self.keep:
            return masked
        # Where nothing would be masked, all is.
        shown = func.substr(text, length - self.keep + 1)
        return case((length > self.keep, func.concat(func.repeat(_MARK, length - self.keep), shown)), else_=masked)

    def treat_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return self.treat(cast(value, Text))

    def treat_in_spark(self, value: Column, functions: Any) -> Column:
        text = value.cast("string")
        masked: Column = functions.regexp_replace(text, "(?s).", _MARK)
        if not self.keep:
            return masked
        hidden = functions.length(text) - self.keep
        shown = functions.concat(
            masked.substr(functions.lit(1), hidden), text.substr(hidden + 1, functions.lit(self.keep))
        )
        return functions.when(hidden > 0, shown).otherwise(masked)  # type: ignore[no-any-return]

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        hidden = func.substr(text, 1, func.greatest(func.length(text) - self.keep, 1))
        return func.replace(hidden, _MARK, "") == ""


@dataclass(frozen=True)
class PrefixText(Treatment):
    """The first characters of a text stay, and the others go.

    Examples
    --------
    >>> PrefixText(2).length
    2
    """

    name: ClassVar[str] = "prefix"
    writes_plain: ClassVar[bool] = True
    words: ClassVar[str] = "The first characters of each value"
    promise: ClassVar[str] = "no value has more characters than shall stay"
    untrue: ClassVar[str] = "Different values may look the same; a value that was no longer is whole."
    settings: ClassVar[tuple[TreatmentSetting, ...]] = (
        TreatmentSetting("length", _read_count, "how many characters stay at the beginning, such as 3"),
    )
    length: int

    def treat(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.substr(cast(value, String), 1, self.length)

    def treat_in_postgresql(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.substr(cast(value, Text), 1, self.length)

    def treat_in_spark(self, value: Column, functions: Any) -> Column:
        return value.cast("string").substr(1, self.length)

    def is_kept_by(self, text: ColumnElement[str]) -> ColumnElement[bool]:
        return func.length(text) <= self.length
