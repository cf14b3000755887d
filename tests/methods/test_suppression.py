"""Methods that may suppress records: the field, what it may be, and what a release is held to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from toolbox.errors import SettingError
from toolbox.methods.anonymizer import Anonymizer, SuppressingAnonymizer
from toolbox.methods.datafly import Datafly
from toolbox.methods.lattice.incognito import Incognito
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.store.tables import Tables

K2 = (KAnonymity(k=2),)
CLOSE = TCloseness(t=0.2, attribute="illness")


@dataclass(frozen=True, kw_only=True)
class Suppressing(SuppressingAnonymizer):
    """A method that takes the field as it is."""

    name: ClassVar[str] = "Suppressing"

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return True

    def anonymize(self, tables: Tables) -> Tables:
        return tables


@dataclass(frozen=True, kw_only=True)
class Own(Anonymizer):
    """A method of somebody else, which declares the field itself."""

    name: ClassVar[str] = "Own"
    suppression_threshold: int = 3

    def anonymize(self, tables: Tables) -> Tables:
        return tables


def test_nobody_is_suppressed_unless_it_is_said() -> None:
    assert Suppressing(models=K2).suppression_threshold == 0
    assert Suppressing(models=K2, suppression_threshold=4).suppression_limit == 4


def test_the_limit_is_the_field_of_a_method_whoever_declares_it() -> None:
    assert Own(models=K2).suppression_limit == 3
    assert Incognito(models=K2).suppression_limit == 0
    assert Mondrian(models=K2).suppression_limit is None


@pytest.mark.parametrize("method", [Suppressing, Incognito, Datafly])
def test_a_negative_number_of_records_is_refused(method: type[SuppressingAnonymizer]) -> None:
    with pytest.raises(SettingError) as caught:
        method(models=K2, suppression_threshold=-1)
    assert str(caught.value) == "suppThreshold is -1; write a whole number of records, 0 or more."


def test_where_suppression_does_not_help_a_model_none_is_allowed() -> None:
    assert Suppressing(models=(CLOSE,)).suppression_limit == 0
    with pytest.raises(SettingError) as caught:
        Suppressing(models=(*K2, CLOSE), suppression_threshold=1)
    assert str(caught.value) == "suppThreshold is 1; write 0: suppression does not help t-closeness."


def test_datafly_must_be_told_how_many_it_may_suppress() -> None:
    with pytest.raises(TypeError, match="suppression_threshold"):
        Datafly(models=K2)
