"""Classes beside a population: how many people fit the generalised values of each."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pandas as pd
import pyarrow as pa
import pytest
from helpers.releases import range_ends, set_members
from sqlalchemy import FromClause, column, select, table

import toolbox
from toolbox.config.model import Column, QuasiIdentifier
from toolbox.privacy.classes import Classes
from toolbox.privacy.delta_presence import DeltaPresence
from toolbox.privacy.given_classes import sizes_of
from toolbox.privacy.k_map import KMap
from toolbox.privacy.population import with_population
from toolbox.privacy.results import result_of
from toolbox.store.store import Store

AGE = QuasiIdentifier(column=Column(index=None, name="age"), kind="number")
CITY = QuasiIdentifier(column=Column(index=None, name="city"), kind="category")
Row = tuple[str | None, str | None]


def relation(store: Store, rows: Sequence[Row]) -> FromClause:
    ages, cities = zip(*rows, strict=True)
    given = pa.table({"age": pa.array(ages, pa.string()), "city": pa.array(cities, pa.string())})
    return table(store.register("given", given), column("age"), column("city"))


def beside(store: Store, release: Sequence[Row], population: Sequence[Row]) -> Classes:
    shown = sizes_of(store, relation(store, release), ["age", "city"])
    return with_population(store, shown, relation(store, population), ["age", "city"], [AGE, CITY])


def people(store: Store, classes: Classes) -> dict[tuple[object, ...] | None, int]:
    """Return the people of each class, by its texts."""
    rows = store.rows(select(classes.sizes.c.equivalence_id, classes.sizes.c.text_1, classes.sizes.c.text_2))
    texts = {number: shown for number, *shown in rows}
    assert classes.population is not None
    return {tuple(texts[key]) if key else None: size for key, size in store.rows(select(classes.population))}


RELEASE: list[Row] = [("[20:29]", "{Graz,Linz}")] * 2 + [("[30:39]", "Wien"), ("*", "Wien")]
POPULATION: list[Row] = [
    *[("20", "Graz")] * 3,
    ("29.0", "Linz"),
    ("25", "Wien"),
    ("30", "Wien"),
    ("39", "Wien"),
    ("40", "Graz"),
    (None, "Wien"),
]


def test_somebody_fits_every_class_that_covers_all_their_values(store: Store) -> None:
    """The five of Wien fit ``*``, two of them also the class of the thirties; one of 40 from Graz fits none."""
    assert people(store, beside(store, RELEASE, POPULATION)) == {
        ("[20:29]", "{Graz,Linz}"): 4,
        ("[30:39]", "Wien"): 2,
        ("*", "Wien"): 4,
        None: 1,
    }


def test_a_release_is_judged_by_them(store: Store) -> None:
    judged = beside(store, RELEASE, POPULATION)
    assert result_of(store, judged, KMap(k=2)).achieved == 2
    assert result_of(store, judged, KMap(k=2)).holds
    assert not result_of(store, judged, KMap(k=3)).holds
    assert result_of(store, judged, DeltaPresence(delta_max=0.5)).achieved == 0.5
    assert not result_of(store, judged, DeltaPresence(delta_max=0.5, delta_min=0.1)).holds  # one person fits no class
    assert result_of(store, beside(store, RELEASE, POPULATION[:-2]), DeltaPresence(delta_max=1, delta_min=0.1)).holds


def test_a_class_that_nobody_fits_has_no_people(store: Store) -> None:
    judged = beside(store, [("1", "Rom"), ("20", "Graz")], POPULATION)
    assert people(store, judged) == {("20", "Graz"): 3, None: 6}
    assert result_of(store, judged, KMap(k=1)).achieved == 0


def test_a_release_of_a_sample_is_measured_as_a_plain_program_does(store: Store) -> None:
    draw = random.Random(3)
    everybody = [(str(draw.randrange(20, 60)), draw.choice(["Graz", "Linz", "Wien"])) for _ in range(600)]
    sample = pd.DataFrame(everybody[:150], columns=["age", "city"])
    result = toolbox.anonymize(sample.astype({"age": int}), quasi_identifiers=["age", "city"], k=5)
    release = [(str(age), city) for age, city in result.release.itertuples(index=False)]

    def fits(shown: Row, person: Row) -> bool:
        low, high = range_ends(shown[0]) or (float(shown[0]), float(shown[0]))
        return low <= float(person[0]) <= high and person[1] in (set_members(shown[1]) or [shown[1]])

    expected = {one: sum(fits(one, person) for person in everybody) for one in set(release)}
    nobody = sum(not any(fits(one, person) for one in expected) for person in everybody)
    judged = beside(store, release, everybody)
    assert people(store, judged) == expected | ({None: nobody} if nobody else {})
    counts = Counter(release)
    assert result_of(store, judged, KMap(k=5)).achieved == min(expected.values())
    largest = max(counts[one] / expected[one] for one in expected)
    assert result_of(store, judged, DeltaPresence(delta_max=1)).achieved == pytest.approx(largest)
