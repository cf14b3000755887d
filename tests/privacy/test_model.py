"""What every privacy model has from its base: parameters, a name, and the classes that violate it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from helpers.model_classes import classes
from sqlalchemy import func, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel, is_count
from toolbox.queries.dialect import Query
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class AtMost(PrivacyModel):
    """No class has more records than that."""

    name: ClassVar[str] = "at-most"
    monotone: ClassVar[bool] = False
    suppression_helps: ClassVar[bool] = True

    most: int
    share: float = 0.5
    strict: bool = True
    measure: str = "records"

    @property
    def required(self) -> float:
        return self.most

    @property
    def least_records(self) -> int:
        return 1

    def achieved(self, classes: Classes) -> Query:
        sizes = classes.sizes.c
        return select(sizes.equivalence_id, sizes.size.label("achieved"))

    def holds(self, achieved: ColumnElement[Any]) -> ColumnElement[bool]:
        return achieved <= self.most

    def worst(self, achieved: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.max(achieved)


@dataclass(frozen=True, kw_only=True)
class OfOne(AtMost):
    """The same for somebody's sake."""

    name: ClassVar[str] = "of-one"
    needs_attribute: ClassVar[bool] = True


def test_the_classes_that_do_not_hold_violate_it(store: Store) -> None:
    judged = classes(store, ["a"], ["a", "b", "b"], ["a", "b"])
    assert sorted(map(tuple, store.rows(AtMost(most=1).violations(judged)))) == [(2, 3), (3, 2)]
    assert store.rows(AtMost(most=3).violations(judged)) == []


def test_parameters_are_its_own_fields_without_the_attribute() -> None:
    assert AtMost(most=3, attribute="illness").parameters() == {
        "most": 3,
        "share": 0.5,
        "strict": True,
        "measure": "records",
    }


def test_its_text_names_its_numbers_and_what_it_protects() -> None:
    assert str(AtMost(most=3)) == "at-most (most=3, share=0.5)"
    assert str(AtMost(most=3, share=2.0, attribute="illness")) == "at-most (most=3, share=2) of illness"


def test_a_model_that_protects_an_attribute_is_told_which() -> None:
    with pytest.raises(SettingError, match="the sensitive attribute that of-one protects"):
        OfOne(most=3)
    assert OfOne(most=3, attribute="illness").attribute == "illness"


def test_without_a_word_of_its_own_it_is_measured_once_with_what_it_names(store: Store) -> None:
    class Named(AtMost):
        measured_with: ClassVar[Mapping[str, Any]] = {"most": 7}

    judged = classes(store, ["a"])
    assert list(Named.variants(judged, {})) == [{"most": 7}]
    assert list(AtMost.variants(judged, {})) == [{}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1, True), (np.int64(3), True), (0, False), (-1, False), (True, False), (1.0, False), ("1", False), (None, False)],
    ids=repr,
)
def test_a_count_is_a_whole_number_of_at_least_one(value: object, expected: bool) -> None:
    assert is_count(value) is expected
