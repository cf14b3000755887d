"""A method that cheats is found out: each takes something that is not its to change, or calls classes what they are not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import pyarrow as pa
import pytest
from helpers.small_tables import declared
from sqlalchemy import literal, select, union_all

from toolbox.config.model import Attribute, Column
from toolbox.errors import MethodError, ProofError
from toolbox.methods.anonymizer import Anonymizer
from toolbox.methods.arrays.full_domain import at_node
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loader
from toolbox.store.tables import Tables

pytestmark = pytest.mark.sampled(2)

HIERARCHIES = {"age": "1 low *\n2 low *\n3 high *\n4 high *", "sex": "f *\nm *"}
TABLE = pa.table({"age": [1, 2, 3, 4], "sex": ["f", "f", "m", "m"], "illness": ["flu", "flu", "gout", "cold"]})
K2 = (KAnonymity(k=2),)
NO_ONE = (KAnonymity(k=1),)  # suppresses nobody
L2 = (DistinctLDiversity(l=2, attribute="illness"),)
FINE, TOO_FINE = (1, 0), (0, 0)


@dataclass(frozen=True, kw_only=True)
class Cheat(Anonymizer):
    """A method that does whatever the test says."""

    name: ClassVar[str] = "Cheat"
    trick: Callable[[Tables], object]

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        return True

    def anonymize(self, tables: Tables) -> Tables:
        return self.trick(tables)  # type: ignore[return-value]


def loaded(store: Store) -> Tables:
    illness = Attribute(column=Column(index=None, name="illness"), kind="category")
    config = declared("age sex", hierarchies=HIERARCHIES, sensitive=[illness])
    return Loader(config, open_arrow_source(store, TABLE), store, {"illness": False}).load().tables


def run(store: Store, trick: Callable[[Tables], object], models: tuple[PrivacyModel, ...] = K2) -> Tables:
    return Cheat(models=models, trick=trick).run(loaded(store)).tables


def with_intervals(tables: Tables, place: int, rows: object) -> Tables:
    changed = list(tables.quasi_identifiers)
    changed[place] = replace(changed[place], intervals=tables.store.create("intervals", rows))
    return replace(tables, quasi_identifiers=tuple(changed))


@pytest.mark.slow
def test_an_honest_method_passes(store: Store) -> None:
    assert run(store, lambda tables: at_node(tables, FINE, NO_ONE)).levels == FINE


def interval_twice(tables: Tables) -> Tables:
    finished = at_node(tables, TOO_FINE, NO_ONE)
    intervals = finished.quasi_identifiers[0].intervals
    return with_intervals(finished, 0, select(union_all(select(intervals), select(intervals)).subquery()))


def root_without_a_name(tables: Tables) -> Tables:
    finished = at_node(tables, FINE, K2)
    one = finished.quasi_identifiers[0]
    return with_intervals(finished, 0, select(one.intervals).where(one.intervals.c.interval_id != one.root))


def known_interval_with_another_label(tables: Tables) -> Tables:
    finished = at_node(tables, TOO_FINE, NO_ONE)
    intervals = finished.quasi_identifiers[0].intervals
    columns = [literal("77").label("label") if one.name == "label" else one for one in intervals.c]
    return with_intervals(finished, 0, select(*columns))


def fewer_columns(tables: Tables) -> Tables:
    finished = at_node(tables, FINE, NO_ONE)
    return replace(finished, quasi_identifiers=finished.quasi_identifiers[:1])


def fewer_levels(tables: Tables) -> Tables:
    return replace(at_node(tables, FINE, NO_ONE), levels=(1,))


def records_exchanged(tables: Tables) -> Tables:
    finished = at_node(tables, FINE, NO_ONE)
    return replace(finished, records=tables.store.create("records", select(tables.records)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trick", "found"),
    [
        (interval_twice, "the intervals of age are not what they were"),
        (root_without_a_name, "the intervals of age are not what they were"),
        (known_interval_with_another_label, "the intervals of age are not what they were"),
        (fewer_columns, "other quasi-identifiers"),
        (fewer_levels, "other quasi-identifiers"),
        (records_exchanged, "the records were rewritten"),
        (lambda tables: None, "Cheat returned NoneType, not Tables"),
    ],
)
def test_a_trick_is_found_out(store: Store, trick: Callable[[Tables], object], found: str) -> None:
    with pytest.raises(ProofError, match=found):
        run(store, trick)


def test_a_root_of_the_methods_own_is_not_believed(store: Store) -> None:
    def everything_is_one(tables: Tables) -> Tables:
        one = replace(tables.quasi_identifiers[0], root=0)
        return at_node(
            replace(tables, quasi_identifiers=(one, *tables.quasi_identifiers[1:])), (2, 1), (KAnonymity(k=9),)
        )

    with pytest.raises(ProofError):
        run(store, everything_is_one)


@pytest.mark.slow
def test_positions_and_names_are_those_of_the_input(store: Store) -> None:
    def exchanged(tables: Tables) -> Tables:
        finished = at_node(tables, FINE, NO_ONE)
        age, sex = finished.quasi_identifiers
        both = (replace(age, position=sex.position, name="sex"), replace(sex, position=age.position, name="age"))
        return replace(finished, quasi_identifiers=both)

    assert [(one.name, one.position) for one in run(store, exchanged).quasi_identifiers] == [("age", 0), ("sex", 1)]


@pytest.mark.slow
def test_sensitive_values_are_counted_where_they_were_read(store: Store) -> None:
    """Both women have the flu; a method that says otherwise is not asked."""

    def other_values(tables: Tables) -> Tables:
        sensitive = tables.sensitive["illness"]
        other = select(*(literal(0.0).label("value") if one.name == "value" else one for one in sensitive.codes.c))
        changed = replace(sensitive, codes=tables.store.create("codes", other))
        return replace(at_node(tables, FINE, NO_ONE), sensitive={"illness": changed})

    with pytest.raises(ProofError, match="distinct l-diversity requires 2, achieved 1"):
        run(store, other_values, L2)


@pytest.mark.slow
def test_a_method_with_a_threshold_may_not_suppress_more(store: Store) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Eager(Cheat):
        suppression_threshold: int = 1

    with pytest.raises(ProofError, match="Cheat suppressed 4 records, more than the 1 allowed"):
        Eager(models=K2, trick=lambda tables: at_node(tables, FINE, (KAnonymity(k=3),))).run(loaded(store))


@pytest.mark.slow
def test_an_error_within_a_method_is_told_by_its_line_and_not_by_its_text(store: Store) -> None:
    def fails(tables: Tables) -> Tables:
        raise ValueError("Ada has the flu")

    with pytest.raises(
        MethodError, match=r"The method Cheat failed: ValueError in .*test_proof_of_methods.py, line \d+"
    ):
        run(store, fails)
    with pytest.raises(MethodError) as caught:
        run(store, fails)
    assert "Ada" not in str(caught.value)
