"""Each promise of privacy models is kept by ours, and fails for a model that breaks it; otherwise it could be empty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from sqlalchemy import Double, case, cast, func, literal, select

from toolbox import DistinctLDiversity, KAnonymity, PrivacyModel, SettingError, TCloseness
from toolbox.checks import MODEL_CHECKS, CheckFailed, check_model

BY_NAME = {check.name: check for check in MODEL_CHECKS}


@pytest.mark.slow
@pytest.mark.sampled(3)
@pytest.mark.parametrize("check", MODEL_CHECKS, ids=str)
@pytest.mark.parametrize("model", [KAnonymity, DistinctLDiversity, TCloseness])
def test_ours_keep_every_promise(check: Any, model: type[PrivacyModel]) -> None:
    check(model)


@dataclass(frozen=True, kw_only=True)
class Sized(PrivacyModel):
    """Classes of at least k records.

    Parameters
    ----------
    k : int
        How many.
    """

    name: ClassVar[str] = "sized"
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = True

    k: int = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.k >= 1:
            raise SettingError("k", self.k, "at least 1")

    @property
    def required(self) -> float:
        return self.k

    @property
    def least_records(self) -> int:
        return self.k

    def achieved(self, classes: Any) -> Any:
        return select(classes.sizes.c.equivalence_id, classes.sizes.c.size.label("achieved"))

    def holds(self, achieved: Any) -> Any:
        return achieved >= self.k

    def worst(self, achieved: Any) -> Any:
        return func.min(achieved)


@pytest.mark.slow
def test_a_sound_model_keeps_them_all() -> None:
    check_model(Sized)


class Twice(Sized):
    def achieved(self, classes: Any) -> Any:
        usual = super().achieved(classes)
        return usual.union_all(usual)


class Words(Sized):
    def holds(self, achieved: Any) -> Any:
        return case((achieved >= self.k, "yes"), else_="no")


class ByNumber(Sized):
    def achieved(self, classes: Any) -> Any:
        sizes = classes.sizes.c
        return select(sizes.equivalence_id, (sizes.size + sizes.equivalence_id % 2).label("achieved"))


class ByOthers(Sized):
    def achieved(self, classes: Any) -> Any:
        sizes = classes.sizes.c
        return select(sizes.equivalence_id, (cast(sizes.size, Double) / func.sum(sizes.size).over()).label("achieved"))


class Best(Sized):
    def worst(self, achieved: Any) -> Any:
        return func.max(achieved)


class Invented(Sized):
    def worst(self, achieved: Any) -> Any:
        return func.min(achieved) + literal(0.5)


class Even(Sized):
    def holds(self, achieved: Any) -> Any:
        return achieved % 2 == 0


class Other(Sized):
    @property
    def required(self) -> float:
        return 50


class Small(Sized):
    suppression_helps: ClassVar[bool] = False

    def holds(self, achieved: Any) -> Any:
        return achieved <= self.k

    def worst(self, achieved: Any) -> Any:
        return func.max(achieved)

    @property
    def least_records(self) -> int:
        return 1


class Helped(Small):
    monotone: ClassVar[bool] = False
    suppression_helps: ClassVar[bool] = True


class Hopeful(Sized):
    @property
    def least_records(self) -> int:
        return self.k + 1


class Careless(Sized):
    def __post_init__(self) -> None:
        """Take anything."""


class Changing(Sized):
    def __reduce__(self) -> Any:
        return Sized, ()


@dataclass(frozen=True, kw_only=True)
class Untold(Sized):
    k: int = 2


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("check", "model", "seen"),
    [
        ("every_class_is_measured_once", Twice, "a class is measured more than once"),
        ("every_class_is_measured_once", Words, "is enough is"),
        ("order_and_names_of_classes_do_not_matter", ByNumber, "other answers for other ids"),
        ("classes_are_judged_one_by_one", ByOthers, "and alone"),
        ("the_worst_class_decides", Best, "enough: True"),
        ("the_worst_class_decides", Invented, "is achieved by no class"),
        ("there_is_one_bound", Even, "changes"),
        ("there_is_one_bound", Other, "50 is required, and the bound lies between"),
        ("its_claim_to_be_monotone_is_true", Small, "satisfies it, and together with"),
        ("its_claim_that_suppression_helps_is_true", Helped, "satisfies it, and together with"),
        ("no_smaller_class_satisfies_it", Hopeful, "a class of 3 satisfies it, and least_records is 4"),
        ("settings_without_meaning_are_refused", Careless, "a model with k=nan"),
        ("it_can_be_sent_and_compared", Changing, "another model after it was sent"),
        ("it_is_described", Untold, "no docstring"),
    ],
)
def test_a_broken_promise_is_found(check: str, model: type[PrivacyModel], seen: str) -> None:
    with pytest.raises(CheckFailed) as caught:
        BY_NAME[check](model)
    assert str(caught.value).startswith("A privacy model breaks its promise.")
    assert seen in str(caught.value)


def test_every_promise_has_a_model_that_breaks_it() -> None:
    marks = test_a_broken_promise_is_found.pytestmark
    tried = {case[0] for mark in marks if mark.name == "parametrize" for case in mark.args[1]}
    assert tried == set(BY_NAME)
