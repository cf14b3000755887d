"""Every metric agrees with its definition, computed record by record, on random small releases."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest
from helpers import brute_losses as brute
from helpers.amounts import times
from helpers.brute_losses import Cell, Column
from helpers.comparisons import comparison
from helpers.small_tables import quasi_identifier
from hypothesis import given, settings
from hypothesis import strategies as st

from toolbox.config.model import QuasiIdentifier
from toolbox.loss.cells import NormalisedCertaintyPenalty
from toolbox.loss.metric import make_standard_metrics, measure_all
from toolbox.store.engine.store import Store

CATEGORIES = ["a", "b", "c", "d", "e", "f", "g"]
NUMBERS = ["-7.5", "-1", "0", "0.25", "2", "10", "1000"]


@dataclass(frozen=True)
class Case:
    """A release beside its original."""

    columns: list[Column]
    attributes: list[QuasiIdentifier]
    labels: list[str]
    k: int

    @property
    def original(self) -> list[tuple[str | None, ...]]:
        return list(zip(*(one.original for one in self.columns), strict=True))

    @property
    def released(self) -> list[tuple[str | None, ...]]:
        texts = ([cell.text for cell in one.released] for one in self.columns)
        return list(zip(*texts, self.labels, strict=True))


def mapped(draw: st.DrawFn, values: list[str], levels: int) -> dict[str | None, tuple[str, ...]]:
    """Draw a tree over values, neighbours together."""
    groups = [str(number) for number, _ in enumerate(values)]
    paths: dict[str | None, tuple[str, ...]] = {value: (value,) for value in values}
    for level in range(1, levels):
        # Values that are one already stay together.
        opens = [before != after and draw(st.booleans()) for before, after in pairwise(groups)]
        groups = [f"L{level}.{sum(opens[:place])}" for place, _ in enumerate(values)]
        paths = {value: (*path, label) for (value, path), label in zip(paths.items(), groups, strict=True)}
    return {value: (*path, "*") for value, path in paths.items()}


@st.composite
def columns(draw: st.DrawFn, size: int, name: str) -> tuple[Column, QuasiIdentifier]:
    kind = draw(st.sampled_from(["number", "category"]))
    pool = NUMBERS if kind == "number" else CATEGORIES
    has_hierarchy = draw(st.booleans())
    listed = [value for value in pool if draw(st.booleans())] or [pool[0]]
    some_missing = draw(st.booleans())
    values: list[str | None] = [*listed, *([None] if some_missing else [])]
    original = draw(st.lists(st.sampled_from(values), min_size=size, max_size=size))
    known = [value for value in listed if value in original]
    if not known:
        original, known = [listed[0], *original[1:]], [listed[0]]
    if not has_hierarchy:
        listed = known
    paths = mapped(draw, listed, draw(st.integers(1, 3)) if has_hierarchy else 1)
    if None in original:
        # A missing value has the root above it and nothing between.
        paths[None] = ("missing", *["missing"] * (len(paths[listed[0]]) - 2), "*")
    domain = frozenset(paths)
    weight = draw(st.sampled_from([0.5, 1.0, 3.0]))
    attribute = quasi_identifier(
        name, kind=kind, hierarchy="\n".join(" ".join(paths[value]) for value in listed) if has_hierarchy else None
    )
    column = Column(original, [], domain, paths, kind == "number" and not has_hierarchy, has_hierarchy, weight)
    released = [draw(cells(column, value, listed, kind)) for value in original]
    return replace(column, released=released), replace(attribute, weight=weight)


@st.composite
def cells(draw: st.DrawFn, column: Column, value: str | None, listed: list[str], kind: str) -> Cell:
    """Draw what is released for a value: itself, a label above it, an interval or a set with it, or nothing."""
    form = draw(st.sampled_from(["value", "value", "label", "any", "*"]))
    numbers = sorted(float(one) for one in column.original if one is not None) if kind == "number" else [0.0]
    if form == "*" or (value is None and form != "value"):
        return Cell("*", column.domain, column.height, numbers[0], numbers[-1], True)
    if form == "label" and column.height > 1:
        level = draw(st.integers(1, column.height - 1))
        return named(column, column.paths[value][level], level)
    if form == "any":
        ends = sorted([listed.index(str(value)), draw(st.integers(0, len(listed) - 1))])
        members = listed[ends[0] : ends[1] + 1]
        return ranged(column, members) if kind == "number" else several(column, members)
    bound = float(value) if kind == "number" and value is not None else 0.0
    return Cell(value, frozenset([value]), 0, bound, bound)


def named(column: Column, label: str, level: int) -> Cell:
    return Cell(label, frozenset(value for value, path in column.paths.items() if path[level] == label), level)


def ranged(column: Column, members: list[str]) -> Cell:
    found = frozenset(members)
    return Cell(f"[{members[0]}:{members[-1]}]", found, level_of(column, found), float(members[0]), float(members[-1]))


def several(column: Column, members: list[str]) -> Cell:
    found = frozenset(members)
    return Cell("{" + ",".join(members) + "}", found, level_of(column, found))


def level_of(column: Column, values: frozenset[str | None]) -> int | None:
    """Return the lowest level at which just these values are one."""
    found = (level for level in range(column.height + 1) if values in column.groups(level))
    return next(found, None)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    size = draw(st.integers(1, 12))
    found = [draw(columns(size, f"q{place}")) for place in range(draw(st.integers(1, 3)))]
    labels = draw(st.lists(st.sampled_from("xyz"), min_size=size, max_size=size))
    return Case([one for one, _ in found], [one for _, one in found], labels, draw(st.integers(1, 4)))


def expected(case: Case) -> dict[tuple[str, str | None], float]:
    """Compute all values by name and column; those that do not apply are absent."""
    found = of_classes(case) | of_levels(case) | of_entropy(case) | of_squares(case)
    weights = [one.weight for one in case.columns]
    even = [1.0] * len(weights)
    for name, cost, shares in (
        ("normalised certainty penalty", brute.penalty, weights),
        ("loss metric (LM)", brute.iyengar, even),
        ("granularity", brute.iyengar, [1 - 1 / len(one.domain) for one in case.columns]),
        ("precision", brute.steps, even),
        ("generalisation intensity", brute.steps, even),
    ):
        losses = [brute.mean(one, cost) for one in case.columns]
        known = [loss for loss in losses if loss is not None]
        columns = {f"q{place}": loss for place, loss in enumerate(losses) if loss is not None}
        if len(known) == len(losses):
            total = sum(loss * share for loss, share in zip(known, shares, strict=True))
            columns[None] = total / sum(shares) if sum(shares) else 0.0  # type: ignore[index]
        higher = name in ("granularity", "precision", "generalisation intensity")
        found |= {(name, column): 1 - loss if higher else loss for column, loss in columns.items()}
    return found


def of_classes(case: Case) -> dict[tuple[str, str | None], float]:
    total, sizes = len(case.labels), brute.class_sizes(case.columns)
    suppressed = total - sum(sizes)
    squares, original = sum(size**2 for size in sizes), Counter(case.original).values()
    small = [size for size in sizes if size < case.k]
    plain, charged = (brute.wrong(case.columns, case.labels, charges_suppressed=one) for one in (False, True))
    least, best = sum(size**2 for size in original), total / len(original)
    found: dict[str, float] = {
        "number of classes": len(sizes),
        "number of combinations": len({row[:-1] for row in case.released}),
        "suppressed records": suppressed,
        "share of suppressed records": suppressed / total,
        "discernibility": squares + suppressed**2,
        "discernibility with suppression": squares - sum(size**2 for size in small) + total * (sum(small) + suppressed),
        "discernibility (ARX)": 1.0
        if total**2 == least
        else min(1.0, 1 - (squares + total * suppressed - least) / (total**2 - least)),
        "classification metric": plain,
        "normalised classification metric": plain / total,
        "classification metric with suppression": charged,
        "normalised classification metric with suppression": charged / total,
    }
    if sizes:
        average = sum(sizes) / len(sizes)
        found["average class size"] = average
        found["C_avg"] = average / case.k
        found["average class size (ARX)"] = 1.0 if total == best else 1 - (average - best) / (total - best)
    return {(name, None): value for name, value in found.items()}


def of_levels(case: Case) -> dict[tuple[str, str | None], float]:
    sizes = brute.class_sizes(case.columns)
    hidden = 1 - sum(sizes) / len(case.labels)
    found: dict[tuple[str, str | None], float] = {}
    levels = [brute.column_level(case.columns, place) for place, _ in enumerate(case.columns)]
    for place, (column, level) in enumerate(zip(case.columns, levels, strict=True)):
        if level is not None:
            found["absolute distance", f"q{place}"] = level
            found["relative distance", f"q{place}"] = level / column.height
            found["full-domain precision", f"q{place}"] = 1 - (level / column.height * (1 - hidden) + hidden)
    if None not in levels:
        for name in ("absolute distance", "relative distance", "full-domain precision"):
            values = [value for (metric, _), value in found.items() if metric == name]
            found[name, None] = sum(values) / (len(values) if name == "full-domain precision" else 1)
    return found


def of_entropy(case: Case) -> dict[tuple[str, str | None], float]:
    size = len(case.labels)
    found: dict[tuple[str, str | None], float] = {}
    doubts = [math.fsum(brute.doubt(one, cell) for cell in one.released) for one in case.columns]
    whole = [size * brute.doubt(one, Cell("*", one.domain, None)) for one in case.columns]
    for place, (bits, most) in enumerate(zip(doubts, whole, strict=True)):
        found["conditional entropy", f"q{place}"] = bits
        found["normalised conditional entropy", f"q{place}"] = bits / most if most else 0.0
    found["conditional entropy", None] = sum(doubts)
    found["normalised conditional entropy", None] = sum(doubts) / sum(whole) if sum(whole) else 0.0
    lost = [brute.entropy_loss(one) for one in case.columns]
    known = [one for one in lost if one is not None]
    kept = {f"q{place}": kept_of(*one) for place, one in enumerate(lost) if one is not None}
    found |= {("non-uniform entropy", column): value for column, value in kept.items()}
    if len(known) == len(lost):
        found["non-uniform entropy", None] = kept_of(sum(bits for bits, _ in known), sum(most for _, most in known))
        weights = [one.weight for one in case.columns]
        weighted = sum(value * weight for value, weight in zip(kept.values(), weights, strict=True))
        found["weighted non-uniform entropy", None] = weighted / sum(weights)
    return found


def of_squares(case: Case) -> dict[tuple[str, str | None], float]:
    found: dict[tuple[str, str | None], float] = {}
    for place, (column, attribute) in enumerate(zip(case.columns, case.attributes, strict=True)):
        if attribute.kind == "number":
            became = [
                (float(x), cell) for x, cell in zip(column.original, column.released, strict=True) if x is not None
            ]
            mean = math.fsum(x for x, _ in became) / len(became)
            lost = math.fsum((x - middle(cell, mean)) ** 2 for x, cell in became)
            total = math.fsum((x - mean) ** 2 for x, _ in became)
            found["SSE/SST", f"q{place}"] = lost / total if total else 0.0
    return found | ({("SSE/SST", None): sum(found.values()) / len(found)} if found else {})


def middle(cell: Cell, mean: float) -> float:
    """Return what a cell stands for: the middle of its numbers, or nothing but the mean of all."""
    numbers = [float(value) for value in cell.values if value is not None]
    return mean if cell.text == "*" else (min(numbers) + max(numbers)) / 2


def kept_of(lost: float, most: float) -> float:
    return 1 - lost / most if most else 1.0


@pytest.mark.slow
@settings(max_examples=times(2, slow=20), deadline=None)
@given(case=cases())
def test_every_metric_is_what_its_definition_says(case: Case, tmp_path_factory: pytest.TempPathFactory) -> None:
    with Store(Path(tmp_path_factory.getbasetemp())) as store:
        beside = comparison(store, case.original, case.released, case.attributes, sensitive=["label"])
        assert beside.unpaired == ""
        found = measure_all(beside, make_standard_metrics(k=case.k), label="label")
        values = {(one.name, one.attribute): one.value for one in found.measures}
        assert values == pytest.approx(expected(case), rel=1e-9, abs=1e-9)
        costs = NormalisedCertaintyPenalty().of_classes(beside).subquery()
        assert all(0 <= cost <= 1 for _, cost in store.rows(costs.select()))
