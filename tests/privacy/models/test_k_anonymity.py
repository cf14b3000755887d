"""k-anonymity as a judge of classes."""

import pytest
from sqlalchemy import select

from toolbox.errors import SettingError
from toolbox.privacy.classes import Classes
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.registry import list_installed_models
from toolbox.store.engine.store import Store


def classes(store: Store, *sizes: int) -> Classes:
    numbers = list(range(1, len(sizes) + 1))
    return Classes(store.create_constant("classes", {"equivalence_id": (int, numbers), "size": (int, sizes)}))


def test_classes_smaller_than_k_violate_it_and_those_of_k_do_not(store: Store) -> None:
    table = classes(store, 5, 2, 3, 1, 4)
    assert sorted(store.rows(KAnonymity(k=3).violations(table))) == [(2, 2), (4, 1)]
    assert store.rows(KAnonymity(k=1).violations(table)) == []


def test_a_class_achieves_its_size_and_a_table_that_of_its_smallest(store: Store) -> None:
    model, table = KAnonymity(k=3), classes(store, 5, 2, 3)
    measured = model.achieved(table).subquery()
    assert sorted(store.rows(select(measured))) == [(1, 5), (2, 2), (3, 3)]
    assert store.scalar(select(model.worst(measured.c.achieved))) == 2


def test_it_requires_k_of_a_class_and_k_records_of_a_table() -> None:
    model = KAnonymity(k=7)
    assert (model.name, model.attribute, model.required, model.least_records) == ("k-anonymity", None, 7, 7)
    assert model.monotone
    assert model.suppression_helps


@pytest.mark.parametrize("k", [0, -1])
def test_k_is_at_least_1(k: int) -> None:
    with pytest.raises(SettingError, match=f"k is {k}; write a whole number of at least 1"):
        KAnonymity(k=k)


@pytest.mark.parametrize("k", [2.5, "2", None, float("nan")])
def test_k_is_a_whole_number(k: object) -> None:
    with pytest.raises(SettingError, match="whole number"):
        KAnonymity(k=k)


def test_a_model_is_a_value() -> None:
    assert KAnonymity(k=2) == KAnonymity(k=2)
    assert hash(KAnonymity(k=2)) == hash(KAnonymity(k=2))
    with pytest.raises(AttributeError):
        KAnonymity(k=2).k = 3


def test_it_is_installed() -> None:
    assert KAnonymity in list_installed_models()
