"""MDAV: groups of k records that are close together, released by their means, which nobody takes for true values."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from helpers.running import run_in_process
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Double, String, case, cast, select

import toolbox
from toolbox import ProofError, ToolboxError, UsageError
from toolbox.methods.anonymizer import find_method
from toolbox.methods.mdav import MDAV
from toolbox.privacy.models.k_anonymity import FewColumnsKAnonymity, KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.tables import Tables

AGES = ["age", "pay"]
PEOPLE = pd.DataFrame(
    {"age": [21, 22, 24, 61, 62, 66], "pay": [10, 12, 11, 50, 53, 51], "ill": ["a", "b", "c", "a", "b", "c"]}
)


def release(people: pd.DataFrame, names: list[str] = AGES, **options: object) -> toolbox.Result:
    said: dict[str, object] = {"k": 3, "order": "input", "undeclared": "drop", **options}
    return toolbox.anonymize(people, quasi_identifiers=names, method="MDAV", **said)  # type: ignore[arg-type]


@pytest.mark.slow
def test_each_number_becomes_the_mean_of_its_group() -> None:
    shown = release(PEOPLE).release
    assert shown["age"].tolist() == ["22.333333333333332"] * 3 + ["63"] * 3
    assert shown["pay"].tolist() == ["11"] * 3 + ["51.333333333333336"] * 3


@pytest.mark.slow
def test_or_the_range_of_its_group_which_covers_it() -> None:
    shown = release(PEOPLE, shows="ranges")
    assert shown.release.values.tolist() == [["[21:24]", "[10:12]"]] * 3 + [["[61:66]", "[50:53]"]] * 3
    assert shown.summary.not_proved == ()


@pytest.mark.slow
def test_the_verdict_the_report_the_codebook_and_the_page_say_that_means_are_not_true(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    said = "anonymize people.csv --qi age,pay --sensitive ill -k 3 --method MDAV --output release.csv"
    files = "--report report.json --html page.html --codebook book.json"
    done = run_in_process(*said.split(), *files.split(), cwd=tmp_path).succeeded()
    assert "not proved age, pay: values are means of groups, and not true of the record." in done.stdout
    sentence = "No value is the one of its record: each is the mean of a group."
    document = json.loads((tmp_path / "report.json").read_text())
    assert [each["not_true"] for each in document["quasi_identifiers"]] == [sentence] * 2
    fields = json.loads((tmp_path / "book.json").read_text())["resources"][0]["schema"]["fields"]
    told = [(each["name"], each["is_true"], each["not_true"]) for each in fields]
    assert told == [("age", False, sentence), ("pay", False, sentence), ("ill", True, "")]
    assert (tmp_path / "page.html").read_text().count(sentence) == 2
    # The judges read a file of numbers: classes are what they were.
    checked = run_in_process("check", "release.csv", "--qi", "age,pay", "-k", 3, "--json", cwd=tmp_path).succeeded()
    assert checked.document["smallest_class"] == 3


@pytest.mark.slow
def test_the_note_says_which_share_of_the_variance_is_lost() -> None:
    # Squares within the groups: 14/3 + 14 of 2499.333 in all of the age, 2 + 14/3 of 2446.833 of the pay.
    (note,) = (note for note in release(PEOPLE).summary.notes if "SSE/SST" in note)
    lost = ((14 / 3 + 14) / 2499.3333 + (2 + 14 / 3) / 2446.8333) / 2
    assert note == f"100 SSE/SST is {100 * lost:.4f}: so many percent of the variance are within the groups of MDAV."


@pytest.mark.slow
@settings(max_examples=5, deadline=None, derandomize=True)
@given(rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=40), k=st.integers(2, 4))
def test_groups_have_k_records_and_their_mean_and_equal_records_stay_together(
    rows: list[tuple[int, int]], k: int
) -> None:
    people = pd.DataFrame(rows, columns=AGES)
    shown = release(people, k=k).release.astype(float).add_suffix("_after")
    groups = people.join(shown).groupby(["age_after", "pay_after"])
    assert groups.size().min() >= k
    for (age, pay), members in groups:
        assert (age, pay) == pytest.approx((members["age"].mean(), members["pay"].mean()))
    assert (people.join(shown).groupby(AGES)["age_after"].nunique() == 1).all()


def test_one_column_alone_is_divided_at_the_least_loss() -> None:
    shown = release(pd.DataFrame({"age": [1, 2, 10, 11, 12, 30, 31]}), ["age"], k=2).release["age"]
    assert shown.tolist() == ["1.5", "1.5", "11", "11", "11", "30.5", "30.5"]


@pytest.mark.slow
def test_the_mean_of_dates_is_a_day_and_numbers_keep_their_notation(tmp_path: Path) -> None:
    dates = pd.DataFrame({"born": ["1970-01-02", "1970-01-06", "1991-05-05", "1992-01-02"]})
    shown = release(dates, ["born"], k=2, kinds={"born": "date"}).release
    assert shown["born"].tolist() == ["1970-01-04"] * 2 + ["1991-09-03"] * 2
    table = tmp_path / "people.csv"
    table.write_text("pay;x\n1,5;a\n2,25;b\n", encoding="utf-8")
    told = toolbox.anonymize(table, quasi_identifiers=["pay"], k=2, method="MDAV", undeclared="drop", decimal=",")
    assert told.release["pay"].tolist() == ["1,875"] * 2


@pytest.mark.slow
def test_persons_count_where_each_has_one_combination() -> None:
    rows = PEOPLE.assign(person=[1, 1, 2, 3, 4, 5])
    rows.loc[1, AGES] = rows.loc[0, AGES]
    done = release(rows, k=2, person="person")
    assert done.summary.proof.persons is not None
    assert done.summary.proof.smallest_class == 2 and done.summary.proof.persons.count == 5


def test_persons_who_have_several_combinations_are_refused() -> None:
    with pytest.raises(UsageError, match=r"MDAV groups persons who have one combination .* and some have several"):
        release(PEOPLE.assign(person=[1, 1, 2, 3, 4, 5]), k=2, person="person")


def test_categories_and_other_models_are_refused() -> None:
    with pytest.raises(UsageError, match="'ill' has categories, which have no mean"):
        release(PEOPLE, ["age", "ill"])
    assert find_method("MDAV").supports(KAnonymity(k=3))
    assert not find_method("MDAV").supports(FewColumnsKAnonymity(k=3, any="1"))
    with pytest.raises(UsageError, match="MDAV cannot honour distinct l-diversity"):
        release(PEOPLE, sensitive=["ill"], models=[KAnonymity(k=3), DistinctLDiversity(l=2, attribute="ill")], k=None)


def test_numbers_whose_squares_are_none_are_refused() -> None:
    with pytest.raises(ToolboxError, match="'age' has numbers too large to add their squares up"):
        release(pd.DataFrame({"age": [1e200, 2e200, 3e200]}), ["age"])


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("k", "published"), [(3, "5.6922"), (5, "9.0884"), (10, "14.1559")])
def test_the_loss_is_the_published_one(shared: Path, k: int, published: str) -> None:
    table = pd.read_csv(shared / "data" / "sdc" / "CASCrefmicrodata.csv")
    names = list(table.columns)
    done = release(table, names, k=k)
    lost = toolbox.measure(table, done.release, quasi_identifiers=names).value("sse-sst")
    assert f"{100 * lost:.4f}" == published
    assert done.summary.proof.classes == len(table) // k
    assert np.allclose(done.release.astype(float).mean(), table.mean())


@dataclass(frozen=True, kw_only=True)
class _TooHigh(MDAV):
    """Adds one to each mean: bounds cover the values still, and the proof must find it."""

    name: ClassVar[str] = "TooHigh"

    def anonymize(self, tables: Tables) -> Tables:
        finished = super().anonymize(tables)
        column = finished.quasi_identifiers[0]
        interval = column.intervals.c
        raised = cast(cast(interval.label, Double) + 1, String)
        is_mean = interval.interval_id > column.root
        label = case((is_mean, raised), else_=interval.label).label("label")
        columns = [label if each.name == "label" else each for each in interval]
        table = finished.store.create("raised", select(*columns), lasting=True)
        return replace(finished, quasi_identifiers=(replace(column, intervals=table), *finished.quasi_identifiers[1:]))


@pytest.mark.slow
def test_the_proof_finds_a_value_that_is_not_the_mean_of_its_class() -> None:
    with pytest.raises(ProofError, match="a value of age is not the mean of its class"):
        toolbox.anonymize(PEOPLE, quasi_identifiers=AGES, k=3, undeclared="drop", method=_TooHigh)


# What the judges say of such a release, which is numbers in a file.


@pytest.mark.slow
def test_measure_says_nothing_of_what_a_cell_covers_and_why() -> None:
    found = toolbox.measure(PEOPLE, release(PEOPLE).release, quasi_identifiers=AGES)
    assert {each.name for each in found.measures} & {"normalised certainty penalty", "precision"} == set()
    reasons = {each.name: each.reason for each in found.left_out}
    assert reasons["normalised certainty penalty"] == "age, pay: the values are not those of the records"
    assert any(
        note.startswith("age, pay: more released records have some value than there are") for note in found.notes
    )


@pytest.mark.slow
def test_measure_tests_that_each_value_is_the_mean_of_the_records_in_its_place() -> None:
    in_order = release(PEOPLE).release
    assert toolbox.measure(PEOPLE, in_order, quasi_identifiers=AGES).value("SSE/SST") < 0.01
    found = toolbox.measure(PEOPLE, in_order.iloc[[3, 0, 1, 2, 4, 5]], quasi_identifiers=AGES)
    (reason,) = (each.reason for each in found.left_out if each.name == "SSE/SST")
    assert reason.startswith("in 6 records age is not what the released value is the mean of: another order")


@pytest.mark.slow
def test_risk_says_nothing_of_whom_a_mean_fits() -> None:
    found = toolbox.risk(release(PEOPLE).release, original=PEOPLE, quasi_identifiers=AGES)
    assert found.risk.consistency is None
    assert "There is no consistency risk of values that are not those of the records: age, pay." in found.notes
    assert found.risk.prosecutor is not None and found.risk.prosecutor.highest == pytest.approx(1 / 3)
    with pytest.raises(UsageError, match="nobody can tell whom they fit"):
        toolbox.risk(release(PEOPLE).release, original=PEOPLE, quasi_identifiers=AGES, matching=True)


@pytest.mark.slow
def test_a_release_of_true_values_is_judged_as_before() -> None:
    found = toolbox.risk(release(PEOPLE, shows="ranges").release, original=PEOPLE, quasi_identifiers=AGES)
    assert found.risk.consistency is not None and found.risk.consistency.lowest == 3
