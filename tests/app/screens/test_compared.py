"""Two variants, figure by figure."""

from __future__ import annotations

from toolbox.app.project.variants import METRICS, Variants
from toolbox.app.screens.protect import compare_variants


def test_the_better_one_of_a_figure_is_marked() -> None:
    variants = Variants()
    for classes, suppressed, share in ((741, 0, 0.85), (300, 12, 0.7)):
        lost = [{"name": METRICS[0], "attribute": name, "value": 1 - share} for name in (None, "age")]
        cells = {"name": "age", "values_before": 9, "values_after": 4, "records": 5, "unchanged": 1, "silent": 2}
        document = {
            "method": "Mondrian",
            "records_released": 5000,
            "classes": classes,
            "smallest_class": 5,
            "records_suppressed": suppressed,
            "records_skipped": 0,
            "requirements": [],
            "risk": None,
            "losses": {"metrics": lost},
            "columns": [{**cells, "example": None, "says_nothing": False}],
        }
        variants.add(words="", fingerprint="", snapshot={}, document=document, seconds=1.0)
    rows = {row.name: (row.values, row.better) for row in compare_variants(*variants.kept)}
    assert rows["Detail left"] == (("85.0 %", "70.0 %"), 0)
    assert rows["Suppressed"] == (("0", "12"), 0)
    assert rows["Classes"] == (("741", "300"), None)
    assert rows["Smallest class"] == (("5", "5"), None)
    assert rows["Highest risk"] == (("–", "–"), None)
    assert rows["Detail left of age"] == (("85.0 %", "70.0 %"), 0)
