"""Classes of several sizes stand in one bar, and both sides of a release on one scale."""

from toolbox.charts.bar_charts import SizeBar, group_class_sizes, pair_bars

BEFORE = [(1, 4), (7, 1), (9, 2)]
AFTER = [(9, 1), (20, 1)]


def test_records_of_small_classes_are_at_risk_also_within_one_bar() -> None:
    assert group_class_sizes(BEFORE, 8) == [SizeBar(1, "1", 4, 0, 4), SizeBar(6, "6 to 9", 3, 18, 7)]
    assert [bar.records for bar in group_class_sizes(BEFORE, 8)] == [4, 25]
    assert group_class_sizes([], 8) == []


def test_each_bar_stands_beside_that_of_the_same_sizes() -> None:
    drawn = [
        (old.drawn, new.drawn) for old, new in pair_bars(group_class_sizes(BEFORE, 2), group_class_sizes(AFTER, 2))
    ]
    assert drawn == [
        (("1", 0, 4), ("1", 0, 0)),
        (("6 to 9", 25, 0), ("6 to 9", 9, 0)),
        (("20 to 49", 0, 0), ("20 to 49", 20, 0)),
    ]
