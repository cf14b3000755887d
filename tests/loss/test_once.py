"""What many metrics ask of one comparison is answered once."""

from dataclasses import replace

from helpers.comparisons import comparison
from helpers.small_tables import quasi_identifier

from toolbox.loss.metric import cache_by_comparison
from toolbox.published.tables import Comparison
from toolbox.store.engine.store import Store

SEX = quasi_identifier("sex", kind="category")


def test_the_same_question_is_answered_once_and_another_comparison_is_asked_anew(store: Store) -> None:
    asked: list[tuple[int, int | None]] = []

    @cache_by_comparison
    def released(comparison: Comparison, place: int, k: int | None = None) -> int:
        """Count the records."""
        asked.append((place, k))
        return comparison.release.records

    beside = comparison(store, "f\nm", "f\nm", [SEX])
    assert [released(beside, 0), released(beside, 0), released(beside, 1), released(beside, 0, k=2)] == [2] * 4
    assert asked == [(0, None), (1, None), (0, 2)]
    fewer = replace(beside, release=replace(beside.release, records=1))
    assert (released(fewer, 0), released(beside, 0)) == (1, 2)
    assert released.__doc__ == "Count the records."
