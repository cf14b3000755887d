"""Each check fails for a method that breaks its promise; without this a check could be empty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from types import SimpleNamespace
from typing import ClassVar

import pandas as pd
import pytest

import toolbox
from toolbox import MethodError
from toolbox.checks import CHECKS, CheckFailed
from toolbox.checks.tables import EXAMPLES, IDENTIFIER, ILLNESS
from toolbox.methods.datafly import Datafly
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.tables import Tables

Anonymize = Callable[..., SimpleNamespace]
BY_NAME = {check.name: check for check in CHECKS}
K3 = [KAnonymity(k=3)]


# Releases that somebody spoils after Mondrian has made them

_made: dict[tuple[str, ...], toolbox.Result] = {}


def released(frame: pd.DataFrame, **arguments: object) -> toolbox.Result:
    """Anonymise; equal tables with equal arguments only once, since those who spoil a release spoil a copy."""
    key = (repr(frame.to_dict("list")), *(f"{name}={value!r}" for name, value in sorted(arguments.items())))
    if key not in _made:
        _made[key] = toolbox.anonymize(frame, **arguments)
    return _made[key]


def spoiled(spoil: Callable[[pd.DataFrame], pd.DataFrame], *, only: str | None = None) -> Anonymize:
    """Anonymise, then spoil the tables of the release, if it has the format."""

    def anonymize(frame: pd.DataFrame, **arguments: object) -> SimpleNamespace:
        result = released(frame, **arguments)
        spoils = only in (None, arguments["output_format"])
        parts = tuple(spoil(part.copy()) if spoils else part for part in result.parts)
        return SimpleNamespace(parts=parts, summary=result.summary)

    return anonymize


def last_record_is_lost(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.head(-1)


def records_are_reversed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.iloc[::-1]


def columns_are_reversed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[list(frame)[::-1]]


def a_note_is_overwritten(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(note="seen by me")


def every_record_stands_alone(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(age=[f"[{row}:{row}]" for row in range(len(frame))]) if "age" in frame else frame


def ages_are_wrong(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(age="[98:99]") if "age" in frame else frame


def ages_are_blanked(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(age="any")


def groups_are_merged(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(group=1)


# Calls that somebody tampers with


def overwrites_its_input(frame: pd.DataFrame, **arguments: object) -> toolbox.Result:
    result = released(frame.copy(), **arguments)
    frame[ILLNESS] = "flu"
    return result


def drops_a_column_of_its_input(frame: pd.DataFrame, **arguments: object) -> toolbox.Result:
    result = released(frame.copy(), **arguments)
    del frame[IDENTIFIER]
    return result


def notes_its_turn() -> Anonymize:
    turns = count()

    def anonymize(frame: pd.DataFrame, **arguments: object) -> SimpleNamespace:
        return spoiled(lambda part: part.assign(note=f"turn {next(turns)}"))(frame, **arguments)

    return anonymize


def looks_at_the_first_row(frame: pd.DataFrame, **arguments: object) -> toolbox.Result:
    """Protect people the better, the later the letter that the first record's illness begins with."""
    return toolbox.anonymize(frame, **arguments | {"models": [KAnonymity(k=3 + ord(frame[ILLNESS][0][0]) - ord("a"))]})


def releases_other_records_after_a_shuffle(frame: pd.DataFrame, **arguments: object) -> SimpleNamespace:
    return spoiled(lambda part: part.assign(stage=part["stage"].tolist()[0]))(frame, **arguments)


def promises_nothing(frame: pd.DataFrame, **arguments: object) -> toolbox.Result:
    return released(frame, **arguments | {"models": [KAnonymity(k=1)]})


def miscounts(frame: pd.DataFrame, **arguments: object) -> SimpleNamespace:
    result = released(frame, **arguments)
    proof = replace(result.summary.proof, smallest_class=2)
    return SimpleNamespace(parts=result.parts, summary=replace(result.summary, proof=proof))


def does_not_hold(frame: pd.DataFrame, **arguments: object) -> SimpleNamespace:
    result = released(frame, **arguments)
    models = tuple(replace(model, holds=False) for model in result.summary.proof.models)
    proof = replace(result.summary.proof, models=models)
    return SimpleNamespace(parts=result.parts, summary=replace(result.summary, proof=proof))


def takes_any_setting(frame: pd.DataFrame, *, dimension: str = "range", **arguments: object) -> toolbox.Result:
    return released(frame, **arguments)


def takes_no_setting(frame: pd.DataFrame, *, dimension: str | None = None, **arguments: object) -> toolbox.Result:
    return toolbox.anonymize(frame, **arguments | ({"k": "no number"} if dimension else {}))


BREACHES = [
    ("every_record_is_present_once", spoiled(last_record_is_lost), "12 records instead of 13"),
    ("every_record_is_present_once", spoiled(records_are_reversed), "rows 0, 1, 2, ... are not those of the input"),
    ("every_record_is_present_once", spoiled(a_note_is_overwritten), "are not those of the input"),
    ("identifiers_are_dropped_and_columns_keep_their_order", spoiled(columns_are_reversed), "instead of"),
    (
        "classes_satisfy_the_models",
        spoiled(every_record_stands_alone),
        "of 1 record, which does not satisfy k-anonymity",
    ),
    ("classes_satisfy_the_models", promises_nothing, "records, which does not satisfy k-anonymity"),
    ("classes_satisfy_the_models", does_not_hold, "does not hold, by the summary itself"),
    ("generalised_values_cover_the_originals", spoiled(ages_are_wrong), "row 0, age: '[98:99]' stands for 23"),
    ("generalised_values_cover_the_originals", spoiled(records_are_reversed), "stands for"),
    ("generalised_values_cover_the_originals", spoiled(last_record_is_lost), "12 records instead of 13"),
    ("input_is_untouched", overwrites_its_input, "changed columns: illness"),
    ("input_is_untouched", drops_a_column_of_its_input, "the columns"),
    ("same_seed_same_result", notes_its_turn(), "two different releases"),
    ("order_of_rows_does_not_matter", looks_at_the_first_row, "after shuffling the input"),
    ("order_of_rows_does_not_matter", releases_other_records_after_a_shuffle, "other records after shuffling"),
    ("formats_agree", spoiled(groups_are_merged, only="anatomy"), "records in genValsDist, of [13] in anatomy"),
    ("formats_agree", spoiled(every_record_stands_alone, only="genValsDist"), "records in genVals, of [1, 1"),
    ("formats_agree", spoiled(lambda frame: frame.assign(stage=1), only="genValsDist"), "other values than genVals"),
    ("the_summary_counts_what_is_released", spoiled(last_record_is_lost), "in the summary,"),
    ("the_summary_counts_what_is_released", miscounts, "smallest_class is 2 in the summary"),
    ("a_hopeless_table_is_refused", promises_nothing, "a release of a table with too few records"),
    ("a_column_with_one_value_keeps_it", spoiled(ages_are_blanked), "the values [('any', 'north')] instead of"),
    ("settings_without_meaning_are_refused", takes_any_setting, "a release with dimension="),
    ("settings_without_meaning_are_refused", takes_no_setting, "SettingError: k is 'no number'"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "anonymize", "seen"), BREACHES)
def test_a_check_catches_what_breaks_its_promise(name: str, anonymize: Anonymize, seen: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        BY_NAME[name](Mondrian, models=K3, anonymize=anonymize)
    promise, given, found, what = caught.value.args
    assert what == "method"
    assert promise == BY_NAME[name].promise
    assert given.startswith("Mondrian on the table")
    assert seen in found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("models", [models for models in EXAMPLES if models[-1].attribute], ids=str)
def test_classes_whose_members_all_share_a_sensitive_value_are_caught(models: tuple[PrivacyModel, ...]) -> None:
    attribute = models[-1].attribute
    shared = spoiled(lambda frame: frame.assign(**{attribute: frame[attribute][0]}))
    with pytest.raises(CheckFailed) as caught:
        BY_NAME["classes_satisfy_the_models"](Mondrian, models=models, anonymize=shared)
    assert f"which does not satisfy {models[-1]}" in str(caught.value)


# Methods that are wrong themselves


@dataclass(frozen=True, kw_only=True)
class ChangesNothing(Datafly):
    """A method that hands back what it is given."""

    name: ClassVar[str] = "ChangesNothing"

    def anonymize(self, tables: Tables) -> Tables:
        return tables


@dataclass(frozen=True, kw_only=True)
class Stumbles(Datafly):
    """A method with a bug."""

    name: ClassVar[str] = "Stumbles"

    def anonymize(self, tables: Tables) -> Tables:
        raise KeyError("level_9")


class TakesAName(Datafly):
    """A method under the name of another."""

    name = "Mondrian"


def test_what_the_proof_of_the_base_class_finds_is_a_broken_promise() -> None:
    with pytest.raises(CheckFailed, match="ProofError: The finished tables do not satisfy") as caught:
        BY_NAME["classes_satisfy_the_models"](ChangesNothing)
    assert "ChangesNothing on the table 'numbers and categories' for k-anonymity (k=3)" in str(caught.value)


def test_a_method_that_raises_breaks_its_promise_and_its_error_is_the_cause() -> None:
    with pytest.raises(CheckFailed, match="MethodError: The method Stumbles failed: KeyError in") as caught:
        BY_NAME["every_record_is_present_once"](Stumbles)
    assert isinstance(caught.value.__cause__, MethodError)
    assert isinstance(caught.value.__cause__.__cause__, KeyError)


def test_a_method_under_the_name_of_another_is_caught() -> None:
    with pytest.raises(CheckFailed, match="Mondrian under the name Mondrian"):
        BY_NAME["found_by_its_name_in_any_case"](TakesAName)


def test_every_check_is_known_to_catch_something() -> None:
    assert {name for name, _, _ in BREACHES} | {"found_by_its_name_in_any_case"} == set(BY_NAME)
