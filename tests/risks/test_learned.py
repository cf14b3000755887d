"""What classes tell of a sensitive attribute, with a pencil and by brute force."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import pytest
from helpers.questions import question
from helpers.small_tables import arrow
from pytest import approx

from toolbox.flows.judge.judge import TablesToJudge, judge
from toolbox.flows.judge.question import Question
from toolbox.flows.judge.risk import list_risk_measures
from toolbox.risks.sensitive import SensitiveRisk, Similarity, Skewness

ILLNESSES = {"any": {"lungs": ["flu", "cold"], "joints": ["gout", "sprain"]}}

RELEASE = """
age   illness
20-29 flu
20-29 flu
30-39 flu
30-39 cold
40-49 flu
40-49 gout
40-49 gout
40-49 sprain
*     flu
*     cold
"""


def assessed(text: str, sensitive: str, hierarchies: object = None) -> SensitiveRisk:
    (found,) = told(question("age", sensitive=[sensitive], hierarchies=hierarchies or {}), text)
    return found


def told(asked: Question, text: str) -> tuple[SensitiveRisk, ...]:
    wanted = {"sensitive": list_risk_measures(asked, k=2)["sensitive"]}
    found: tuple[SensitiveRisk, ...] = judge(asked, TablesToJudge(release=arrow(text)), wanted).found["sensitive"]
    return found


def test_classes_tell_of_categories_with_a_hierarchy_what_a_pencil_finds() -> None:
    """Of ten records five have flu, and two each gout and colds; one of two people with gout in four is no more than half."""
    assert assessed(RELEASE, "illness", {"illness": ILLNESSES}) == SensitiveRisk(
        attribute="illness",
        people=8,
        believed_above=((0.5, 2), (0.9, 2)),
        certain=2,
        largest=1.0,
        expected_hits=2 + 1 + 2,
        share_without_release=0.5,
        skewness=Skewness(
            # A sprain is one of four in its class, and of ten in all; a cold one of two, and two of ten.
            largest_ratio=approx(2.5),
            grown_by_factor=((2.0, 6), (10.0, 0)),
            grown_by=((0.2, 8), (0.5, 0)),
        ),
        similarity=Similarity(levels=((0, 2), (1, 4)), narrow=()),
    )


def test_numbers_are_near_if_few_records_are_between_them() -> None:
    """Of 40 records two have 1 and 2, two have 3 and 40."""
    rest = "\n".join(f"* {number}" for number in range(5, 41))
    found = assessed(f"age pay\n20-29 1\n20-29 2\n30-39 3\n30-39 40\n{rest}", "pay")
    assert found.similarity == Similarity(levels=(), narrow=((0.05, 2), (0.1, 2)))


def test_people_whose_number_is_certain_are_not_among_those_whose_numbers_are_near() -> None:
    """Of a hundred records 40 have 0 in their class and two have 9; five have 7 or 8, which is a narrow interval."""
    rest = "\n".join(f"* {number}" for number in range(100, 153))
    classes = 40 * "20-29 0\n" + 3 * "30-39 7\n" + 2 * "30-39 8\n" + 2 * "40-49 9\n"
    found = assessed(f"age pay\n{classes}{rest}", "pay")
    assert (found.certain, found.similarity) == (42, Similarity(levels=(), narrow=((0.05, 5), (0.1, 5))))


def test_numbers_written_in_two_ways_are_one_value() -> None:
    found = assessed("age pay\n20-29 1.0\n20-29 1.00\n30-39 2\n30-39 3", "pay")
    assert (found.certain, found.people) == (2, 4)


def test_a_release_without_classes_tells_nothing() -> None:
    assert told(question("age", sensitive=["illness"]), "age illness\n* flu\n* cold") == ()


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(30))
def test_all_figures_are_those_of_a_count_by_hand(seed: int) -> None:
    random = Random(seed)
    people = [(random.choice("abcd*"), random.randrange(1, 9)) for _ in range(random.randrange(5, 60))] + [("a", 3)]
    text = "age pay\n" + "\n".join(f"{age} {pay}" for age, pay in people)
    found = assessed(text, "pay")
    overall = Counter(pay for _, pay in people)
    shares = {pay: count / len(people) for pay, count in overall.items()}
    classes: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for age, pay in people:
        if age != "*":
            classes[age][pay] += 1
    sizes = {age: held.total() for age, held in classes.items()}
    posterior = {age: {pay: n / sizes[age] for pay, n in held.items()} for age, held in classes.items()}

    strongest = {age: max(believed.values()) for age, believed in posterior.items()}
    ratio = {age: max(q / shares[pay] for pay, q in believed.items()) for age, believed in posterior.items()}
    growth = {age: max(q - shares[pay] for pay, q in believed.items()) for age, believed in posterior.items()}
    between = {
        age: sum(n for pay, n in overall.items() if min(held) <= pay <= max(held)) for age, held in classes.items()
    }

    def above(figures: dict[str, float], level: float) -> int:
        return sum(size for age, size in sizes.items() if figures[age] > level + 1e-9)

    assert found.people == sum(sizes.values())
    assert found.certain == above(strongest, 0.999)
    assert dict(found.believed_above) == {0.5: above(strongest, 0.5), 0.9: above(strongest, 0.9)}
    assert found.expected_hits == approx(sum(size * strongest[age] for age, size in sizes.items()))
    assert found.skewness.largest_ratio == approx(max(ratio.values()))
    assert dict(found.skewness.grown_by_factor) == {2: above(ratio, 2), 10: above(ratio, 10)}
    assert dict(found.skewness.grown_by) == {0.2: above(growth, 0.2), 0.5: above(growth, 0.5)}
    assert found.similarity is not None
    near = [age for age, held in classes.items() if len(held) > 1 and between[age] <= 0.1 * len(people) + 1e-9]
    assert dict(found.similarity.narrow)[0.1] == sum(sizes[age] for age in near)
