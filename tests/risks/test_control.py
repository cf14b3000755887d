"""Attacks on the people of a release and on others: exact counts, by hand and by a brute force."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import toolbox
from toolbox.report.judges.risk import RiskReport
from toolbox.risks.control import ControlledAttack, GroupSuccess

INSIDE = pd.DataFrame({"age": ["20", "20", "30", "40"], "ill": ["flu", "flu", "gout", "gout"]})
OUTSIDE = pd.DataFrame({"age": ["20", "30", "50", "50"], "ill": ["flu", "flu", "gout", "flu"]})
TREE = [("20", "young", "*"), ("30", "old", "*"), ("40", "old", "*"), ("50", "old", "*")]
COVERED = {"20": {"20", "young"}, "30": {"30", "old"}, "40": {"40", "old"}, "50": {"50", "old"}}


def judge(release: pd.DataFrame, inside: Any, outside: Any, **asked: Any) -> RiskReport:
    question = {"quasi_identifiers": ["age"], "sensitive": ["ill"], "hierarchies": {"age": TREE}, "k": 3}
    return toolbox.risk(release, original=inside, control=outside, **{**question, **asked})


def count(report: RiskReport) -> dict[str, tuple[int, int, int, int]]:
    assert report.control is not None
    return {
        attack.name: (attack.inside.successes, attack.inside.people, attack.outside.successes, attack.outside.people)
        for attack in report.control.attacks
    }


def attack_by_hand(release: pd.DataFrame, people: pd.DataFrame, k: int) -> list[int]:
    """Count for each person the rows that fit, and guess the value that most of them have."""
    usual = sorted(Counter(release["ill"]).items(), key=lambda item: (-item[1], item[0]))[0][0]
    found = [0, 0, 0, 0]
    for age, ill in people[["age", "ill"]].to_numpy():
        rows = release[release["age"].isin(COVERED[age])]
        common = sorted(Counter(rows["ill"]).items(), key=lambda item: (-item[1], item[0]))
        guess = common[0][0] if common else usual
        for place, success in enumerate((len(rows) >= 1, 1 <= len(rows) < k, len(rows) == 1, guess == ill)):
            found[place] += success
    return found


@pytest.mark.slow
def test_a_release_as_it_is_tells_of_its_people() -> None:
    """Both of 20 fit two rows, the others one; of others those of 20 and 30 fit, and nobody knows those of 50."""
    found = count(judge(INSIDE, INSIDE, OUTSIDE))
    assert found == {
        "fits": (4, 4, 2, 4),
        "fits few": (4, 4, 2, 4),
        "fits one": (2, 4, 1, 4),
        # Flu for 20, gout for 30; for 50 the first of the most frequent values, flu.
        "value": (4, 4, 2, 4),
    }


@pytest.mark.slow
def test_suppressed_records_fit_nobody_more_than_others() -> None:
    release = pd.DataFrame({"age": ["young", "young", "*", "*"], "ill": ["flu", "flu", "gout", "gout"]})
    found = count(judge(release, INSIDE, OUTSIDE))
    assert (found["fits"], found["value"]) == ((2, 4, 1, 4), (2, 4, 3, 4))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_a_brute_force_counts_the_same(seed: int) -> None:
    generator = np.random.default_rng(seed)

    def draw(records: int) -> pd.DataFrame:
        ages, ills = generator.choice(list(COVERED), records), generator.choice(["cold", "flu", "gout"], records)
        return pd.DataFrame({"age": ages, "ill": ills})

    inside, outside = draw(20), draw(15)
    generalised = [sorted(COVERED[age])[int(generator.integers(0, 2))] for age in inside["age"]]
    release = inside.assign(age=generalised)
    found = count(judge(release, inside, outside))
    expected = zip(attack_by_hand(release, inside, 3), attack_by_hand(release, outside, 3), strict=True)
    assert list(found.values()) == [(one, 20, other, 15) for one, other in expected]


def test_intervals_are_the_published_ones() -> None:
    """Newcombe 1998, table II: 56 of 70 and 48 of 80."""
    attack = ControlledAttack(
        name="fits", inside=GroupSuccess(people=70, successes=56), outside=GroupSuccess(people=80, successes=48)
    )
    assert attack.interval == (0.0524, 0.3339)
    assert attack.difference == pytest.approx(0.2)
    assert attack.advantage == pytest.approx(0.5)
    assert GroupSuccess(people=5, successes=0).interval.low == 0
    never = GroupSuccess(people=5, successes=5)
    assert ControlledAttack(name="fits", inside=never, outside=never).advantage is None


@pytest.mark.slow
def test_without_sensitive_attributes_nothing_is_guessed_and_files_say_the_same(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("release.csv", "inside.csv", "outside.csv")]
    for path, table in zip(paths, (INSIDE, INSIDE, OUTSIDE), strict=True):
        table.to_csv(path, index=False)
    found = toolbox.risk(paths[0], original=paths[1], control=paths[2], quasi_identifiers=["age"], k=3)
    assert count(found) == {"fits": (4, 4, 2, 4), "fits few": (4, 4, 2, 4), "fits one": (2, 4, 1, 4)}


@pytest.mark.slow
def test_the_report_says_it_in_tables_notes_and_the_document() -> None:
    report = judge(INSIDE, INSIDE, OUTSIDE)
    shown = " ".join(str(report).split())
    assert "beside a control group: 4 people in the release, 4 not in it" in shown
    assert "1 to 2 records fit" in shown
    assert "no attack surely succeeds more often" in shown
    document = json.loads(json.dumps(report.document()))["control"]
    assert document["k"] == 3
    assert document["attacks"][3]["attribute"] == "ill"
    assert document["attacks"][0]["inside"] == {"people": 4, "successes": 4, "share": 1.0, "interval": [0.5101, 1.0]}
    many = [pd.concat([table] * 30) for table in (INSIDE, OUTSIDE)]
    surely = judge(INSIDE, *many)
    assert "more than of others (a record fits" in " ".join(str(surely).split())


def test_a_control_group_needs_the_people_of_the_release() -> None:
    with pytest.raises(toolbox.UsageError, match=r"control= is compared .* Also write original="):
        judge(INSIDE, None, OUTSIDE)
    with pytest.raises(toolbox.UsageError, match="ill"):
        judge(INSIDE, INSIDE, OUTSIDE.drop(columns="ill"))
