"""The contract of a method: settings are checked when it is made, and what it makes is proved."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
from helpers.small_tables import anonymized, declared, load
from sqlalchemy import func, select

from toolbox.errors import ProofError, SettingError, UnsatisfiableError, UsageError
from toolbox.methods.anonymizer import Anonymizer, setting
from toolbox.methods.datafly import Datafly
from toolbox.methods.lattice.optimal import Flash
from toolbox.methods.mondrian import Mondrian
from toolbox.privacy.classes import Classes
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store
from toolbox.store.tables import Tables

K2 = (KAnonymity(k=2),)


@dataclass(frozen=True, kw_only=True)
class Nothing(Anonymizer):
    """A method that changes nothing."""

    name: ClassVar[str] = "Nothing"
    mood: str = setting("idle", ("idle", "busy"))
    seed: int | None = None

    def anonymize(self, tables: Tables) -> Tables:
        return tables


@dataclass(frozen=True, kw_only=True)
class Even(PrivacyModel):
    """Every class has an even number of records: a model that no method of ours knows."""

    name: ClassVar[str] = "evenness"
    monotone: ClassVar[bool] = True
    suppression_helps: ClassVar[bool] = True
    required: ClassVar[float] = 0
    least_records: ClassVar[int] = 2

    def achieved(self, classes: Classes):
        sizes = classes.sizes.c
        return select(sizes.equivalence_id, (sizes.size - func.floor(sizes.size / 2) * 2).label("achieved"))

    def holds(self, achieved):
        return achieved == 0

    def worst(self, achieved):
        return func.max(achieved)


# Settings


@pytest.mark.parametrize("method", [Mondrian, Nothing])
def test_a_setting_takes_only_its_words(method: type[Anonymizer]) -> None:
    name, words = next(iter(method.facts().settings.items()))
    with pytest.raises(SettingError) as caught:
        method(models=K2, **{name: "sideways"})
    assert str(caught.value) == f"{name} is 'sideways'; write one of {', '.join(words)}."


def test_datafly_suppresses_no_negative_number_of_records() -> None:
    with pytest.raises(SettingError, match="suppThreshold is -1; write a whole number of records, 0 or more"):
        Datafly(models=K2, suppression_threshold=-1)


def test_the_least_class_is_that_of_the_strictest_model() -> None:
    assert Mondrian(models=(KAnonymity(k=3), KAnonymity(k=7), KAnonymity(k=5))).least_records == 7


def test_a_method_is_a_value() -> None:
    assert Mondrian(models=K2) == Mondrian(models=K2)
    with pytest.raises(AttributeError):
        Mondrian(models=K2).cut = "classic"


def test_facts_tell_a_configuration_what_it_must_know() -> None:
    facts = Mondrian.facts()
    assert (facts.name, facts.full_domain) == ("Mondrian", False)
    assert facts.settings == {
        "dimension": ("range", "distinct", "interval"),
        "objective": ("lm", "granularity", "ncp", "conditional-entropy", "normalised-conditional-entropy"),
        "cut": ("fallback", "classic"),
        "naming": ("values", "regions"),
        "partitioning": ("relaxed",),
    }
    assert (Datafly.facts().full_domain, Datafly.facts().settings) == (True, {})
    assert set(Flash.facts().checks) == {"time_limit", "node_limit"}


def test_settings_are_reported_as_text() -> None:
    assert Mondrian(models=K2, cut="classic").settings() == {"dimension": "range", "cut": "classic", "naming": "values"}
    assert Datafly(models=K2, suppression_threshold=3).settings() == {"suppression_threshold": "3"}


def test_a_configuration_gives_a_method_what_it_has_a_field_for() -> None:
    config = replace(declared("age", seed=7), settings={"Mood": "busy"})
    assert Nothing.configured(config, K2) == Nothing(models=K2, mood="busy", seed=7)


def test_the_suppression_threshold_is_k_unless_it_is_given() -> None:
    config = declared("age", k=4)
    assert Datafly.configured(config, K2).suppression_threshold == 4
    assert Datafly.configured(replace(config, suppression_threshold=0), K2).suppression_threshold == 0


def test_a_setting_that_the_method_lacks_is_an_error_and_the_near_one_is_named() -> None:
    config = replace(declared("age"), settings={"dimenson": "distinct"})
    with pytest.raises(UsageError, match=r"dimenson.*dimension"):
        Mondrian.configured(config, K2)


# Models


def test_a_model_that_a_method_does_not_know_is_refused() -> None:
    for models in ((Even(),), (KAnonymity(k=2), Even())):
        with pytest.raises(UsageError, match=r"Datafly cannot honour evenness. Choose another method or model."):
            Datafly(models=models, suppression_threshold=0)


def test_any_monotone_model_steers_the_cuts_of_mondrian(store: Store) -> None:
    """At the median, 2, a cut leaves 3 and 3 records, which is odd; below it 2 and 4."""
    ages = "age\n1\n1\n2\n3\n3\n3\n"
    assert anonymized(store, Mondrian(models=(Even(),)), ages, "age") == ["1"] * 2 + ["[2:3]"] * 4


# Runs


@pytest.mark.parametrize(
    "method", [Mondrian(models=(KAnonymity(k=4),)), Datafly(models=(KAnonymity(k=4),), suppression_threshold=4)]
)
def test_fewer_records_than_the_smallest_class_cannot_be_anonymised(store: Store, method: Anonymizer) -> None:
    with pytest.raises(UnsatisfiableError) as caught:
        anonymized(store, method, "age\n1\n2\n3\n", "age", hierarchies={"age": "1 *\n2 *\n3 *"})
    assert str(caught.value) == "The table has 3 records, and a class needs at least 4. Lower k, or add records."


@pytest.mark.slow
def test_as_many_records_as_the_smallest_class_form_one(store: Store) -> None:
    assert anonymized(store, Mondrian(models=(KAnonymity(k=3),)), "age\n1\n2\n3\n", "age") == ["[1:3]"] * 3


def test_what_a_method_makes_is_proved_whatever_it_says(store: Store) -> None:
    tables = load(store, "age\n1\n2\n2\n", "age").tables
    with pytest.raises(ProofError, match="k-anonymity requires 2, achieved 1"):
        Nothing(models=K2).run(tables)
    assert Nothing(models=(KAnonymity(k=1),)).run(tables).proof.smallest_class == 1


def test_every_declared_model_is_proved(store: Store) -> None:
    tables = load(store, "age\n1\n1\n1\n2\n2\n2\n", "age").tables
    with pytest.raises(ProofError, match="evenness requires 0, achieved 1"):
        Nothing(models=(KAnonymity(k=2), Even())).run(tables)
