"""Texts of a release that name several values of a column: sets, masks, and ranges of ordered categories."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import islice, takewhile

from sqlalchemy import select

from toolbox.published.notations import mask_of, members_of
from toolbox.published.spans import merged
from toolbox.published.tables import Domain
from toolbox.queries.ends import ends_of
from toolbox.store.store import Store


class Members:
    """Finds the values of sets and masks; reads the values of a column once, and only if they are needed."""

    def __init__(self, store: Store, domain: Domain) -> None:
        self._store = store
        self._domain = domain

    @cached_property
    def _spans(self) -> dict[str, tuple[int, int]]:
        """The values of each name; a value comes before a node of the same name."""
        nodes, spelled = self._domain.nodes, self._domain.spellings
        higher = select(nodes.c.label, nodes.c.first, nodes.c.last).order_by(nodes.c.level.desc())
        spans = {label: (first, last) for label, first, last in self._store.rows(higher)}
        rows = self._store.rows(select(spelled.c.text, spelled.c.value_id))
        # An empty text is what stands for a missing value.
        return spans | {text or "": (value, value) for text, value in rows}

    @cached_property
    def _texts(self) -> list[tuple[str, int]]:
        """All texts in their order, each with its value."""
        spelled = self._domain.spellings
        rows = self._store.rows(select(spelled.c.text, spelled.c.value_id).where(spelled.c.text.is_not(None)))
        return sorted(map(tuple, rows))

    @cached_property
    def _by_number(self) -> dict[float, int]:
        values = self._domain.values
        return dict(map(tuple, self._store.rows(select(values.c.number, values.c.value_id))))

    def of(self, text: str) -> list[tuple[int, int]]:
        """List the ranges of values that a set or mask stands for; none if it is neither, or has an unknown member."""
        if (members := members_of(text)) is not None:
            ranges = [self._named(member) for member in members]
            return [] if None in ranges else merged(span for span in ranges if span is not None)
        if (mask := mask_of(text)) is not None:
            first = bisect_left(self._texts, (mask.prefix, 0))
            alike = takewhile(lambda pair: pair[0].startswith(mask.prefix), islice(self._texts, first, None))
            return merged((value, value) for name, value in alike if len(name) == len(mask.prefix) + mask.hidden)
        return []

    @cached_property
    def _ends(self) -> tuple[dict[str, int], dict[str, int]]:
        """The values of ordered categories, by the texts with which a range may begin or end."""
        spelled = self._domain.spellings
        rows = self._store.rows(select(spelled.c.text, spelled.c.value_id).where(spelled.c.text.is_not(None)))
        values: dict[str, int] = dict(map(tuple, rows))
        bounds = [(ends, value) for text, value in values.items() if (ends := ends_of(text)) and ends.are_intervals]
        begins = {ends.first: value for ends, value in bounds} | values
        return begins, {ends.last: value for ends, value in bounds} | values

    def between(self, text: str) -> tuple[int, int] | None:
        """Find the values from one ordered category to another; None if a text names no such range."""
        if not self._domain.is_ordered or (ends := ends_of(text)) is None:
            return None
        first, last = (values.get(end) for values, end in zip(self._ends, ends[:2], strict=True))
        return None if first is None or last is None or first > last else (first, last)

    def _named(self, name: str) -> tuple[int, int] | None:
        if (span := self._spans.get(name)) is not None:
            return span
        try:
            value = self._by_number.get(float(name)) if self._domain.kind == "number" else None
        except ValueError:
            return None
        return None if value is None else (value, value)
