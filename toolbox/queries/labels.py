"""From interval ids to the texts of a release, and ranges of ordered categories by their ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import FromClause, and_, case, exists, func, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.hierarchy.hierarchy import MEMBER_NEEDS_QUOTES
from toolbox.queries.dialect import Query, collect_sorted_texts, find_first_match, has_match, is_listed

# Queries that lead from interval ids to the texts of a release, and from intervals to what they cover.


def build_class_labels(equivalence: FromClause, intervals: Sequence[FromClause]) -> Query:
    """Write every class as a reader of the release will see it.

    Parameters
    ----------
    equivalence : FromClause
        EquivalenceTable: ``equivalence_id, size, suppressed, interval_1 ..``.
    intervals : sequence of FromClause
        For each quasi-identifier the table that names its intervals.

    Returns
    -------
    Select, one row per class
        ``equivalence_id, size, suppressed, label_1 ..``.
    """
    joined: FromClause = equivalence
    labels = []
    for index, interval in enumerate(intervals, start=1):
        named = interval.alias()
        joined = joined.join(named, named.c.interval_id == equivalence.c[f"interval_{index}"])
        labels.append(named.c.label.label(f"label_{index}"))
    kept = (equivalence.c.equivalence_id, equivalence.c.size, equivalence.c.suppressed)
    return select(*kept, *labels).select_from(joined)


def is_within_bounds(interval: FromClause, value: ColumnElement[float]) -> ColumnElement[bool]:
    """Test whether the bounds of an interval take a value in."""
    return and_(
        value >= interval.c.low,
        value <= interval.c.high,
        or_(interval.c.low_closed, value > interval.c.low),
        or_(interval.c.high_closed, value < interval.c.high),
    )


def is_within_label(interval: FromClause, ground: FromClause) -> ColumnElement[bool]:
    """Test whether a generalised value, by its members or else by its bounds, stands for a ground value."""
    return case(
        (interval.c.members.is_not(None), is_listed(ground.c.level_0, interval.c.members)),
        else_=is_within_bounds(interval, ground.c.value),
    )


def build_set_label(level_0: ColumnElement[int], member: ColumnElement[str]) -> tuple[ColumnElement[Any], Any]:
    """Aggregate a set of categories into the list of their numbers, and ``{a,b}`` in the same order.

    Parameters
    ----------
    level_0 : ColumnElement
    member : ColumnElement
        The category as `write_member` writes it; a subquery writes it once for all sets that have it.
    """
    numbers, members = collect_sorted_texts(level_0, member, ",")
    return numbers, func.concat("{", members, "}")


def write_member(label: ColumnElement[str]) -> ColumnElement[str]:
    """Write a category as a member of a set.

    A label that holds a comma, a brace, a quote or a line end is quoted, with its quotes doubled, and so is one that
    begins or ends with a blank, so that the set can be read back.
    """
    quoted = func.concat('"', func.replace(label, '"', '""'), '"')
    return case((has_match(label, MEMBER_NEEDS_QUOTES), quoted), else_=label)


def mark_apart(label: ColumnElement[str], taken: FromClause, *different: ColumnElement[bool]) -> ColumnElement[str]:
    """Write a set or an interval so that it differs from every value: with blanks after its bracket if necessary.

    Parameters
    ----------
    label : ColumnElement
        ``{a,b}`` or ``[a:b]``.
    taken : FromClause
        The ``label`` of everything else.
    different : ColumnElement
        What must hold too where a label of the same text means something else.
    """
    blanks = select(func.max(func.length(find_first_match(taken.c.label, "^.( *)", 1)))).scalar_subquery()
    apart = func.concat(func.left(label, 1), func.repeat(" ", blanks + 1), func.substr(label, 2))
    return case((exists().where(taken.c.label == label, *different), apart), else_=label)


# Ranges of ordered categories, named by their ends: ``low..mid``, and of intervals ``(17.9, 35.8]``.

SEPARATOR: Final = ".."
_BEGIN: Final = r"([\[(][^,]+), [^,]+[\])]"
_END: Final = r"[\[(][^,]+, ([^,]+[\])])"


class RangeEnds(NamedTuple):
    """What the name of a range begins and ends with."""

    first: str
    last: str
    are_intervals: bool
    """Whether these are the beginning of one interval and the end of another; otherwise they are categories."""


def name_range(first: ColumnElement[str], last: ColumnElement[str]) -> ColumnElement[str]:
    """Name a range of several categories by the first and the last of them."""
    begin, end = find_first_match(first, f"^{_BEGIN}$", 1), find_first_match(last, f"^{_END}$", 1)
    joined = func.concat(begin, ", ", end)
    return case((and_(begin != "", end != ""), joined), else_=func.concat(first, SEPARATOR, last))


def parse_range_name(text: str) -> RangeEnds | None:
    """Read the name of a range; None if it is none.

    Examples
    --------
    >>> parse_range_name("low..mid"), parse_range_name("(17.9, 35.8]")
    (RangeEnds(first='low', last='mid', are_intervals=False),
     RangeEnds(first='(17.9', last='35.8]', are_intervals=True))
    """
    begin, end = re.fullmatch(_BEGIN, text), re.fullmatch(_END, text)
    if begin is not None and end is not None:
        return RangeEnds(begin[1], end[1], True)
    first, separator, last = text.partition(SEPARATOR)
    return RangeEnds(first, last, False) if separator and first and last else None
