"""Each check of the contract fails for a method that breaks it; without this a check could be empty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pandas as pd
import pytest

from .checks import (
    CHECKS,
    QIDS,
    Method,
    Released,
    check_a_column_with_one_value_keeps_it,
    check_a_table_with_fewer_records_than_k_is_refused,
    check_all_formats_show_the_same_classes,
    check_classes_satisfy_the_models,
    check_every_record_is_present_once,
    check_identifiers_are_dropped_and_columns_keep_their_order,
    check_input_is_untouched,
    check_it_is_found_by_its_name_in_any_case,
    check_same_seed_same_result,
    check_settings_of_no_meaning_are_refused,
    check_the_summary_counts_what_is_released,
    check_values_cover_the_originals,
)


@dataclass(frozen=True)
class Broken(Method):
    """Mondrian, whose release somebody spoils."""

    spoil: Callable[[pd.DataFrame], pd.DataFrame]

    def release(self, table: pd.DataFrame, **more: object) -> Released:
        released = super().release(table, **more)
        parts = tuple(map(self.spoil, released.parts))
        return replace(released, frame=parts[0], parts=parts)


def last_record_is_lost(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.head(-1)


def records_are_reversed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.iloc[::-1]


def columns_are_reversed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[list(frame)[::-1]]


def first_record_stands_alone(frame: pd.DataFrame) -> pd.DataFrame:
    return with_first(frame, {"age": "23", "region": "north", "sex": "F"})


def first_value_is_wrong(frame: pd.DataFrame) -> pd.DataFrame:
    return with_first(frame, {"age": "[98:99]"})


def everything_is_blanked(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**dict.fromkeys(QIDS, "*"))


def groups_are_merged(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(group=1) if "group" in frame else frame


def with_first(frame: pd.DataFrame, values: dict[str, str]) -> pd.DataFrame:
    spoiled = frame.copy()
    spoiled.loc[0, list(values)] = list(values.values())
    return spoiled


class OverwritesItsInput(Method):
    def release(self, table: pd.DataFrame, **more: object) -> Released:
        table["age"] = 0
        return super().release(table.assign(age=40), **more)


class IgnoresItsSeed(Method):
    def release(self, table: pd.DataFrame, **more: object) -> Released:
        released = super().release(table, **more)
        return replace(released, parts=tuple(part.sample(frac=1) for part in released.parts))


class AcceptsEverything(Method):
    def release(self, table: pd.DataFrame, **more: object) -> Released:
        return super().release(table, **{name: value for name, value in more.items() if value != "nonsense"} | {"k": 1})


BREACHES = [
    (check_every_record_is_present_once, Broken("Mondrian", last_record_is_lost)),
    (check_every_record_is_present_once, Broken("Mondrian", records_are_reversed)),
    (check_identifiers_are_dropped_and_columns_keep_their_order, Broken("Mondrian", columns_are_reversed)),
    (check_classes_satisfy_the_models, Broken("Mondrian", first_record_stands_alone)),
    (check_the_summary_counts_what_is_released, Broken("Mondrian", first_record_stands_alone)),
    (check_values_cover_the_originals, Broken("Mondrian", first_value_is_wrong)),
    (check_values_cover_the_originals, Broken("Mondrian", records_are_reversed)),
    (check_a_column_with_one_value_keeps_it, Broken("Mondrian", everything_is_blanked)),
    (check_all_formats_show_the_same_classes, Broken("Mondrian", groups_are_merged)),
    (check_input_is_untouched, OverwritesItsInput("Mondrian")),
    (check_same_seed_same_result, IgnoresItsSeed("Mondrian")),
    (check_a_table_with_fewer_records_than_k_is_refused, AcceptsEverything("Mondrian")),
    (check_settings_of_no_meaning_are_refused, AcceptsEverything("Mondrian")),
]


@pytest.mark.parametrize(("check", "broken"), BREACHES)
def test_a_check_catches_a_method_that_breaks_it(check: Callable[[Method], None], broken: Method) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check(broken)


def test_every_check_is_known_to_catch_something() -> None:
    by_name_only = {check_it_is_found_by_its_name_in_any_case}  # needs no release that could be spoiled
    assert {check for check, _ in BREACHES} | by_name_only == set(CHECKS)
