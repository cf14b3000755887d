"""How a table stands to a privacy model."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from helpers.model_classes import classes
from sqlalchemy import func, literal, select, union_all

from toolbox.errors import ProofError
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.privacy.results import ModelResult, judge_classes, measure_worst_class
from toolbox.store.engine.store import Store


@dataclass(frozen=True, kw_only=True)
class Careless(PrivacyModel):
    """Measures the size, but not of every class once."""

    name: ClassVar[str] = "careless"
    monotone: ClassVar[bool] = True
    how: str

    @property
    def required(self):
        return 1

    @property
    def least_records(self):
        return 1

    def achieved(self, classes):
        sizes = classes.sizes
        rows = select(sizes.c.equivalence_id, sizes.c.size.label("achieved"))
        match self.how:
            case "leaves one out":
                return rows.where(sizes.c.equivalence_id != 1)
            case "measures one twice":
                return select(union_all(rows, rows.where(sizes.c.equivalence_id == 1)).subquery())
            case "measures nothing":
                return select(sizes.c.equivalence_id, func.nullif(literal(1), 1).label("achieved"))
        return rows

    def holds(self, achieved):
        return achieved >= 1

    def worst(self, achieved):
        return func.min(achieved)


def test_a_result_has_what_is_required_and_what_the_worst_class_achieves(store: Store) -> None:
    judged = classes(store, "aab", "bb")
    assert judge_classes(store, judged, KAnonymity(k=2)) == ModelResult(
        name="k-anonymity", attribute=None, parameters={"k": 2}, required=2, achieved=2, holds=True
    )
    diverse = DistinctLDiversity(l=2, attribute="illness")
    assert judge_classes(store, judged, diverse) == ModelResult(
        name="distinct l-diversity", attribute="illness", parameters={"l": 2}, required=2, achieved=1, holds=False
    )
    assert measure_worst_class(store, judged, KAnonymity(k=9)) == 2


def test_one_violating_class_among_many_is_enough(store: Store) -> None:
    judged = classes(store, *["aa"] * 9, "a")
    assert not judge_classes(store, judged, KAnonymity(k=2)).holds
    assert judge_classes(store, judged, KAnonymity(k=1)).holds


def test_without_classes_nothing_is_achieved_and_all_holds(store: Store) -> None:
    empty = classes(store, "a")
    nothing = type(empty)(select(empty.sizes).where(literal(False)).subquery())
    found = judge_classes(store, nothing, KAnonymity(k=2))
    assert (found.achieved, found.holds) == (None, True)
    assert measure_worst_class(store, nothing, KAnonymity(k=2)) is None


@pytest.mark.parametrize("how", ["leaves one out", "measures one twice", "measures nothing"])
def test_a_model_that_does_not_measure_every_class_once_proves_nothing(store: Store, how: str) -> None:
    judged = classes(store, "aa", "bb")
    assert judge_classes(store, judged, Careless(how="well")).holds
    for judge in (judge_classes, measure_worst_class):
        with pytest.raises(ProofError, match="careless did not measure every class once"):
            judge(store, judged, Careless(how=how))
