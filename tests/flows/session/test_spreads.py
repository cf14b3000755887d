"""How the records of a value spread over classes of all sizes."""

from __future__ import annotations

from sqlalchemy import select

from toolbox.flows.session.histograms import count_at_size, order_of
from toolbox.store.engine.store import Store


def test_one_spread_answers_every_k_and_every_order(store: Store) -> None:
    spread = store.create_constant(
        "spread", {"place": (int, [0, 0, 1, 2]), "size": (int, [1, 5, 2, 9]), "records": (int, [3, 5, 4, 9])}
    )

    def at(k: int) -> list[tuple[int, int, int]]:
        counts = count_at_size(spread, k)
        return store.rows(select(counts).order_by(counts.c.place))

    assert at(1) == [(0, 8, 0), (1, 4, 0), (2, 9, 0)]
    assert at(3) == [(0, 5, 3), (1, 0, 4), (2, 9, 0)]
    counts = count_at_size(spread, 3)
    measures = [measure for sort in ("value", "count", "risk") for measure in order_of(counts, sort)]
    assert store.rows(select(*measures).order_by(counts.c.place)) == [(8, 3 / 8, 8), (4, 1.0, 4), (9, 0.0, 9)]
