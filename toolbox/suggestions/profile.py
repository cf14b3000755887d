"""What is known of each column of a table: its name, its texts, how many differ, and what they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import quantiles
from types import MappingProxyType
from typing import Final

from sqlalchemy import case, false, or_
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import Kind
from toolbox.knowledge.meanings import EMAILS, MEANINGS, Meaning
from toolbox.knowledge.name_words import find_name_meaning, split_name
from toolbox.knowledge.texts import EMAIL, Content, may_be_names, recognise_content
from toolbox.queries.dialect import contains, has_match
from toolbox.queries.scales import Calendar, Figures, Unit, is_no_number
from toolbox.suggestions.texts import (
    DateFormats,
    Drawn,
    TableNotation,
    Test,
    Texts,
    find_date_formats,
    find_notation,
    has_codes,
)

_LOOKED_AT: Final = 400_000
"""Distinct texts that are looked at, of all columns together."""
_FEWEST_LOOKED_AT: Final = 200
_MANY_ALONE: Final = 0.2
"""Share of records of a sample that are alone by a column from which those of all records are counted."""
_MEASURES: Final = ("money", "grade", "health", "body", "age")
"""Names of what is measured or counted."""
_LONG_NUMBER: Final = 5
"""Digits from which numbers of one length were given out, perhaps."""
_ENOUGH: Final = 50
"""Different numbers from which their distribution says something."""
_UNEVEN: Final = 0.15
"""Share of the range by which some twentieth of numbers lies aside from where even ones have it."""
_SHORT_NUMBER: Final = 8
"""Digits that no telephone number and no number of a state is as short as."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column."""

    low: float
    high: float
    usual_low: float
    """Exceeded by all but a twentieth of the different values."""
    usual_high: float
    is_whole: bool
    """Whether none has decimals."""
    is_even: bool = False
    """Whether they fill their range evenly, as numbers that were given out do."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What is known of one column."""

    position: int
    name: str
    by_name: Meaning | None
    content: Content | None
    kind: Kind
    records: int
    """Of the table."""
    there: int
    """Records with a value."""
    different: int
    alone: int
    """Records with a value that no other has."""
    share_most: float
    """Of the records with a value, those with the most frequent one."""
    longest: int
    """Characters of the longest text."""
    numbers: Numbers | None = None
    dates: DateFormats | None = None
    has_codes: bool = False
    is_typed: bool = False
    """Whether the input says itself what the column holds."""
    may_be_names: bool = False
    """Whether most values are two or more words that begin with a capital letter."""
    alike: int = 0
    """Columns that are named alike but for a number, itself among them."""
    shapes: frozenset[int] = field(default_factory=frozenset)
    """Lengths of the texts, of columns that may hold codes."""

    @property
    def missing(self) -> int:
        """Records without a value."""
        return self.records - self.there

    @property
    def share_different(self) -> float:
        """Different values for each record that has one."""
        return self.different / self.there if self.there else 0.0

    @property
    def share_alone(self) -> float:
        """Share of the records with a value that no other has."""
        return self.alone / self.there if self.there else 0.0

    @property
    def is_measure(self) -> bool:
        """Whether numbers measure something. Those that were given out are whole, and of one length or even."""
        if self.kind != "number" or self.numbers is None:
            return False
        if not self.numbers.is_whole or (self.by_name is not None and self.by_name.key in _MEASURES):
            return True
        of_one_length = len(self.shapes) == 1 and self.longest >= _LONG_NUMBER
        can_tell = self.different < self.there or self.there >= _ENOUGH
        return can_tell and not self.numbers.is_even and not of_one_length

    @property
    def meanings(self) -> tuple[Meaning, ...]:
        """What the name says, then what the values say."""
        return tuple(one for one in (self.by_name, self.content and self.content.meaning) if one)

    def means(self, *keys: str) -> bool:
        """Return whether the name or the values say one of several meanings."""
        return any(meaning.key in keys for meaning in self.meanings)


@dataclass(frozen=True)
class Profiles:
    """The columns of a table."""

    columns: tuple[Profile, ...]
    notation: TableNotation
    records: int
    is_sample: bool
    """Whether only some of the records were looked at; what is alone was counted among all."""


def profile_columns(
    drawn: Drawn,
    names: Sequence[str],
    kinds: Sequence[Kind | None],
    *,
    are_own: bool = True,
    may_have_commas: bool = True,
    said: Mapping[str, str] = MappingProxyType({}),
) -> Profiles:
    """Look at each column.

    Parameters
    ----------
    drawn : Drawn
    names : sequence of str
        Of the columns.
    kinds : sequence
        What the input leaves no doubt about; None for text.
    are_own : bool
        Whether the table itself names its columns so.
    may_have_commas : bool
        Whether a run can be told that numbers are written with decimal commas.
    said : mapping, optional
        Parts of the notation that somebody says, and that are not guessed.
    """
    notation = find_notation(
        texts for texts, kind in zip(drawn.columns, kinds, strict=True) if kind in (None, "category")
    )
    if not may_have_commas:
        notation = TableNotation(mark=notation.mark)
    notation = replace(notation, **said)
    alike = Counter(_remove_numbers(name) for name in names) if are_own else Counter[str]()
    most = max(_FEWEST_LOOKED_AT, _LOOKED_AT // max(1, len(names)))
    columns = [
        replace(
            _profile_column(index, names[index], texts, kinds[index], notation, most),
            alike=alike[_remove_numbers(names[index])],
        )
        for index, texts in enumerate(drawn.columns)
    ]
    columns = _correct_by_records(drawn, _choose_date_order(columns), notation)
    return Profiles(tuple(columns), notation, drawn.records, not drawn.is_whole)


def _remove_numbers(name: str) -> str:
    """Return a name without its numbers; empty where it has none, or nothing else."""
    has_number = any(character.isdigit() for character in name)
    return "_".join(split_name(name)) if has_number else f"{name}\0"


def _profile_column(
    position: int, name: str, texts: Texts, said: Kind | None, notation: TableNotation, most: int
) -> Profile:
    counts = {text: count for text, count in texts.counts.items() if text != notation.mark}
    by_name = find_name_meaning(name)
    there = sum(counts.values())
    numbers = dates = None
    codes = said in (None, "category") and has_codes(counts)
    kind: Kind = said or "category"
    if said == "number" or (said is None and counts and not codes):
        numbers = _parse_numbers(counts, notation if said is None else TableNotation())
    if numbers is not None:
        kind = "number"
    if said is None and (numbers is None or (by_name is not None and by_name.key in ("birth", "event"))):
        dates = find_date_formats(list(counts), digits=numbers is not None)
    if dates is not None:
        kind, numbers = ("timestamp" if dates.with_time else "date"), None
    some = dict(islice(counts.items(), most))
    return Profile(
        position=position,
        name=name,
        by_name=by_name,
        content=recognise_content(some) if _may_tell(kind, some) else None,
        kind=kind,
        records=texts.missing + sum(texts.counts.values()),
        there=there,
        different=len(counts),
        alone=sum(count == 1 for count in counts.values()),
        share_most=max(counts.values(), default=0) / max(1, there),
        longest=max(map(len, counts), default=0),
        numbers=numbers,
        dates=dates,
        has_codes=codes,
        may_be_names=kind == "category" and may_be_names(some),
        is_typed=said is not None,
        shapes=frozenset(len(text.strip()) for text in some),
    )


def _may_tell(kind: Kind, texts: Mapping[str, int]) -> bool:
    """Return whether texts may look like more than numbers or dates."""
    if kind in ("date", "timestamp"):
        return False
    return kind != "number" or any(len(text.strip()) > _SHORT_NUMBER for text in texts)


def _parse_numbers(counts: Mapping[str, int], notation: TableNotation) -> Numbers | None:
    """Read all texts of a column as numbers; None if one is none."""
    found: list[float] = []
    for text in counts:
        number = notation.number(text)
        if number is None:
            return None
        found.append(number)
    if not found or not all(abs(number) < 1e300 for number in found):
        return None
    twentieths = quantiles(found, n=20, method="inclusive") if len(found) > 1 else [found[0], found[0]]
    is_whole = all(number == int(number) for number in found)
    return Numbers(min(found), max(found), twentieths[0], twentieths[-1], is_whole, _are_even(found, twentieths))


def _are_even(numbers: Sequence[float], twentieths: Sequence[float]) -> bool:
    low, span = min(numbers), max(numbers) - min(numbers)
    places = ((twentieth - low) / span for twentieth in twentieths) if span else ()
    return all(abs(place - (number + 1) / 20) <= _UNEVEN for number, place in enumerate(places))


def _choose_date_order(columns: Sequence[Profile]) -> list[Profile]:
    """Choose the order of day and month for each column: that of the other columns, or else the day first."""
    clear = [column.dates.formats[0] for column in columns if column.dates and len(column.dates.formats) == 1]
    month_first = any("%m" in form and not _is_day_first(form) and not form.startswith("%Y") for form in clear)
    return [
        replace(column, dates=replace(column.dates, formats=_sort_date_formats(column.dates, month_first=month_first)))
        if column.dates and column.dates.is_ambiguous
        else column
        for column in columns
    ]


def _sort_date_formats(dates: DateFormats, *, month_first: bool) -> tuple[str, ...]:
    return tuple(sorted(dates.formats, key=lambda form: _is_day_first(form) == month_first))


def _correct_by_records(drawn: Drawn, columns: Sequence[Profile], notation: TableNotation) -> list[Profile]:
    """Correct the sample by all records: missing values, different values, whether all are numbers or dates."""
    tests: dict[int, list[Test]] = {column.position: [_is_none(column, notation)] for column in columns}
    if drawn.is_whole:
        tests = {column.position: tests[column.position] for column in columns if column.dates is not None}
    else:
        for its in tests.values():
            its += [lambda text: or_(text.is_(None), text == (notation.mark or "")), _has_address]
    found = drawn.counted(tests)
    columns = [
        replace(column, kind="category", numbers=None, dates=None) if found.get(column.position, (0,))[0] else column
        for column in columns
    ]
    if drawn.is_whole:
        return list(columns)
    # Among fewer records more are alone, so that of columns that repeat their values the sample says it for all.
    many = [column.position for column in columns if column.share_alone > _MANY_ALONE]
    distinct = drawn.distinct(many)
    counted = []
    for column in columns:
        _, missing, addresses = found[column.position]
        there = drawn.records - missing
        is_reached = addresses and addresses >= EMAILS * there
        content = Content(MEANINGS["email"], addresses / there) if is_reached else column.content
        different, alone, _ = distinct.get(column.position, (column.different, round(column.share_alone * there), 0))
        known = replace(column, records=drawn.records, there=there, different=different, alone=alone)
        counted.append(replace(known, content=content))
    return counted


def _is_none(column: Profile, notation: TableNotation) -> Test:
    """Return the test of a text that is not what its column is taken for."""
    if column.is_typed or column.kind == "category":
        return lambda text: false()
    if column.kind == "number":
        return _is_no_number(notation)
    return _is_no_date("date" if column.kind == "date" else "timestamp", column.dates, notation)


def _is_no_number(notation: TableNotation) -> Test:
    figures = Figures(notation.decimal, notation.thousands)
    return lambda text: is_no_number(text, figures) & (text != notation.declared_mark)


def _is_no_date(unit: Unit, dates: DateFormats | None, notation: TableNotation) -> Test:
    form = dates.formats[0] if dates and dates.formats else None
    plain, with_zone = Calendar(unit, None, form), Calendar(unit, "UTC", form)
    if form is not None or unit == "date":
        return lambda text: (text != notation.declared_mark) & plain.value(text).is_(None)
    return lambda text: (text != notation.declared_mark) & plain.value(text).is_(None) & with_zone.value(text).is_(None)


def _has_address(text: ColumnElement[str]) -> ColumnElement[bool]:
    """Test for an e-mail address in a text; most texts are not looked at twice."""
    return case((contains(text, "@"), has_match(text, EMAIL)), else_=False)


def _is_day_first(form: str) -> bool:
    """Return whether a format has the day before the month."""
    day, month = form.find("%d"), max(form.find("%m"), form.find("%b"), form.find("%B"))
    return 0 <= day < month
