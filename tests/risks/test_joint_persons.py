"""Persons who are told apart in a new release and several earlier ones, beside a count of each person."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import chain, zip_longest

import pytest
from helpers.amounts import times
from helpers.brute_joint import Rows, Shown, expose
from helpers.comparisons import records

from toolbox.errors import InputError, UsageError
from toolbox.published.tables import Release, build_release_classes
from toolbox.risks import joint
from toolbox.risks.joint import JointClasses, compare_linked_values, link_persons
from toolbox.store.engine.store import Store

K = 3


def release(store: Store, name: str, rows: Rows) -> Release:
    read = records(store, [(row.label[0] if row.label else "*", row.value, row.person) for row in rows])
    judged = replace(read, positions=(0, 1))
    columns = {"quasi_identifiers": ["town"], "sensitive": ["illness"]}
    return build_release_classes(store, judged.counted, name=name, **columns).count_persons(judged, [2])


def draw(seed: int) -> list[list[Shown]]:
    """Draw a release and one to three earlier ones: persons come and go, some have several rows, some have no name.

    No other table has these persons and labels, so that many tables together are as good as each by itself.
    """
    chosen = random.Random(seed)
    persons = [*(f"{seed}.{number}" for number in range(chosen.randint(3, 12))), None]
    labels = "AB*" if seed % 3 else "ABC"
    return [
        [
            Shown(person, () if label == "*" else (f"{seed}{label}",), chosen.choice(["flu", "cold", "gout"]))
            for person in persons
            if chosen.random() < 0.8
            for label in chosen.choices(labels, k=chosen.choice([1, 1, 1, 2]))
        ]
        + [Shown(f"{seed}.0", (f"{seed}A",), "flu")]
        for _ in range(chosen.choice([2, 2, 3, 4]))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, times(60, slow=400), 20))
def test_whoever_is_in_several_releases_hides_among_those_who_are_alike_in_all_of_these(
    store: Store, first: int
) -> None:
    tables = [draw(seed) for seed in range(first, first + 20)]
    expected = [expose(*releases) for releases in tables]
    merged = [list(chain.from_iterable(rows)) for rows in zip_longest(*tables, fillvalue=[])]
    new, *earlier = [release(store, f"release {place}", rows) for place, rows in enumerate(merged)]
    linked = link_persons(new, earlier)
    found = JointClasses.count(store, linked, K)
    sizes = [size for each in expected for size in each.fewest.values()]
    below = sum(each.below(K) for each in expected)
    assert (found.records, found.below_k, found.alone) == (len(sizes), below, sizes.count(1))
    assert found.smallest == min(sizes)
    assert found.counts == tuple((size, sizes.count(size)) for size in sorted(set(sizes)))
    (values,) = compare_linked_values(new, earlier, linked)
    left = [numbers for each in expected for numbers in each.left.values()]
    assert (values.people, values.fewest) == (len(left), min(map(min, left)))
    assert values.certain == sum(1 in numbers for numbers in left)
    assert values.none == sum(numbers == {0} for numbers in left)
    changed = sum(len(each.changed) for each in expected)
    assert values.changed == changed
    assert values.changed_share == pytest.approx(changed / len(left))


@pytest.mark.slow
def test_nobody_in_common_is_told_with_the_name_of_the_release(store: Store) -> None:
    new, before, other = ([Shown(person, ("A",))] for person in ("P1", "P1", "Q1"))
    read = [release(store, name, rows) for name, rows in (("new", new), ("january", before), ("february", other))]
    with pytest.raises(InputError, match=r"Nobody of the new release is in february\. Are these the same people"):
        link_persons(read[0], read[1:])


def test_too_many_combinations_of_classes_are_refused_before_they_are_made(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [Shown("P1", (label,)) for label in "ABCD"]
    read = [release(store, "any", rows) for _ in range(3)]
    assert store.count(link_persons(read[0], read[1:])) == 4**3
    monkeypatch.setattr(joint, "_MOST_LINKS", 63)
    with pytest.raises(UsageError, match="Name fewer earlier releases at once"):
        link_persons(read[0], read[1:])
