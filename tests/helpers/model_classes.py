"""Equivalence classes that a test writes out, by their sensitive values, and what a model measures of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from toolbox.config.model import Kind
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.store.engine.store import Store


def classes(
    store: Store, *given: Sequence[Any], column: Sequence[Any] | None = None, kind: Kind = "category"
) -> Classes:
    """Put classes, numbered from 1, into the store; ``column`` if the table has more than these.

    Categories are numbered in the order of their texts, as the toolbox does.
    """
    everything = [value for one in given for value in one] if column is None else list(column)
    codes = {value: value if kind == "number" else code for code, value in enumerate(sorted(set(everything)))}
    numbers = list(range(1, len(given) + 1))
    sizes = store.create_constant(
        "sizes", {"equivalence_id": (int, numbers), "size": (int, [len(one) for one in given])}
    )
    cells = [
        (number, codes[value], count)
        for number, one in zip(numbers, given, strict=True)
        for value, count in Counter(one).items()
    ]
    ids, values, counts = zip(*cells, strict=True)
    histogram = store.create_constant(
        "histogram", {"equivalence_id": (int, ids), "value": (float, values), "records": (int, counts)}
    )
    in_all = Counter(everything)
    overall = store.create_constant(
        "overall", {"value": (float, [codes[value] for value in in_all]), "records": (int, list(in_all.values()))}
    )
    return Classes(sizes, histogram, overall, kind)


def achieved(store: Store, model: PrivacyModel, judged: Classes) -> list[float]:
    """Return what each class achieves, in the order of the classes."""
    rows = sorted(map(tuple, store.rows(model.achieved(judged))))
    assert [number for number, _ in rows] == list(range(1, len(rows) + 1)), "each class is measured once"
    return [value for _, value in rows]


def violating(store: Store, model: PrivacyModel, judged: Classes) -> set[int]:
    """Return the numbers of the classes that do not satisfy a model."""
    return {number for number, _ in store.rows(model.violations(judged))}


def worst(store: Store, model: PrivacyModel, judged: Classes) -> float:
    """Return what the table achieves."""
    measured = model.achieved(judged).subquery()
    return store.scalar(select(model.worst(measured.c.achieved)))
