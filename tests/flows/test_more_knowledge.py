"""Who knows more learns no less: no figure of disclosure is smaller with another source of knowledge.

What counts as knowledge: the original records, a population, an earlier release, matching everybody, more columns for
who matches, and rows that insiders have told. A threshold, k and a belief are questions, and hierarchies and kinds say
how a release is read. A population takes the place of the knowledge who is in the table: the journalist and the
marketer among it are other attackers than the prosecutor, whose figures stay beside theirs. How strongly a row is
believed in may fall where something is learned, as any probability may; what is certain or impossible stays so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from random import Random
from typing import Any, NamedTuple

import pandas as pd
import pytest
from helpers import amounts
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import toolbox

K = 3
COLUMNS: Mapping[str, Any] = {"quasi_identifiers": ["age", "town"], "sensitive": ["ill"], "k": K}
TOWNS = "abcd"
MORE = [
    ("prosecutor", "highest"),
    ("prosecutor", "average"),
    ("prosecutor", "lowest"),
    ("prosecutor", "records_at_risk"),
    ("prosecutor", "share_at_risk"),
    ("uniqueness", "records"),
    ("uniqueness", "share"),
    ("journalist", "highest"),
    ("journalist", "average"),
    ("journalist", "records_at_risk"),
    ("consistency", "below_k"),
    ("consistency", "alone"),
    ("consistency", "average_risk"),
    ("statistics", "cells_disclosed"),
    ("matching", "matchable_below_k"),
    ("matching", "matchable_with_one"),
]
"""Figures that grow with what is disclosed."""


class Case(NamedTuple):
    """A release of some people, of a population and of an earlier release."""

    people: pd.DataFrame
    population: pd.DataFrame
    release: pd.DataFrame
    earlier: pd.DataFrame


def statistics(values: Sequence[float]) -> str:
    mean = sum(values) / len(values)
    return f"{mean!r}:{sum((value - mean) ** 2 for value in values) / len(values)!r}"


def case(seed: int) -> Case:
    """Draw a release whose cells cover its people, by classes or cell by cell, in the notations of several programs."""
    draw = Random(seed)
    count, unit = draw.randint(3, 8), draw.choice([1, 1, 0.5, 5])
    ages = sorted(20 + unit * draw.randint(0, 7) for _ in range(count))
    towns = [draw.choice("ab") for _ in range(count)]
    if draw.random() < 0.3:
        towns[0] = ""
    rows: list[tuple[str, str, str]] = []
    is_local = draw.random() < 0.5
    while len(rows) < count:
        held = slice(len(rows), len(rows) + draw.randint(1, 4))
        group, names = ages[held], sorted(set(towns[held]))
        labels = [_cells(draw, group, names, lacks_one="" in towns) for _ in group]
        rows += [(*(label if is_local else labels[0]), statistics(group)) for label in labels]
    ills = [draw.choice("xyz") for _ in range(count)]
    release = pd.DataFrame(rows, columns=["age", "town", "age_mean:variance"]).assign(ill=ills)
    others = [(20 + unit * draw.randint(0, 9), draw.choice(TOWNS)) for _ in range(draw.randint(0, 4))]
    people = pd.DataFrame({"age": ages, "town": towns, "ill": ills})
    population = pd.concat([people[["age", "town"]], pd.DataFrame(others, columns=["age", "town"])], ignore_index=True)
    before = [f"[{low}:{high}]" for low, high in zip([ages[0], *ages], [*ages[1:], ages[-1]], strict=False)]
    return Case(people, population, release, pd.DataFrame({"age": before, "town": "*", "ill": ills}))


def _cells(draw: Random, ages: Sequence[float], towns: Sequence[str], *, lacks_one: bool) -> tuple[str, str]:
    low, high = ages[0], ages[-1]
    wide = [f"[{low}:{high + 3})", f"({low - 1}:{high}]", f"[{low // 10 * 10}:{high // 10 * 10 + 10})", f"<={high}"]
    age = draw.choice([f"[{low}:{high}]", *wide, *wide, "*", ""])
    if lacks_one:
        # An empty cell is a missing value then, and stands for nothing else.
        return age, "*" if len(towns) > 1 else towns[0]
    town = draw.choice(["*", "", "{" + ",".join(sorted({*towns, draw.choice("ab")})) + "}"])
    return age, town if len(towns) > 1 or draw.random() < 0.5 else towns[0]


def risks(drawn: Case) -> dict[str, Mapping[str, Any]]:
    """Measure the release with each source of knowledge."""
    known = {"original": drawn.people, "population": drawn.population}
    original = {"original": drawn.people}
    asked: dict[str, Mapping[str, Any]] = {
        "nothing": {},
        "original": original,
        "population": {"population": drawn.population},
        "both": known,
        "earlier": {**original, "earlier": drawn.earlier},
        "age": {**original, "matching": True, "known": ["age"]},
        "matching": {**original, "matching": True},
        "insiders": {**original, "matching": True, "insiders": 0.3},
        "among": {"population": drawn.population, "matching": True},
    }
    found = {name: toolbox.risk(drawn.release, **COLUMNS, **options).document() for name, options in asked.items()}
    return {name: json.loads(json.dumps(document)) for name, document in found.items()}


def figures(document: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for part, name in MORE:
        if (document[part] or {}).get(name) is not None:
            yield f"{part}.{name}", document[part][name]
    for attribute in document["sensitive"]:
        yield from ((name, attribute[name]) for name in ("people", "certain", "largest", "expected_hits"))


def smaller(less: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    with_more = dict(figures(more))
    pairs = {name: (figure, with_more[name]) for name, figure in figures(less) if name in with_more}
    return {name: pair for name, pair in pairs.items() if pair[1] < pair[0] - 1e-9}


@pytest.mark.slow
@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    # By default the example that is written here, and no others.
    phases=tuple(Phase) if amounts.is_thorough() else (Phase.explicit,),
)
@given(st.integers(0, 10**6))
@example(100)
def test_more_knowledge_makes_no_figure_smaller(seed: int) -> None:
    drawn = case(seed)
    found = risks(drawn)
    for less, more in [
        ("nothing", "original"),
        ("nothing", "population"),
        ("original", "both"),
        ("population", "both"),
        ("original", "earlier"),
        ("original", "matching"),
        ("age", "matching"),
    ]:
        assert smaller(found[less], found[more]) == {}, (less, more)
    remaining, consistent = found["matching"]["matching"], found["original"]["consistency"]
    assert remaining["matchable_below_k"] >= consistent["below_k"]
    assert remaining["matchable_with_one"] >= consistent["alone"]
    joint = found["earlier"]["earlier"]
    assert joint["consistency"]["below_k"] >= consistent["below_k"]
    # Who told their row is not counted among the others, and is known all the same.
    others = found["insiders"]["matching"]
    told = remaining["people"] - others["people"]
    for name in ("matchable_below_k", "matchable_with_one"):
        assert others[name] + told >= remaining[name]
    # A row that is certain to be somebody's of the population is theirs among the original records as well.
    assert found["among"]["matching"]["matchable_with_one"] <= remaining["matchable_with_one"]


@pytest.mark.slow
def test_the_rows_that_remain_are_those_of_all_ways_to_give_everybody_one() -> None:
    """Every way is tried, of people who are in the release and of others who are not."""
    for seed in range(amounts.times(3, slow=40)):
        draw = Random(seed)
        ages = [draw.randint(1, 6) for _ in range(4)]
        cells = [sorted({age, draw.randint(1, 6), draw.randint(1, 6)}) for age in ages]
        release = pd.DataFrame({"age": ["[" + f"{cell[0]}:{cell[-1]}" + "]" for cell in cells]})
        everybody = [*ages, draw.randint(1, 6)]
        ways = [
            chosen
            for chosen in permutations(range(len(everybody)), len(cells))
            if all(cell[0] <= everybody[person] <= cell[-1] for person, cell in zip(chosen, cells, strict=True))
        ]
        rows: list[set[int | None]] = [
            {chosen.index(person) if person in chosen else None for chosen in ways} for person in range(len(everybody))
        ]
        population = pd.DataFrame({"age": everybody})
        found = toolbox.risk(release, quasi_identifiers=["age"], population=population, matching=True, k=2).matching
        assert found is not None
        assert found.beliefs is not None
        assert found.beliefs.matchable_with_one == sum(len(held) == 1 and None not in held for held in rows)
        assert found.beliefs.matchable_below_k == sum(len(held - {None}) < 2 for held in rows)


@pytest.mark.slow
@pytest.mark.parametrize(("label", "largest"), [("[40:50)", 44), ("(39:50)", 44), ("[40:50)", 49), ("(36:45)", 44)])
def test_who_knows_the_original_values_solves_what_anybody_solves(label: str, largest: int) -> None:
    """An interval that reaches beyond all values ends with the last of them, which may be somebody's."""
    ages = [40, 41, largest]
    release = pd.DataFrame({"age": [label] * 3, "age_mean:variance": [statistics(ages)] * 3})
    people = pd.DataFrame({"age": ages})
    solved = []
    for known in (range(36, 51), range(40, largest + 1)):
        several = [held for held in combinations_with_replacement(known, 3) if _same(held, ages)]
        solved.append(3 if several == [tuple(ages)] else 0)
    for original, expected in zip((None, people), solved, strict=True):
        found = toolbox.risk(release, quasi_identifiers=["age"], original=original).statistics
        assert found is not None
        assert found.cells_disclosed == expected


def _same(held: Sequence[int], ages: Sequence[int]) -> bool:
    moments = [(sum(values), sum(Fraction(value) ** 2 for value in values)) for values in (held, ages)]
    return moments[0] == moments[1]


@pytest.mark.slow
def test_a_row_of_empty_cells_is_a_class_even_for_who_knows_that_nobody_lacks_a_value() -> None:
    people = pd.DataFrame({"age": [20, 21, 21], "town": ["a", "b", "b"]})
    release = pd.DataFrame({"age": ["", "21", "21"], "town": ["*", "b", "b"]})
    columns = {"quasi_identifiers": ["age", "town"]}
    for known in ({}, {"original": people}, {"population": people}):
        found = toolbox.risk(release, **columns, **known).risk
        assert found.prosecutor is not None
        assert (found.prosecutor.highest, found.uniqueness.records, found.suppressed) == (1, 1, 0)


@pytest.mark.slow
def test_a_set_may_have_members_that_only_the_population_has() -> None:
    people = pd.DataFrame({"town": list("aabb"), "age": [20, 20, 21, 21]})
    population = pd.DataFrame({"town": list("aabbcd"), "age": [20, 20, 21, 21, 25, 27]})
    release = pd.DataFrame({"town": ["{a,c}"] * 2 + ["{b,d}"] * 2, "age": ["{20,25}"] * 2 + ["{21,27}"] * 2})
    columns = {"quasi_identifiers": ["town", "age"]}
    found = toolbox.risk(release, **columns, original=people, population=population, matching=True)
    assert found.risk.consistency is not None
    assert found.risk.consistency.counts == ((2, 4),)
    assert found.risk.journalist is not None
    # Both classes cover three people.
    assert (found.risk.journalist.highest, found.risk.journalist.lowest) == (pytest.approx(1 / 3),) * 2
    assert found.matching is not None
    assert found.matching.beliefs is not None
    assert found.matching.beliefs.counts == ((2, 4),)
    with pytest.raises(toolbox.InputError, match=r"town has values .*'\{a,c\}', '\{b,d\}'.*population="):
        toolbox.risk(release, **columns, original=people)
