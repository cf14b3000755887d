"""What a variant says of losses and risks is what `measure` and `risk` say of the written release."""

from __future__ import annotations

import pandas as pd
import pytest
from helpers.amounts import some

import toolbox
from toolbox.loss.metric import make_standard_metrics

PEOPLE = pd.DataFrame(
    {
        "age": [23, 25, 24, 61, 67, 64, 30, 30, 99, 41],
        "town": ["Graz", "Linz", "Graz", "Wien", "Wien", "Wien", "Linz", "Linz", "Wien", "Graz"],
        "sex": ["f", "m", "f", "m", "f", "m", "m", "f", "f", "m"],
    }
)
HIERARCHIES = {
    "age": [[str(age), f"{age // 20 * 20}+", "*"] for age in sorted(set(PEOPLE["age"]))],
    "town": {"Austria": {"South": ["Graz"], "North": ["Linz", "Wien"]}},
    "sex": {"f": "person", "m": "person"},
}
NAMES = list(PEOPLE)
METRICS = [metric.name for metric in make_standard_metrics()]
METHODS = ["Mondrian", "Datafly", "LocalRecoding", "PrioPrivacy", "Incognito_k", "Singletons"]


@pytest.fixture(scope="module")
def session():
    columns = {"quasi_identifiers": NAMES, "hierarchies": HIERARCHIES, "weights": {"age": 3}}
    with toolbox.open(PEOPLE, **columns) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("method", some(METHODS, every=6, start=2))
def test_losses_and_risk_are_those_of_the_written_release(session: toolbox.Session, method: str) -> None:
    variant = session.run(k=3, method=method, metrics=METRICS, suppression_threshold=2, threshold=0.25)
    release = toolbox.anonymize(**variant.arguments, order="input").release
    theirs = toolbox.measure(PEOPLE, release, quasi_identifiers=NAMES, hierarchies=HIERARCHIES, weights={"age": 3}, k=3)
    ours = variant.losses
    assert ours is not None
    assert [(each.name, each.attribute) for each in ours.measures] == [
        (each.name, each.attribute) for each in theirs.measures
    ]
    for mine, other in zip(ours.measures, theirs.measures, strict=True):
        assert mine.value == pytest.approx(other.value, rel=1e-12, abs=1e-12), mine
    apart = {reason for reason in ours.left_out if "sensitive values" not in reason.reason}
    assert apart == {reason for reason in theirs.left_out if reason.reason != "no class label is named"}
    risk = toolbox.risk(release, quasi_identifiers=NAMES, threshold=0.25).risk
    assert variant.risk == risk.prosecutor
    assert variant.sizes_after == risk.histogram
    assert variant.document()["class_sizes"]["before"] == [{"size": 1, "classes": 10}], (
        "nobody agrees with anybody in all three"
    )


@pytest.mark.slow
def test_suppressed_records_lose_what_they_lose_in_the_release(session: toolbox.Session) -> None:
    variant = session.run(k=4, method="Datafly", quasi_identifiers=["age"], suppression_threshold=1, metrics=["ncp"])
    # 20+ has 5 ages of 6 records, 40+ one, 60+ three, 80+ one: up to the root, nobody is suppressed.
    assert (variant.summary.proof.records_suppressed, variant.losses.value("normalised certainty penalty")) == (0, 1.0)
    variant = session.run(k=2, method="Datafly", quasi_identifiers=["age"], suppression_threshold=2, metrics=["ncp"])
    # 9 ages: six records of classes of 4 ages, three of classes of 3, and two suppressed ones at the root.
    assert variant.summary.proof.records_suppressed == 2
    expected = (5 * 4 / 9 + 3 * 3 / 9 + 2 * 1) / 10
    assert variant.losses.value("normalised certainty penalty") == pytest.approx(expected)


@pytest.mark.slow
def test_the_label_of_a_classifier_is_for_the_written_release(session: toolbox.Session) -> None:
    variant = session.run(k=3, metrics=["classification metric"])
    assert [left_out.reason for left_out in variant.losses.left_out] == [
        "it looks at sensitive values; measure the written release"
    ]


def test_without_metrics_nothing_is_measured(session: toolbox.Session) -> None:
    variant = session.run(k=3)
    assert variant.losses is None
    assert variant.classes is None


@pytest.mark.parametrize(
    ("who", "sizes", "average", "squares"),
    [
        # Each class has two persons, one of them with five records; then a is in both classes.
        ("aaaaabcccccd", [(2, 2)], 2.0, 8),
        ("aaaaabaaaacd", [(2, 1), (3, 1)], 2.5, 13),
    ],
)
def test_persons_are_counted_where_they_are_declared(
    who: str, sizes: list[tuple[int, int]], average: float, squares: int
) -> None:
    visits = pd.DataFrame({"who": list(who), "age": 6 * [30] + 6 * [60]})
    metrics = ["average class size", "C_avg", "discernibility"]
    with toolbox.open(visits, quasi_identifiers=["age"], person="who", records=True) as opened:
        variant = opened.run(k=2, metrics=metrics, keep=True)
        small = [opened.page(variant=variant, smaller_than=size).total for size in (2, 3, 4)]
    assert small == [0, 6 if len(sizes) > 1 else 12, 12]
    risk, losses = variant.risk, variant.losses
    assert risk is not None and losses is not None
    assert (risk.highest, risk.records_at_risk) == (0.5, sum(size * classes for size, classes in sizes))
    assert [(each.size, each.classes) for each in variant.sizes_before] == sizes
    assert [(each.size, each.classes) for each in variant.sizes_after] == sizes
    assert [each.value for each in losses.measures] == [average, average / 2, squares]
    assert (losses.records, losses.persons) == (12, 4)
