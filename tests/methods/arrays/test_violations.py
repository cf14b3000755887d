"""The classes that violate any of several models, each once."""

from toolbox.methods.arrays.full_domain import violating
from toolbox.privacy.classes import Classes
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.store.engine.store import Store


def test_a_class_that_violates_two_models_is_listed_once(store: Store) -> None:
    sizes = store.create_constant("sizes", {"equivalence_id": (int, [1, 2, 3]), "size": (int, [1, 3, 9])})
    models = [KAnonymity(k=2), KAnonymity(k=4)]
    rows = store.rows(violating(models, lambda attribute: Classes(sizes)))
    assert sorted(tuple(row) for row in rows) == [(1,), (2,)]
