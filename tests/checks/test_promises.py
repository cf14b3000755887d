"""What each promise looks at, shown by releases that are written out; `contract` spoils those of a real method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from toolbox.checks import promises
from toolbox.checks.check import Check, Trial
from toolbox.checks.tables import ONE_CLASS, SmallTable
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.models.k_anonymity import KAnonymity

# Nine people of 40 in the north: they may be released as they are, without their names.
K = KAnonymity(k=3)


def summary_of(records: int, *, not_true: str = "") -> SimpleNamespace:
    """Describe one class of all records, and what is not true of the ages."""
    ages = SimpleNamespace(name="age", not_true=not_true)
    proof = SimpleNamespace(
        models=(SimpleNamespace(name="k-anonymity", attribute=None, holds=True),),
        records_suppressed=0,
        records_released=records,
        classes=1,
        smallest_class=records,
        average_class=float(records),
    )
    return SimpleNamespace(proof=proof, records_read=records, records_skipped=0, quasi_identifiers=(ages,))


def releasing(spoil: Callable[[pd.DataFrame], pd.DataFrame], **figures: object) -> Callable[..., Any]:
    """Release a table without its names, spoiled; with other figures in its summary."""

    def anonymize(frame: pd.DataFrame, **arguments: object) -> SimpleNamespace:
        summary = summary_of(len(frame))
        summary.proof = SimpleNamespace(**(vars(summary.proof) | figures))
        return SimpleNamespace(parts=(spoil(frame.drop(columns="name")),), summary=summary)

    return anonymize


def trial(anonymize: Callable[..., Any], table: SmallTable = ONE_CLASS) -> Trial:
    return Trial(Mondrian, (K,), table, anonymize)


def untouched(frame: pd.DataFrame) -> pd.DataFrame:
    return frame


LOOKED_AT = [
    promises.every_record_is_present_once,
    promises.identifiers_are_dropped_and_columns_keep_their_order,
    promises.classes_satisfy_the_models,
    promises.generalised_values_cover_the_originals,
    promises.input_is_untouched,
    promises.same_seed_same_result,
    promises.the_summary_counts_what_is_released,
    promises.a_column_with_one_value_keeps_it,
]


@pytest.mark.parametrize("check", LOOKED_AT, ids=str)
def test_an_honest_release_keeps_the_promise(check: Check) -> None:
    check.try_on(trial(releasing(untouched)))


@pytest.mark.parametrize(
    ("check", "spoil", "seen"),
    [
        (promises.every_record_is_present_once, lambda frame: frame.head(8), "8 records instead of 9"),
        (promises.every_record_is_present_once, lambda frame: frame.iloc[::-1], r"rows 0, 1, 2, \.\.\. are not those"),
        (
            promises.identifiers_are_dropped_and_columns_keep_their_order,
            lambda frame: frame.assign(name="somebody"),
            "the columns .*'name'",
        ),
        (
            promises.classes_satisfy_the_models,
            lambda frame: frame.assign(age=[39, *[40] * 8]),
            "the class .* of 1 record, which does not satisfy k-anonymity",
        ),
        (
            promises.generalised_values_cover_the_originals,
            lambda frame: frame.assign(age=[*["40 to 49"] * 8, "50 and over"]),
            "row 8, age: '50 and over' stands for 40",
        ),
        (promises.a_column_with_one_value_keeps_it, lambda frame: frame.assign(region="cold"), r"\(40.0, 'cold'\)"),
    ],
)
def test_a_spoiled_release_breaks_it(check: Check, spoil: Callable[[pd.DataFrame], pd.DataFrame], seen: str) -> None:
    with pytest.raises(AssertionError, match=seen):
        check.try_on(trial(releasing(spoil)))


@pytest.mark.parametrize(
    "shown", ["40", "[30:50]", "[40:40.5)", "40 to 49", "below 50", "any"], ids="shown as {}".format
)
def test_the_value_itself_a_range_and_a_label_above_it_cover_a_value(shown: str) -> None:
    check = promises.generalised_values_cover_the_originals
    check.try_on(trial(releasing(lambda frame: frame.assign(age=shown))))


def test_a_value_of_which_the_release_says_that_it_is_not_true_need_not_cover_any() -> None:
    def anonymize(frame: pd.DataFrame, **arguments: object) -> SimpleNamespace:
        summary = summary_of(len(frame), not_true="It is a mean.")
        return SimpleNamespace(parts=(frame.drop(columns="name").assign(age="41.5"),), summary=summary)

    promises.generalised_values_cover_the_originals.try_on(trial(anonymize))


@pytest.mark.parametrize(
    ("figures", "seen"),
    [
        ({"classes": 2}, "classes is 2 in the summary, 1 in the release"),
        ({"smallest_class": 3}, "smallest_class is 3 in the summary, 9 in the release"),
        ({"average_class": 4.5}, "average_class is 4.5, 9.0 in the release"),
    ],
)
def test_a_summary_that_miscounts_is_seen(figures: dict[str, object], seen: str) -> None:
    with pytest.raises(AssertionError, match=seen):
        promises.the_summary_counts_what_is_released.try_on(trial(releasing(untouched, **figures)))


def test_an_order_that_matters_is_seen() -> None:
    """The first record of the table is written over that of the last."""
    check = promises.order_of_rows_does_not_matter
    note = MappingProxyType({**ONE_CLASS.columns, "note": tuple("abcdefghi")})
    table = replace(ONE_CLASS, columns=note)
    check.try_on(trial(releasing(untouched), table))
    with pytest.raises(AssertionError, match="other records after shuffling the input"):
        check.try_on(
            trial(releasing(lambda frame: frame.assign(note=[*frame["note"][:8], frame["note"].iloc[0]])), table)
        )


def test_an_answer_to_a_hopeless_table_is_seen() -> None:
    """Two people can never be three."""
    with pytest.raises(AssertionError, match="a release of a table with too few records, which cannot satisfy"):
        promises.a_hopeless_table_is_refused.try_on(trial(releasing(untouched)))
