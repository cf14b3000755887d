"""What an anatomy release must be (Xiao and Tao 2006, properties 1 to 3), judged from its two tables alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

Row = Sequence[Any]


class Record(NamedTuple):
    """One record of the input."""

    quasi_identifiers: tuple[Any, ...]
    sensitive: Any


def is_eligible(values: Sequence[Any], l: int) -> bool:  # noqa: E741
    """Whether groups of l different values can be made at all: no value has more than n/l records."""
    return bool(values) and max(Counter(values).values()) * l <= len(values)


def broken_rules(qit: Sequence[Row], st: Sequence[Row], records: Sequence[Record], l: int) -> list[str]:  # noqa: E741
    """List what is wrong with a release, nothing if all is well.

    Parameters
    ----------
    qit : rows of the original quasi-identifiers, then the group
    st : rows of the group, then the sensitive value
    """
    members = _by_group((row[-1], tuple(row[:-1])) for row in qit)
    values = _by_group((row[0], row[1]) for row in st)
    rules = {
        "QIT and ST name different groups or sizes": _sizes(members) == _sizes(values),
        "a record of QIT is missing, doubled or changed": _counts(qit, slice(-1)) == _given(records, 0),
        "sensitive values are not those of the table": Counter(row[1] for row in st) == _given(records, 1),
        "a group has fewer than l records": all(len(one) >= l for one in values.values()),
        "a sensitive value stands twice in a group": all(len(one) == len(set(one)) for one in values.values()),
        "there are not n/l groups": len(values) == len(records) // l,
        "l or more records are left over": sum(len(one) - l for one in values.values()) < l,
        "QIT is not ordered by group": _is_ascending([row[-1] for row in qit]),
        "ST is not ordered by group": _is_ascending([row[0] for row in st]),
        "a group holds a sensitive value that none of its records has": _values_are_true(members, values, records),
    }
    return [rule for rule, holds in rules.items() if not holds]


def _by_group(pairs: Iterator[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    groups: dict[Any, list[Any]] = defaultdict(list)
    for group, held in pairs:
        groups[group].append(held)
    return dict(groups)


def _sizes(groups: dict[Any, list[Any]]) -> dict[Any, int]:
    return {group: len(held) for group, held in groups.items()}


def _counts(rows: Sequence[Row], columns: slice) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row[columns]) for row in rows)


def _given(records: Sequence[Record], place: int) -> Counter[Any]:
    return Counter(record[place] for record in records)


def _is_ascending(groups: Sequence[Any]) -> bool:
    numbers = [int(group) for group in groups]
    return numbers == sorted(numbers)


def _values_are_true(members: dict[Any, list[Any]], values: dict[Any, list[Any]], records: Sequence[Record]) -> bool:
    """Compare each group's values with those of its records, where quasi-identifiers single all of them out."""
    owned = dict(records)
    if len(owned) < len(records):
        return True
    return all(
        Counter(owned.get(one) for one in held) == Counter(values.get(group, ())) for group, held in members.items()
    )
