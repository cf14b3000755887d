"""Two counts for each value: rows in any order, and the bars of a histogram."""

from __future__ import annotations

from toolbox.flows.session.histograms import CountedValues, Tally, ValueAxis
from toolbox.queries.scales import PLAIN
from toolbox.store.engine.store import Store


def tally(store: Store) -> Tally:
    values = store.create_constant(
        "values", {"place": (int, [0, 1, 2, 3]), "text": (str, ["a", "b", "c", "d"]), "value": (float, [0, 1, 2, 3])}
    )
    counts = store.create_constant(
        "counts",
        {"place": (int, [0, 1, 2, 3, None]), "first": (int, [5, 1, 5, 0, 2]), "second": (int, [0, 2, 1, 1, 9])},
    )
    return Tally(store, ValueAxis("category", PLAIN, values, 4), counts)


def test_what_is_alike_keeps_the_order_of_its_values_and_a_missing_value_is_last(store: Store) -> None:
    found = tally(store)
    first = found.counts.c.first
    assert [row.label for row in found.rows([first])] == ["d", "b", "a", "c", None]
    assert [row.label for row in found.rows([first], descending=True)] == ["a", "c", "b", "d", None]
    assert found.rows([first], offset=1, limit=1) == [CountedValues("b", 1, 1, 2)]
    assert found.count() == 5


def test_the_last_of_too_many_categories_share_a_bar(store: Store) -> None:
    found = tally(store)
    bars = found.bars(None, 3, [found.counts.c.first], descending=True)
    assert (bars.is_binned, bars.bars) == (False, [CountedValues("a", 1, 5, 0), CountedValues("c", 1, 5, 1)])
    assert bars.others == CountedValues("others", 3, 3, 12)
    assert found.bars(None, 4, [], descending=False).others is None
