"""When a published number and ours are equal, when the difference is explained, and when nobody knows."""

import pytest
from reproductions.frame import Number, Source, Table, Verdict

EQUAL, EXPLAINED, IMPOSSIBLE, UNKNOWN = Verdict


def number(**more) -> Number:
    return Number(row="S", column="DV", **{"published": 10, "ours": 10, **more})


def test_verdicts() -> None:
    assert [
        number().verdict,
        number(ours=11).verdict,
        number(ours=11, why="a typing error").verdict,
        number(ours=11, why="a typing error", known=11).verdict,
        number(ours=12, why="a typing error", known=11).verdict,
        number(ours=None, why="not at hand").verdict,
        number(ours=None).verdict,
        number(published="yes", ours="no").verdict,
        number(published="comma", ours="comma").verdict,
        number(published="10").verdict,
    ] == [EQUAL, UNKNOWN, EXPLAINED, EXPLAINED, UNKNOWN, IMPOSSIBLE, UNKNOWN, UNKNOWN, EQUAL, UNKNOWN]


def test_equal_is_what_lies_within() -> None:
    # 0.785 + 0.0005 is above 0.7855 in binary
    found = [number(published=0.785, ours=ours, within=0.0005).verdict for ours in (0.7855, 0.7845, 0.7856, 0.7844)]
    assert found == [EQUAL, EQUAL, UNKNOWN, UNKNOWN]


def test_a_source_counts_what_no_table_lists_and_names_what_nobody_explains() -> None:
    source = Source("paper", {"table1": Table([number(), number(ours=11), number(ours=12, why="known")])}, lacking=5)
    assert source.verdicts() == {EQUAL: 1, UNKNOWN: 1, EXPLAINED: 1, IMPOSSIBLE: 5}
    assert list(source.unexplained()) == ["paper, table1, S, DV: published 10, ours 11; nobody knows why"]


def test_what_the_authors_recorded_is_not_counted_as_ours() -> None:
    source = Source("paper", {"table1": Table([number()]), "runs": Table([number(ours=9)], beside="recorded runs")})
    assert source.verdicts() == {EQUAL: 1, IMPOSSIBLE: 0}
    assert list(source.unexplained()) == ["paper, runs, S, DV: published 10, recorded runs 9; nobody knows why"]


def test_a_table_without_numbers_compares_nothing() -> None:
    with pytest.raises(ValueError, match="at least one number"):
        Table([])
