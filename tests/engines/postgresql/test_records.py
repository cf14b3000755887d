"""The hashes of PostgreSQL: every salt has a seed of its own, and exchanged values are seen."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from engines.contract import ID, hard_records, rows_of
from engines.postgresql_bench import PostgreSQLBench
from helpers.amounts import some
from hypothesis import given
from hypothesis import strategies as st

from toolbox.engines.engine import CountRequest, Lacking
from toolbox.engines.postgresql.types import _MIXING, _make_seed
from toolbox.errors import UnknownColumnError

SALTS = st.integers(-(2**63), 2**63 - 1)


@given(SALTS, SALTS)
def test_two_salts_have_two_seeds_that_the_server_can_hold(one: int, other: int) -> None:
    assert -(2**63) <= _make_seed(one) < 2**63
    assert (_make_seed(one) == _make_seed(other)) == (one == other)


def test_each_step_of_the_mixing_can_be_undone() -> None:
    assert all(factor % 2 == 1 and 0 < shift < 64 for shift, factor in _MIXING)


def test_the_salts_that_are_tried_first_have_no_seed_that_hashes_like_null() -> None:
    assert 0 not in {_make_seed(salt) for salt in range(-1000, 1000)}


def test_values_that_records_exchange_change_the_sums(bench: PostgreSQLBench) -> None:
    """Whichever two records of one class exchange a value, the sums of their class change."""
    draw = random.Random(4)
    values = [str(draw.random()) for _ in range(200)]
    numbers = list(range(200))
    sums = []
    for exchanged in some(range(0, 100, 5), every=4):
        moved = numbers.copy()
        moved[exchanged], moved[exchanged + 1] = moved[exchanged + 1], moved[exchanged]
        bench.fill(pa.table({"q": ["x"] * 200, "text": values, "n": moved}))
        with bench.engine() as engine:
            engine.schema()
            (row,) = rows_of(engine.count(CountRequest(by=("q",), passed=("text", "n"))).combinations)
            sums.append(row[-2:])
    assert len({first for first, _ in sums}) == len({second for _, second in sums}) == len(sums)


def test_marks_of_missing_values_are_looked_for_in_texts_only(bench: PostgreSQLBench) -> None:
    bench.fill(pa.table({"n": pa.array([1, None], pa.int64()), "t": ["1", "it's \\"]}))
    with bench.engine() as engine:
        engine.schema()
        for column, marks in (("n", ("1",)), ("t", ("it's \\",))):
            request = CountRequest(by=("t",), lacking=(Lacking(column=column, marks=marks),))
            rows = engine.count(request).combinations.to_pylist()
            assert {row["by_1"]: row["unusable"] for row in rows} == {"1": False, None: True}


@pytest.mark.parametrize("field", ["by", "passed", "judged"])
def test_every_column_of_a_request_must_be_there(bench: PostgreSQLBench, field: str) -> None:
    bench.fill(hard_records(3))
    with bench.engine() as engine:
        engine.schema()
        with pytest.raises(UnknownColumnError, match="has no column 'nobody'"):
            engine.count(CountRequest(**{"by": (ID,), field: ("nobody",)}))
