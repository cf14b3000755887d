"""A check: what it tries, what it says, and how a researcher uses it."""

from __future__ import annotations

import pickle
import sys

import pytest
from helpers import children

import toolbox.checks
from toolbox.checks import CHECKS, Check, CheckFailed, check_method
from toolbox.checks.check import Trial, require
from toolbox.checks.tables import TABLES
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.models.k_anonymity import KAnonymity

K = [KAnonymity(k=2)]


class Tried:
    """Notes what a check is tried on."""

    def __init__(self) -> None:
        self.trials: list[Trial] = []

    def __call__(self, trial: Trial) -> None:
        self.trials.append(trial)


def check(try_on: object, **options: object) -> Check:
    return Check("some_check", "Do something", try_on, **options)


def test_the_names_of_the_checks_are_those_that_were_promised() -> None:
    assert [check.name for check in CHECKS] == [
        "every_record_is_present_once",
        "identifiers_are_dropped_and_columns_keep_their_order",
        "classes_satisfy_the_models",
        "generalised_values_cover_the_originals",
        "input_is_untouched",
        "same_seed_same_result",
        "order_of_rows_does_not_matter",
        "formats_agree",
        "the_summary_counts_what_is_released",
        "a_hopeless_table_is_refused",
        "a_column_with_one_value_keeps_it",
        "settings_without_meaning_are_refused",
        "found_by_its_name_in_any_case",
    ]
    names = toolbox.checks.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name))


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_a_promise_is_a_sentence(check: Check) -> None:
    assert check.promise[0].isupper()
    assert not check.promise.endswith(".")
    assert str(check) == check.name


def test_given_models_are_tried_on_every_table() -> None:
    tried = Tried()
    check(tried)(Mondrian, models=K)
    assert [trial.table for trial in tried.trials] == list(TABLES)
    assert {trial.models for trial in tried.trials} == {tuple(K)}


def test_without_models_the_first_is_tried_on_every_table_and_each_other_one_on_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = [(KAnonymity(k=2),), (KAnonymity(k=3),)]
    monkeypatch.setattr("toolbox.checks.check.supported_models", lambda method: both)
    tried = Tried()
    check(tried)(Mondrian)
    some = [table for table in TABLES if table.for_every_model]
    assert 1 < len(some) < len(TABLES)
    assert [trial.table for trial in tried.trials if trial.models == both[0]] == list(TABLES)
    assert [trial.table for trial in tried.trials if trial.models == both[1]] == some


def test_a_check_may_name_its_tables_or_be_content_with_any_model(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(KAnonymity(k=2),), (KAnonymity(k=3),)]
    monkeypatch.setattr("toolbox.checks.check.supported_models", lambda method: both)
    tried, content = Tried(), Tried()
    check(tried, tables=TABLES[2:4])(Mondrian)
    check(content, any_model=True)(Mondrian)
    expected = [(models, table) for models in both for table in TABLES[2:4]]
    assert [(trial.models, trial.table) for trial in tried.trials] == expected
    assert [(trial.models, trial.table) for trial in content.trials] == [(both[0], table) for table in TABLES]


def test_a_failure_says_which_promise_is_broken_with_what_and_what_was_seen() -> None:
    with pytest.raises(CheckFailed) as caught:
        check(lambda trial: require(False, "a blue release"))(Mondrian, models=K)
    assert isinstance(caught.value, AssertionError)
    assert str(caught.value) == (
        "A method breaks its promise.\n"
        "  promise: Do something\n"
        "  with:    Mondrian on the table 'numbers and categories' for k-anonymity (k=2)\n"
        "  seen:    a blue release"
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.slow
def test_equal_calls_of_one_trial_give_one_release() -> None:
    trial = Trial(Mondrian, tuple(K), TABLES[0])
    assert trial.release() is trial.release()
    assert trial.release() is not trial.anonymise_again()
    assert trial.release() is not trial.release(seed=2)


def test_check_method_runs_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = Tried()
    monkeypatch.setattr("toolbox.checks.CHECKS", [check(tried, tables=TABLES[:1]), check(tried, tables=TABLES[1:3])])
    check_method(Mondrian, models=K)
    assert len(tried.trials) == 3


@pytest.mark.slow
def test_no_test_framework_is_needed() -> None:
    program = "import sys, toolbox.checks; print(*({'pytest', 'hypothesis', 'pandas'} & set(sys.modules)))"
    result = children.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.split() == []
