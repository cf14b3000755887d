"""Treatments on a few values, as a run would apply and recount them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from toolbox.queries.scales import Figures
from toolbox.store.engine.store import Store
from toolbox.treatments.treatment import ReleasedColumn, RunFacts, Treatment, parse_treatment

FACTS = RunFacts(missing=("", "?"), k=2, secret="of the test")


def told(words: str, **facts: Any) -> Treatment:
    """Return a treatment that knows a run."""
    known = {**vars(FACTS), **facts}
    if "decimal" in known:
        known["figures"] = Figures(known.pop("decimal"), known.pop("thousands"))
    return parse_treatment(words).told(RunFacts(**known))


def treated(store: Store, words: str, values: Sequence[Any], kind: type = str, **facts: Any) -> list[Any]:
    """Return what becomes of each value, in a column of texts or of another type."""
    columns = {"record_id": (int, list(range(len(values)))), "c0": (kind, list(values))}
    if not values:
        return []
    rows = store.create_constant("given", columns)
    column = ReleasedColumn("x", source="x", position=0, treatment=told(words, **facts))
    found = store.rows(select(column.select_from_records(rows)).order_by(rows.c.record_id))
    store.drop(rows)
    return [value for (value,) in found]


def broken(
    store: Store, words: str, read: Sequence[tuple[Any, int]], shown: Sequence[tuple[str | None, int]], **facts: Any
) -> int:
    """Return how many cells break the promise."""
    tables = [
        store.create_constant(
            "counted", {name: (str, [text for text, _ in rows]), "size": (int, [size for _, size in rows])}
        )
        for name, rows in (("value", read), ("text", shown))
    ]
    return int(store.scalar(told(words, **facts).count_broken(*tables)))
