"""Mondrian by regions: cuts of the declared domain, and classes that are named after what the cuts left of it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pandas as pd
import pyarrow as pa
import pytest
from helpers.amounts import times
from helpers.small_tables import declared, load, quasi_identifier, released
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import toolbox
from toolbox.config.formats import AS_IN_2010, OUR_OWN, Compatibility
from toolbox.config.model import Column, QuasiIdentifier
from toolbox.hierarchy.hierarchy import Hierarchy, Interval, Node
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(2)


def number(name: str, root: str) -> QuasiIdentifier:
    """Declare a column of numbers with the root of its hierarchy."""
    node = Node(Interval.parse(root), "the label", text=root)
    return QuasiIdentifier(column=Column(index=None, name=name), kind="number", hierarchy=Hierarchy(node))


def by_regions(
    store: Store,
    table: str | pa.Table,
    columns: list[QuasiIdentifier],
    *,
    k: int = 2,
    compatibility: Compatibility = AS_IN_2010,
    on_missing: str = "skip",
    **chosen: str,
) -> list[str]:
    """Anonymise and prove; each record as a line with blanks between its values."""
    config = replace(declared(columns, on_missing=on_missing), compatibility=compatibility)
    loaded = load(store, table, config)
    used = {"dimension": "interval", "cut": "classic", "naming": "regions"} | chosen
    finished = Mondrian(models=(KAnonymity(k=k),), **used).run(loaded.tables).tables
    return [" ".join(map(str, row)) for row in released(finished, loaded)]


def column(text: str) -> str:
    return "\n".join(["a", *text.split()])


# Names


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("root", "left", "right"),
    [
        ("[0:10]", "[0.0:2.0]", "(2.0:10.0]"),
        ("[0:10)", "[0.0:2.0]", "(2.0:10.0)"),
        ("(0:10]", "(0.0:2.0]", "(2.0:10.0]"),
        ("(0:10)", "(0.0:2.0]", "(2.0:10.0)"),
        ("[ -5e0 : 1e7 ]", "[-5.0:2.0]", "(2.0:1.0E7]"),
    ],
)
def test_a_cut_divides_the_region_at_the_median(store: Store, root: str, left: str, right: str) -> None:
    assert by_regions(store, column("4 2 3 1"), [number("a", root)]) == [right, left, right, left]


@pytest.mark.slow
def test_cuts_are_nested(store: Store) -> None:
    assert by_regions(store, column("1 2 3 4 5 6 7 8"), [number("a", "[0:9]")]) == [
        *["[0.0:2.0]"] * 2,
        *["(2.0:4.0]"] * 2,
        *["(4.0:6.0]"] * 2,
        *["(6.0:9.0]"] * 2,
    ]


@pytest.mark.slow
def test_what_is_not_cut_keeps_the_root_as_its_author_wrote_it(store: Store) -> None:
    assert by_regions(store, column("1 1 5 5 5 5 5"), [number("a", "[ 0 : 1e1 ]")]) == ["[ 0 : 1e1 ]"] * 7


@pytest.mark.slow
def test_a_region_may_shrink_to_one_point(store: Store) -> None:
    assert by_regions(store, column("0 0 1 1"), [number("a", "[0:1]")]) == ["[0.0:0.0]"] * 2 + ["(0.0:1.0]"] * 2


def test_a_cut_below_the_median_leaves_the_median_to_the_right(store: Store) -> None:
    shown = by_regions(store, column("0 0 1 1 1 1 1"), [number("a", "[0:2]")], cut="fallback")
    assert shown == ["[0.0:1.0)"] * 2 + ["[1.0:2.0]"] * 5


@pytest.mark.slow
def test_without_a_hierarchy_the_values_are_the_domain(store: Store) -> None:
    numbers = quasi_identifier("a", kind="number")
    assert by_regions(store, column("4.50 2 3 -1"), [numbers]) == ["(2.0:4.5]", "[-1.0:2.0]"] * 2
    assert by_regions(store, column("4.50 -1"), [numbers]) == ["[-1.0:4.5]"] * 2
    words = quasi_identifier("a", kind="category")
    assert by_regions(store, column("a d c b"), [words]) == ["[0.0:1.0]", "(1.0:3.0]", "(1.0:3.0]", "[0.0:1.0]"]


@pytest.mark.slow
def test_a_missing_value_that_is_kept_widens_the_domain(store: Store) -> None:
    sexes = quasi_identifier("a", hierarchy="F *\nM *")
    assert by_regions(store, column("F M ? ? M F ? ?"), [sexes], on_missing="keep") == [
        *["[0.0:0.0]", "(0.0:1.0]", "(1.0:2.0]", "(1.0:2.0]"],
        *["(0.0:1.0]", "[0.0:0.0]", "(1.0:2.0]", "(1.0:2.0]"],
    ]


@pytest.mark.slow
def test_in_our_own_notation_too_regions_can_be_asked_for(store: Store) -> None:
    shown = by_regions(store, column("1 2 3 4"), [number("a", "[0:9]")], compatibility=OUR_OWN, dimension="range")
    assert shown == ["[0.0:2.0]"] * 2 + ["(2.0:9.0]"] * 2
    uncut = by_regions(store, column("1 2 3"), [number("a", "[0:9]")], compatibility=OUR_OWN)
    assert uncut == ["the label"] * 3


TOWNS = {"*": {"South": ["Graz", "Bruck"], "North": ["Linz", "Wels", "Wien"]}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("declared", "labels"),
    [
        # South is a node; the cut of the north leaves one value, and two that no node has alone.
        ({"hierarchies": {"a": TOWNS}}, {"South", "Linz", "{Wels,Wien}"}),
        ({"kinds": {"a": "category"}}, {"{Bruck,Graz}", "Linz", "{Wels,Wien}"}),
    ],
)
def test_regions_of_categories_are_named_and_read_back_without_a_key(
    declared: dict[str, object], labels: set[str]
) -> None:
    people = pd.DataFrame({"a": ["Graz"] * 2 + ["Bruck"] * 2 + ["Linz"] * 4 + ["Wels"] * 2 + ["Wien"] * 2})
    columns = {"quasi_identifiers": ["a"], **declared}
    release = toolbox.anonymize(people, method="Mondrian", k=4, naming="regions", order="input", **columns).release
    assert set(release["a"]) == labels
    assert toolbox.check(release, quasi_identifiers=["a"]).smallest_class == 4
    for known in ({"quasi_identifiers": ["a"]}, columns):
        if "South" not in labels or known is columns:
            found = toolbox.risk(release, original=people, **known).risk.consistency
            assert found is not None
            assert (found.lowest, found.unmatched) == (4, 0)
            assert 0 < toolbox.measure(people, release, **known).value("normalised certainty penalty") < 1


@pytest.mark.slow
def test_regions_of_declared_codes_and_of_ordered_categories_are_named(store: Store) -> None:
    codes = {text: place for place, text in enumerate(["tailor", "cook", "smith", "nurse"])}
    mapped = QuasiIdentifier(column=Column(index=None, name="a"), kind="category", categories=codes)
    table = column("cook nurse smith tailor cook nurse smith tailor")
    named = by_regions(store, table, [mapped], k=4, compatibility=OUR_OWN)
    assert named == ["{tailor,cook}", "{smith,nurse}", "{smith,nurse}", "{tailor,cook}"] * 2
    ordered = by_regions(store, table, [replace(mapped, ordered=True)], k=4, compatibility=OUR_OWN)
    assert ordered == ["tailor..cook", "smith..nurse", "smith..nurse", "tailor..cook"] * 2
    assert by_regions(store, table, [mapped], k=4) == ["[0.0:1.0]", "(1.0:3.0]", "(1.0:3.0]", "[0.0:1.0]"] * 2


def test_the_widest_regions_can_be_cut_and_values_named(store: Store) -> None:
    shown = by_regions(store, column("1 2 3 4"), [number("a", "[0:9]")], compatibility=OUR_OWN, naming="values")
    assert shown == ["[1:2]"] * 2 + ["[3:4]"] * 2


# Widths


@pytest.mark.slow
def test_the_width_is_a_share_of_the_declared_domain_not_of_the_data(store: Store) -> None:
    """Both regions are whole, so the first column is cut, though b spans 989 of 1000 and a 1 of 100."""
    table, columns = "a b\n1 1\n2 990\n1 500\n2 300\n", [number("a", "[0:100]"), number("b", "[0:1000]")]
    assert [row.split()[0] for row in by_regions(store, table, columns)] == ["[0.0:1.0]", "(1.0:100.0]"] * 2
    assert {row.split()[0] for row in by_regions(store, table, columns, dimension="range")} == {
        "[0.0:1.0]",
        "(1.0:100.0]",
    }
    other = by_regions(store, table, columns[::-1])
    assert [row.split()[1] for row in other] == ["[0.0:300.0]", "(300.0:1000.0]", "(300.0:1000.0]", "[0.0:300.0]"]


@pytest.mark.slow
def test_domains_of_the_greatest_range_have_a_width(store: Store) -> None:
    table = pa.table({"a": ["-1.5e308", "-1e308", "1e308", "1.5e308"]})
    shown = by_regions(store, table, [number("a", "[-1.7e308:1.7e308]")])
    assert shown == ["[-1.7E308:-1.0E308]"] * 2 + ["(-1.0E308:1.7E308]"] * 2


# Against the rule, written anew


class Region(NamedTuple):
    low: float
    high: float
    low_closed: bool
    high_closed: bool
    is_cut: bool = False

    def __str__(self) -> str:
        return f"{'[' if self.low_closed else '('}{self.low}:{self.high}{']' if self.high_closed else ')'}"


def by_rule(records: list[tuple[float, ...]], roots: list[str], k: int) -> list[str]:
    """Name the records one partition after the other; at most one side of a cut is waiting longer than the other."""
    whole = [Interval.parse(root) for root in roots]
    shown = [""] * len(records)

    def visit(part: list[int], regions: list[Region]) -> None:
        best, best_width = None, 0.0
        for place, (region, root) in enumerate(zip(regions, whole, strict=True)):
            ordered = sorted(records[one][place] for one in part)
            median = ordered[(len(ordered) + 1) // 2 - 1]
            left = sum(value <= median for value in ordered)
            width = (region.high - region.low) / (root.high - root.low)
            if min(left, len(part) - left) >= k and width > best_width:
                best, best_width = (place, median), width
        if best is None:
            named = (str(region) if region.is_cut else root for region, root in zip(regions, roots, strict=True))
            text = " ".join(named)
            for one in part:
                shown[one] = text
            return
        place, median = best
        for is_left in (True, False):
            side = [one for one in part if (records[one][place] <= median) == is_left]
            cut = regions[place]._replace(is_cut=True)
            cut = cut._replace(high=median, high_closed=True) if is_left else cut._replace(low=median, low_closed=False)
            visit(side, [*regions[:place], cut, *regions[place + 1 :]])

    visit(list(range(len(records))), [Region(*(one.low, one.high, one.low_closed, one.high_closed)) for one in whole])
    return shown


@pytest.mark.slow
@settings(max_examples=times(2, slow=25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from([-3.25, -1.0, 0.1, 2.0, 250.75]), st.integers(1, 2)),
        min_size=4,
        max_size=24,
    ),
    st.integers(1, 4),
)
def test_the_regions_are_those_of_the_rule(store: Store, records: list[tuple[float, ...]], k: int) -> None:
    if len(records) < k:
        return
    roots = ["[0:10)", "(-10.5:1e3]", "[1:2]"]
    table = pa.table(dict(zip("abc", (list(map(repr, values)) for values in zip(*records, strict=True)), strict=True)))
    columns = [number(name, root) for name, root in zip("abc", roots, strict=True)]
    expected = by_rule([tuple(map(float, record)) for record in records], roots, k)
    assert by_regions(store, table, columns, k=k) == expected
