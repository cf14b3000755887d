"""The risk of a sample, class by class: published figures, the integral that they are, and what is refused."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Double, Integer, cast, literal, select, union_all

from toolbox import check, risk
from toolbox.cli.main import main
from toolbox.errors import InputError, SettingError, UnknownColumnError, UsageError
from toolbox.flows.arguments.checks import SampleDesign
from toolbox.privacy.models.k_map import KMap
from toolbox.risks.individual import _select_individual_risk
from toolbox.store.engine.store import Store

pytestmark = pytest.mark.sampled(3)

SDCMICRO: Mapping[str, Sequence[float]] = {
    "A": [2, 3, 2, 2, 3, 3, 1, 2],
    "B": [3, 3, 3, 3, 3, 3, 4, 3],
    "C": [1, 3, 1, 2, 1, 1, 1, 1],
    "w": [18, 45.5, 39, 17, 92, 8, 123.5, 51],
}
"""The table on which sdcMicro tests its frequencies and risks."""
GUIDE = """
residence gender education status weight
Urban Female Secondary-incomplete Employed 180
Urban Female Secondary-incomplete Employed 180
Urban Female Primary-incomplete Non-LF 215
Urban Male Secondary-complete Employed 76
Rural Female Secondary-complete Unemployed 186
Urban Male Secondary-complete Employed 76
Urban Female Primary-complete Non-LF 180
Urban Male Post-secondary Unemployed 215
Urban Female Secondary-incomplete Non-LF 186
Urban Female Secondary-incomplete Non-LF 76
"""
"""Ten respondents of the practice guide of the IHSN, table 4.1."""


def table(text: str) -> pd.DataFrame:
    names, *rows = (line.split() for line in text.strip().splitlines())
    return pd.DataFrame(rows, columns=names)


def risks_of(store: Store, *classes: tuple[int, float]) -> list[tuple[float, float]]:
    """Return approximate and exact risk of classes of f records that stand for F people."""
    rows = [
        select(
            literal(number).label("equivalence_id"),
            cast(literal(records), Integer).label("size"),
            cast(literal(people), Double).label("people"),
        )
        for number, (records, people) in enumerate(classes)
    ]
    found = _select_individual_risk(union_all(*rows).subquery()).subquery()
    return [tuple(row) for row in store.rows(select(found.c.approximate, found.c.exact).order_by("equivalence_id"))]


def integrate(f: int, people: float) -> float:
    """Return the expected value of 1/F: the integral of p u^(f-1) / (p + q u), by Gauss and Legendre in pieces."""
    p = f / people
    nodes, weights = np.polynomial.legendre.leggauss(60)
    ends = [0.0, *(2.0**-power for power in range(60, -1, -1))]
    total = 0.0
    for low, high in itertools.pairwise(ends):
        u = (high - low) / 2 * nodes + (high + low) / 2
        total += (high - low) / 2 * float(np.sum(weights * p * u ** (f - 1) / (p + (1 - p) * u)))
    return total


@pytest.mark.slow
def test_the_risks_are_those_of_sdcmicro(store: Store) -> None:
    found = risks_of(store, (3, 108), (1, 45.5), (1, 17), (2, 100), (1, 123.5))
    approximate, exact = zip(*found, strict=True)
    assert [round(each, 8) for each in approximate] == [0.01369863, 0.08579129, 0.17707583, 0.01877883, 0.03931625]
    assert [round(each, 8) for each in exact] == [0.01355297, 0.08579129, 0.17707583, 0.01877883, 0.03931625]


@pytest.mark.slow
def test_the_risks_are_those_of_the_practice_guide(store: Store) -> None:
    classes = [(2, 360.0), (1, 215.0), (2, 152.0), (1, 186.0), (1, 180.0), (2, 262.0)]
    assert [round(exact, 4) for _, exact in risks_of(store, *classes)] == [
        0.0054,
        0.0251,
        0.0126,
        0.0282,
        0.029,
        0.0074,
    ]


@pytest.mark.slow
@given(st.integers(1, 400), st.floats(1, 1e9))
def test_the_exact_risk_is_its_integral(store: Store, records: int, times: float) -> None:
    ((_, exact),) = risks_of(store, (records, records * times))
    assert exact == pytest.approx(integrate(records, records * times), rel=1e-9)
    assert exact <= 1 / records * (1 + 1e-12)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("records", [1, 2, 3, 12, 13, 1_000_000])
def test_a_sample_of_everybody_has_the_risk_of_the_class(store: Store, records: int) -> None:
    assert risks_of(store, (records, records)) == [pytest.approx((1 / records, 1 / records))]


def test_a_class_stands_at_least_for_its_own_records(store: Store) -> None:
    assert risks_of(store, (4, 0.5)) == [pytest.approx((0.25, 0.25))]


@pytest.mark.slow
def test_the_figures_of_a_table_are_sums_over_its_records() -> None:
    found = risk(pd.DataFrame(SDCMICRO), quasi_identifiers=["A", "B", "C"], sample_weight="w").sample
    assert found is not None
    each = [0.01369863] * 3 + [0.08579129, 0.17707583] + [0.01877883] * 2 + [0.03931625]
    assert found.approximate.expected == pytest.approx(sum(each), abs=1e-7)
    assert found.approximate.average == pytest.approx(sum(each) / 8, abs=1e-8)
    assert found.approximate.highest == pytest.approx(0.17707583, abs=1e-8)
    assert (found.population, found.fraction, found.smallest) == (394.0, 8 / 394, 17.0)
    assert found.marketer == pytest.approx((3 / 108 + 1 / 45.5 + 1 / 17 + 2 / 100 + 1 / 123.5) / 8)


@pytest.mark.slow
def test_the_marketer_meets_each_record_among_the_people_of_its_class() -> None:
    found = risk(table("age w\n 1 2\n 1 4\n 2 10"), quasi_identifiers=["age"], sample_weight="w").sample
    assert found is not None
    assert found.marketer == pytest.approx((1 / 6 + 1 / 6 + 1 / 10) / 3)


@pytest.mark.slow
def test_without_weights_a_fraction_says_how_many_stand_behind_each_class() -> None:
    both = table("age w\n 1 4\n 1 4\n 2 4\n 3 4")
    by_weight = risk(both, quasi_identifiers=["age"], sample_weight="w").sample
    by_fraction = risk(both, quasi_identifiers=["age"], sampling_fraction=0.25).sample
    assert by_weight is not None
    assert by_fraction is not None
    assert (by_fraction.population, by_fraction.approximate) == (16.0, by_weight.approximate)


@pytest.mark.slow
def test_whoever_finds_one_of_a_household_finds_all() -> None:
    people = table("age w home\n 1 2 a\n 2 4 a\n 3 8 b\n 4 8 -").replace("-", None)
    found = risk(people, quasi_identifiers=["age"], sample_weight="w", household="home", threshold=0.5).sample
    assert found is not None
    assert found.household is not None
    each = [p / (1 - p) * np.log(1 / p) for p in (1 / 2, 1 / 4, 1 / 8, 1 / 8)]
    together = 1 - (1 - each[0]) * (1 - each[1])
    assert found.household.expected == pytest.approx(2 * together + each[2] + each[3])
    assert found.household.records_at_risk == 2


@pytest.mark.slow
def test_a_record_that_is_certain_makes_its_household_certain() -> None:
    people = table("age w home\n 1 1 a\n 2 400 a")
    found = risk(people, quasi_identifiers=["age"], sample_weight="w", household="home").sample
    assert found is not None
    assert found.household is not None
    assert (found.household.highest, found.household.expected) == (1.0, 2.0)


@pytest.mark.slow
def test_a_person_has_one_weight_however_many_records() -> None:
    visits = table("name age w\n a 1 3\n a 1 3\n a 2 3\n b 1 5\n c 2 9")
    found = risk(visits, quasi_identifiers=["age"], person="name", sample_weight="w").sample
    assert found is not None
    # Whoever is in two classes is one of the people of both, and one of the population.
    assert (found.population, found.smallest, found.fraction) == (17.0, 8.0, 3 / 17)


def test_without_weights_each_person_stands_for_as_many_however_many_records() -> None:
    visits = table("name age\n a 1\n a 1\n a 2\n b 1\n c 2")
    found = risk(visits, quasi_identifiers=["age"], person="name", sampling_fraction=0.25).sample
    assert found is not None
    assert (found.population, found.smallest, found.fraction) == (12.0, 8.0, 0.25)


def test_a_person_of_several_weights_is_refused() -> None:
    visits = table("name age w\n a 1 3\n a 2 4\n b 1 5\n c 2 9\n c 2 8")
    said = r"2 persons \(name\) have records of different weights in the column 'w'"
    for judge in (risk, check):
        with pytest.raises(InputError, match=said):
            judge(visits, quasi_identifiers=["age"], person="name", sample_weight="w")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_the_risk_of_persons_is_what_a_brute_force_finds(seed: int) -> None:
    generator = np.random.default_rng(seed)
    persons = generator.permutation(12)[: 6 + seed]
    weights = {int(person): round(1 + 30 * generator.random(), 2) for person in persons}
    who = [*persons, *generator.choice(persons, 10)]
    visits = pd.DataFrame(
        {"who": who, "age": generator.integers(1, 4, len(who)), "w": [weights[int(each)] for each in who]}
    )
    found = risk(visits, quasi_identifiers=["age"], person="who", sample_weight="w", threshold=0.05, k=20).sample
    assert found is not None
    classes = [set(of_age) for _, of_age in visits.groupby("age")["who"]]
    people = [sum(weights[each] for each in members) for members in classes]
    risks = [integrate(len(members), total) for members, total in zip(classes, people, strict=True)]
    everybody = sum(map(len, classes))
    assert found.population == pytest.approx(sum(weights.values()))
    assert found.smallest == pytest.approx(min(people))
    assert found.below_k == sum(len(of) for of, total in zip(classes, people, strict=True) if total < 20)
    expected = sum(len(of) * each for of, each in zip(classes, risks, strict=True))
    assert found.exact.expected == pytest.approx(expected, rel=1e-9)
    assert found.exact.average == pytest.approx(expected / everybody, rel=1e-9)
    assert found.exact.highest == pytest.approx(max(risks), rel=1e-9)
    assert found.exact.records_at_risk == sum(len(of) for of, each in zip(classes, risks, strict=True) if each > 0.05)
    marketer = sum(len(of) / total for of, total in zip(classes, people, strict=True)) / everybody
    assert found.marketer == pytest.approx(marketer, rel=1e-9)


@pytest.mark.slow
def test_suppressed_records_have_no_class_and_no_risk() -> None:
    people = table("age w\n * 3\n 1 4\n 1 4")
    found = risk(people, quasi_identifiers=["age"], sample_weight="w").sample
    assert found is not None
    risk_of_one = 1 / 3 - (1 / 3) ** 2 * np.log(4)
    assert (found.population, found.smallest) == (11.0, 8.0)
    assert found.approximate.expected == pytest.approx(2 * risk_of_one)


def test_a_release_of_suppressed_records_has_no_figures_of_a_sample() -> None:
    assert risk(table("age w\n * 3\n * 4"), quasi_identifiers=["age"], sample_weight="w").sample is None


@pytest.mark.slow
def test_classes_that_stand_for_fewer_people_than_records_are_told() -> None:
    report = risk(table("age w\n 1 0.4\n 1 0.4\n 2 9"), quasi_identifiers=["age"], sample_weight="w")
    assert report.sample is not None
    assert (report.sample.smallest, report.sample.light) == (2.0, 2)
    assert any("2 records are in classes whose weights sum up to less" in note for note in report.notes)


@pytest.mark.parametrize("weight", ["0", "-1", "many", "nan", "inf", "1e308", "1_000", ""])
def test_a_weight_that_is_none_is_refused_without_its_text(weight: str) -> None:
    people = pd.DataFrame({"age": ["1", "2"], "my w": ["2", weight]})
    with pytest.raises(InputError, match=r"1 record has no number above 0 and at most 1e\+15 in the column 'my w'"):
        risk(people, quasi_identifiers=["age"], sample_weight="my w")


def test_columns_of_a_sample_must_be_there() -> None:
    people = table("age w\n 1 2")
    with pytest.raises(UnknownColumnError, match="'v'"):
        risk(people, quasi_identifiers=["age"], sample_weight="v")
    with pytest.raises(UnknownColumnError, match="'home'"):
        risk(people, quasi_identifiers=["age"], sample_weight="w", household="home")


@pytest.mark.parametrize("fraction", [0, 1.01, -1, True, "0.1", float("nan")])
def test_a_fraction_is_a_share(fraction: float) -> None:
    with pytest.raises(SettingError, match="sampling_fraction"):
        risk(table("age\n 1"), quasi_identifiers=["age"], sampling_fraction=fraction)


def test_weights_and_a_fraction_contradict_each_other() -> None:
    with pytest.raises(UsageError, match=r"Leave --sampling-fraction SHARE or --sample-weight NAME out\."):
        SampleDesign(weight="w", fraction=0.1)
    with pytest.raises(UsageError, match="--household goes with a sample"):
        SampleDesign(household="home")


def test_an_estimated_k_map_is_never_called_proved() -> None:
    people = table("age w\n 1 2.5\n 1 2.4\n 2 7")
    report = check(people, quasi_identifiers=["age"], sample_weight="w", models=[KMap(4)])
    assert (report.holds, report.judged[0].is_estimated, report.achieved("k-map")) == (True, True, 4)
    assert report.not_proved == ("k-map 4 holds for people who are estimated by the weights w, and not counted.",)
    assert "estimated, not proved" in str(report)
    assert report.document()["models"][0]["estimated"] is True


def test_an_estimated_k_map_that_fails_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,w\n1,2.5\n1,2.4\n2,7\n")
    words = ["check", str(path), "--qi", "age", "--sample-weight", "w", "--model", "k-map:k=5", "--quiet"]
    assert main(words) == 3


@pytest.mark.slow
def test_a_population_that_is_counted_goes_before_one_that_is_estimated() -> None:
    people, everybody = table("age w\n 1 2\n 1 2"), table("age\n 1\n 1\n 1")
    report = check(people, quasi_identifiers=["age"], sample_weight="w", models=[KMap(3)], population=everybody)
    assert (report.judged[0].achieved, report.judged[0].is_estimated) == (3, False)


@pytest.mark.slow
def test_a_configuration_names_the_weights(tmp_path: Path) -> None:
    path, made, config = (tmp_path / name for name in ("people.csv", "made.csv", "made.xml"))
    path.write_text("age,w\n1,2\n1,4\n2,10\n2,3\n")
    words = ["anonymize", str(path), "--qi", "age", "-k", "2", "-output", str(made), "--sample-weight", "w"]
    assert main([*words, "--undeclared", "pass", "--save-config", str(config), "--quiet"]) == 0
    assert "sampleWeight='w'" in config.read_text()
    from toolbox import load_config

    found = risk(made, config=load_config(config)).sample
    assert found is not None
    assert (found.weight, found.population, found.smallest) == ("w", 19.0, 6.0)


@pytest.mark.slow
def test_a_release_that_dropped_the_weights_says_so(tmp_path: Path) -> None:
    path, made, config = (tmp_path / name for name in ("people.csv", "made.csv", "made.xml"))
    path.write_text("age,w\n1,2\n1,4\n")
    words = ["anonymize", str(path), "--qi", "age", "-k", "2", "-output", str(made), "--sample-weight", "w"]
    assert main([*words, "--undeclared", "drop", "--save-config", str(config), "--quiet"]) == 0
    from toolbox import load_config

    report = risk(made, config=load_config(config))
    assert report.sample is None
    assert any("The release has no w, which holds the sampling weights" in note for note in report.notes)
