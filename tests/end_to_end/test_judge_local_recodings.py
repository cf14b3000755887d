"""Releases by local recoding look k-anonymous by their strings, and leave people alone all the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.releases import read_hierarchy

import toolbox

pytestmark = pytest.mark.real

COLUMNS = [
    "sex",
    "salary-class",
    "race",
    "workclass",
    "marital-status",
    "occupation",
    "education",
    "native-country",
    "age",
]


def releases(shared: Path) -> Path:
    return shared / "fixtures" / "prioprivacy" / "releases"


def hierarchies(shared: Path) -> dict[str, list[tuple[str, ...]]]:
    """Return the hierarchies of Adult with a dash where their labels have a blank, as the releases have them."""
    trees = {
        name: read_hierarchy(shared / "data" / "adult_hierarchies" / f"adult_hierarchy_{name}.csv") for name in COLUMNS
    }
    return {
        name: [(value, *(label.replace(" ", "-") for label in labels)) for value, (_, *labels) in tree.items()]
        for name, tree in trees.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "in_classes_below_5", "below_5", "alone", "certain"),
    [
        # Of experiment 2 a study with its own program counted 6,436 people of whom it was more than .9 sure.
        ("exp2_prioprivacy_k5", 13_058, 9_541, 3_545, 6_441),
        pytest.param("exp1_prioprivacy_k5", 4_299, 2_479, 652, 1_466, marks=pytest.mark.slow),
        pytest.param("exp3_prioprivacy_k5", 11_755, 7_833, 2_880, 5_332, marks=pytest.mark.slow),
        pytest.param("exp1_arx_nue_k5", 1, 1, 1, None, marks=pytest.mark.slow),
        pytest.param("exp2_arx_nue_k5", 2, 2, 0, None, marks=pytest.mark.slow),
        pytest.param("exp3_arx_nue_k5", 4, 4, 0, None, marks=pytest.mark.slow),
    ],
)
def test_the_people_of_adult_with_fewer_than_5_consistent_records_and_those_known_for_certain(
    shared: Path, release: str, in_classes_below_5: int, below_5: int, alone: int, certain: int | None
) -> None:
    # Recorded in fixtures/prioprivacy/output_file_checks.csv, and recomputed independently.
    path, original = releases(shared) / f"{release}.csv.gz", shared / "data" / "adult.csv"
    trees, matching = hierarchies(shared), certain is not None
    report = toolbox.risk(path, quasi_identifiers=COLUMNS, original=original, hierarchies=trees, k=5, matching=matching)
    consistency = report.risk.consistency
    assert consistency is not None
    assert (consistency.people, consistency.below_k, consistency.alone) == (30_162, below_5, alone)
    assert consistency.unmatched == 0
    # What ARX suppressed altogether is in no class here; the recorded checks count it as one.
    in_small_classes = sum(one.records for one in report.risk.histogram if one.size < 5)
    assert in_small_classes + report.risk.suppressed == in_classes_below_5
    if matching:
        assert report.matching is not None and report.matching.beliefs is not None
        found = report.matching.beliefs
        assert (found.matchable_below_k, found.matchable_with_one) == (in_classes_below_5, certain)
        assert found.believed_above[-1] == (0.9, certain)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("experiment", [1, 2, 3])
def test_the_published_releases_of_prioprivacy_do_not_satisfy_what_they_claim(shared: Path, experiment: int) -> None:
    path = releases(shared) / f"exp{experiment}_prioprivacy_k5.csv.gz"
    report = toolbox.check(path, quasi_identifiers=COLUMNS, models=[toolbox.KAnonymity(k=5)])
    assert not report.holds
    assert report.smallest_class == 1
