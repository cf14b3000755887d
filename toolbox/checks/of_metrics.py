"""What every loss metric promises, ours and other people's: one function per promise, tried on small releases."""

from __future__ import annotations

import math
import pickle
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from itertools import pairwise
from typing import Any, Final

from toolbox import LossMetric
from toolbox.checks.check import CheckFailed, require
from toolbox.flows.judge.question import Question, TableDescription, make_question
from toolbox.flows.judge.tables import JudgedTables, check_judged_table, open_judging_store
from toolbox.loss.metric import Measure, measure_all
from toolbox.methods.lattice.checking import Checker
from toolbox.methods.lattice.loss_input import LossInput
from toolbox.methods.lattice.nodes import Levels
from toolbox.methods.lattice.objectives import MeasuredCosts, on_arrays
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
from toolbox.store.tables import Tables

Rows = tuple[tuple[str, ...], ...]
"""Age, region and illness of each record."""
_NAMES: Final = ("age", "region", "illness")
_RANGE = re.compile(r"(\S+) \.\. (.+)")
_REGIONS: Final = {"north": "cold", "east": "cold", "south": "warm", "west": "warm"}
_HIERARCHIES: Final = {
    "age": tuple(
        (str(age), f"{age // 10 * 10}s", "below 50" if age < 50 else "50 and over", "*") for age in range(20, 70)
    ),
    "region": tuple((name, climate, "*") for name, climate in _REGIONS.items()),
}
_ORIGINAL: Final[Rows] = tuple(
    (str(20 + row * 17 % 50), list(_REGIONS)[row * 5 % 4], ("flu", "cold", "gout")[row * row % 3]) for row in range(24)
)
_TOLERANCE = 1e-9
_NODES: Final = ((0, 0), (0, 1), (1, 1), (2, 0), (2, 2), (3, 1), (3, 2))
"""Levels of ages and regions, from nearly all suppressed to all at the root."""


def _generalise_rows(ages: int, regions: int, rows: Rows = _ORIGINAL) -> Rows:
    """Return records with their values at some levels."""
    trees = [{row[0]: row for row in _HIERARCHIES[name]} for name in _NAMES[:2]]
    return tuple((trees[0][age][ages], trees[1][region][regions], ill) for age, region, ill in rows)


def _suppress_some_rows(rows: Rows, count: int) -> Rows:
    return tuple(
        ("*", "*", ill) if place < count else (age, region, ill) for place, (age, region, ill) in enumerate(rows)
    )


RELEASES: Final[dict[str, Rows]] = {
    "the original": _generalise_rows(0, 0),
    "regions at level 1": _generalise_rows(0, 1),
    "both at level 1": _generalise_rows(1, 1),
    "ages at level 2, regions at 1": _generalise_rows(2, 1),
    "ages at level 2, regions at the root": _generalise_rows(2, 2),
    "all at the root": _generalise_rows(3, 2),
}
"""Each generalises the one before it further."""
_SUPPRESSED: Final[dict[str, Rows]] = {
    f"ages at level 2, regions at 1, {count} suppressed": _suppress_some_rows(_generalise_rows(2, 1), count)
    for count in (0, 4, 12)
}


@dataclass(frozen=True)
class MetricTrial:
    """A metric, and how it measures."""

    metric: LossMetric

    def of(self, release: Rows, original: Rows = _ORIGINAL) -> tuple[Measure, ...]:
        """Measure a release."""
        return _measure_release(self.metric, release, original)

    def whole(self, release: Rows, original: Rows = _ORIGINAL) -> float | None:
        """Return the value for the whole table; None if it is left out."""
        values = [measure.value for measure in self.of(release, original) if measure.attribute is None]
        return values[0] if values else None

    def is_better(self, one: float, other: float) -> bool:
        """Return whether one value is clearly better than another."""
        gain = other - one if self.metric.direction == "lower" else one - other
        return gain > _TOLERANCE * max(1.0, abs(one), abs(other))


@cache
def _measure_release(metric: LossMetric, release: Rows, original: Rows) -> tuple[Measure, ...]:
    return _measure_again(metric, release, original)


def _measure_again(metric: LossMetric, release: Rows, original: Rows) -> tuple[Measure, ...]:
    question = _make_question()
    before, after = (check_judged_table(_make_table(rows), question) for rows in (original, release))
    with open_judging_store(question, after, before) as store:
        comparison = JudgedTables(question, store, after, before).compare_with_original(pairs=True)
        return measure_all(comparison, (metric,), _NAMES[2]).measures


def _make_question() -> Question:
    description = TableDescription(
        quasi_identifiers=_NAMES[:2], sensitive=_NAMES[2:], hierarchies=dict(_HIERARCHIES), kinds={"age": "number"}
    )
    return make_question("check_metric()", None, description, None)


def _make_table(rows: Rows) -> Any:
    import pyarrow as pa

    return pa.table(dict(zip(_NAMES, (list(column) for column in zip(*rows, strict=True)), strict=True)))


@dataclass(frozen=True)
class MetricCheck:
    """One promise of every loss metric; call it with a metric, a class or one with its parameters."""

    name: str
    promise: str
    try_on: Callable[[MetricTrial], None] = field(repr=False)

    def __str__(self) -> str:
        return self.name

    def __call__(self, metric: type[LossMetric] | LossMetric) -> None:
        """Try a metric; a class is made with its defaults.

        Raises
        ------
        CheckFailed
            If the promise is broken.
        """
        called = str(getattr(metric, "__name__", type(metric).__name__))
        try:
            self.try_on(MetricTrial(metric if isinstance(metric, LossMetric) else _make_metric(metric)))
        except Exception as error:
            seen = str(error) if isinstance(error, AssertionError) else f"{type(error).__name__}: {error}"
            raise CheckFailed(self.promise, called, seen, "loss metric") from error


def _make_metric(metric: type[Any]) -> LossMetric:
    """Make a metric as `toolbox.measure` does: with its defaults, and the k of the release."""
    settings: dict[str, int] = {"k": 2} if any(each.name == "k" for each in fields(metric)) else {}
    made: LossMetric = metric(**settings)
    return made


_CHECKS: list[MetricCheck] = []


def _check(try_on: Callable[[MetricTrial], None]) -> MetricCheck:
    """Make a check from a function, whose docstring is the promise."""
    _CHECKS.append(MetricCheck(try_on.__name__, (try_on.__doc__ or "").rstrip("."), try_on))
    return _CHECKS[-1]


@_check
def values_are_numbers_under_its_name(trial: MetricTrial) -> None:
    """Give numbers under its own name, first of columns, each once, then of the table, or a reason why not."""
    is_seen = False
    for called, release in {**RELEASES, **_SUPPRESSED}.items():
        measures = trial.of(release)
        for measure in measures:
            require(measure.name == trial.metric.name, f"a value under the name {measure.name!r} of {called}")
            require(math.isfinite(measure.value), f"{measure.value} of {called}")
        where = [measure.attribute for measure in measures]
        expected = [name for name in (*_NAMES[:2], None) if name in where]
        require(where == expected, f"values of {', '.join(map(str, where))} of {called}")
        is_seen = is_seen or bool(measures)
    require(is_seen, "no value of any release")


@_check
def the_same_release_has_the_same_value(trial: MetricTrial) -> None:
    """Give the same values whenever it is asked, and whatever the order of the records."""
    order = random.Random(5).sample(range(len(_ORIGINAL)), len(_ORIGINAL))
    for called, release in list({**RELEASES, **_SUPPRESSED}.items())[2::3]:
        usual = trial.of(release)
        again = _measure_again(trial.metric, release, _ORIGINAL)
        require(_have_same_values(usual, again), f"two values of {called}")
        moved = trial.of(tuple(release[row] for row in order), tuple(_ORIGINAL[row] for row in order))
        require(_have_same_values(usual, moved), f"other values of {called} after shuffling both tables")


@_check
def values_lie_in_its_range(trial: MetricTrial) -> None:
    """Stay within its range, where N is the number of records."""
    match = _RANGE.fullmatch(trial.metric.range)
    require(match is not None, f"the range {trial.metric.range!r}, which is not written as in '0 .. 1'")
    assert match is not None
    low, high = (_end(text, default) for text, default in zip(match.groups(), (-math.inf, math.inf), strict=True))
    for called, release in {**RELEASES, **_SUPPRESSED}.items():
        for measure in trial.of(release):
            slack = _TOLERANCE * max(1.0, abs(measure.value))
            is_within = low - slack <= measure.value <= high + slack
            require(is_within, f"{measure.value} of {called}, and the range is {trial.metric.range}")


@_check
def the_original_is_best(trial: MetricTrial) -> None:
    """Find no release better than the original itself, by its direction."""
    best = trial.whole(_generalise_rows(0, 0))
    for called, release in {**RELEASES, **_SUPPRESSED}.items():
        value = trial.whole(release)
        if best is not None and value is not None:
            require(not trial.is_better(value, best), f"{value} of {called}, better than {best} of the original")


@_check
def more_generalisation_is_never_better(trial: MetricTrial) -> None:
    """Find no release better than one whose values it has generalised further, by its direction."""
    known = [(called, value) for called, rows in RELEASES.items() if (value := trial.whole(rows)) is not None]
    for (before, narrow), (after, wide) in pairwise(known):
        require(not trial.is_better(wide, narrow), f"{wide} of {after}, better than {narrow} of {before}")


@_check
def searches_charge_its_values(trial: MetricTrial) -> None:
    """Measure each release as a search charges it that goes by the costs of its cells, levels or sizes on arrays."""
    if type(trial.metric).needs_label:
        return
    question = _make_question()
    with open_judging_store(question, table := _make_table(_ORIGINAL)) as store:
        tables = Loader(question.config, open_arrow_source(store, table), store).load().tables
        for levels, charged, value in _compare_charges(trial.metric, tables, 2, _NODES):
            is_same = math.isclose(charged, value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
            where = f"ages at level {levels[0]}, regions at {levels[1]}"
            require(is_same, f"{value} of {where}, where a search takes it for {charged}")


@_check
def it_can_be_sent_and_compared(trial: MetricTrial) -> None:
    """Be a frozen dataclass: equal to its copy, in sets and in other processes."""
    sent = pickle.loads(pickle.dumps(trial.metric))
    require(sent == trial.metric and hash(sent) == hash(trial.metric), "another metric after it was sent")


@_check
def it_is_described(trial: MetricTrial) -> None:
    """Say in its docstring what it is, and name a unit and the better direction."""
    metric = type(trial.metric)
    told = metric.__doc__ or ""
    require(told.strip() != "" and not told.startswith(f"{metric.__name__}("), "no docstring")
    require(metric.direction in ("lower", "higher"), f"the direction {metric.direction!r}")
    require(isinstance(metric.unit, str) and metric.unit.strip() != "", f"the unit {metric.unit!r}")


def _end(text: str, default: float) -> float:
    """Return an end of a range; what is no number and not N is unknown."""
    try:
        return float(len(_ORIGINAL)) if text == "N" else float(text)
    except ValueError:
        return default


def _have_same_values(first: Sequence[Measure], second: Sequence[Measure]) -> bool:
    if [one.attribute for one in first] != [one.attribute for one in second]:
        return False
    return all(
        math.isclose(one.value, two.value, rel_tol=1e-9, abs_tol=1e-12) for one, two in zip(first, second, strict=True)
    )


METRIC_CHECKS = tuple(_CHECKS)


def _compare_charges(
    metric: LossMetric, tables: Tables, k: int, nodes: Sequence[Levels]
) -> Iterator[tuple[Levels, float, float]]:
    """Yield for each node the value by which a search on arrays goes, and what the metric measures; none if none does.

    Parameters
    ----------
    k : int
        Smaller classes are suppressed.
    """
    models = (KAnonymity(k=k),)
    checker = Checker(tables, models, tables.record_count)
    charged = on_arrays(metric, tables, checker, checker.frequencies)
    if charged is None or isinstance(charged, str):
        return
    measured = MeasuredCosts(metric, LossInput(tables), models)
    for checked in checker.check(nodes):
        value = measured.value(measured.cost(checked))
        yield checked.node.levels, charged.value(charged.cost(checked)), value
