"""What a publisher should know of the settings of a run, and of what came of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.small_tables import declared, load, shared_store

from toolbox.config.formats import AS_IN_2010, FORMATS
from toolbox.config.model import Config
from toolbox.messages import name_python_arguments
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.methods.datafly import Datafly
from toolbox.methods.lattice.incognito import Incognito
from toolbox.methods.mondrian import Mondrian
from toolbox.methods.singletons import Singletons
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.t_closeness import TCloseness
from toolbox.privacy.proof.proof import Proof
from toolbox.report.columns import Information, QuasiIdentifierResult
from toolbox.report.runs.summary import list_warnings
from toolbox.store.engine.store import Store

__all__ = ["shared_store"]

SHUFFLED = (
    "The records are shuffled: line n of the release is not line n of the input, as it was in the toolbox of 2010."
)
MODELS = (KAnonymity(k=2),)
MONDRIAN = Mondrian(models=MODELS)
CONFIG = declared("age")
SORTED = replace(CONFIG, output=replace(CONFIG.output, order="sorted"))
ENOUGH = Information(before=4.0, after=3.0)
AGE = QuasiIdentifierResult(name="age", level=1, height=2, generalised_values=1, original_values=3, range=None)
SEED = "Somebody who knows or guesses the seed can"


@pytest.fixture(scope="module")
def finished(shared_store: Store) -> Anonymization:
    tables = load(shared_store, "age\n21\n22\n", CONFIG).tables
    proof = Proof(records=2, records_suppressed=0, classes=1, smallest_class=2, average_class=2.0, models=())
    return Anonymization(tables, proof)


def warnings(finished: Anonymization, config: Config = SORTED, method: Anonymizer = MONDRIAN) -> tuple[str, ...]:
    return list_warnings(config, method, finished, ENOUGH, [])


def with_output(**changes: object) -> Config:
    return replace(SORTED, output=replace(SORTED.output, **changes))  # type: ignore[arg-type]


def test_the_words_of_the_configuration_come_first_and_those_of_the_method_last(finished: Anonymization) -> None:
    said = replace(finished, tables=replace(finished.tables, notes=("the method says so.",)))
    config = replace(SORTED, warnings=("line 7 is odd.",))
    assert warnings(said, config) == ("line 7 is odd.", "the method says so.")


def test_a_seed_undoes_a_shuffle_or_the_groups_of_anatomy(finished: Anonymization) -> None:
    assert warnings(finished, replace(SORTED, seed=7)) == ()
    shuffled = with_output(order="shuffled")
    assert warnings(finished, shuffled) == ()
    assert warnings(finished, replace(shuffled, seed=7)) == (
        f"{SEED} put the records into the order of the input again. Publish without one.",
    )
    assert warnings(finished, replace(with_output(format=FORMATS["anatomy"]), seed=7)) == (
        f"{SEED} join the two tables of anatomy line by line. Publish without one.",
    )


def test_a_threshold_that_nobody_heeds_is_ignored(finished: Anonymization) -> None:
    config = replace(SORTED, suppression_threshold=3)
    assert warnings(finished, config) == ("suppThreshold=3 is ignored: Mondrian suppresses nobody.",)
    with name_python_arguments():
        assert warnings(finished, config) == ("suppression_threshold=3 is ignored: Mondrian suppresses nobody.",)
        local = Singletons(models=MODELS, suppression_threshold=3)
        found = warnings(finished, replace(config, method="Singletons"), local)
        assert found == ("suppression_threshold=3 is ignored: Singletons suppresses nobody.",)
    assert warnings(finished, config, replace(local, finish="suppress")) == ()
    close = Incognito(models=(*MODELS, TCloseness(t=0.2, attribute="illness")), suppression_threshold=0)
    assert warnings(finished, config, close) == ("suppThreshold=3 is ignored: suppression does not help t-closeness.",)
    assert warnings(finished, config, Datafly(models=MODELS, suppression_threshold=3)) == ()
    assert warnings(finished, replace(config, suppression_threshold=0)) == ()


def test_suppressed_values_can_be_seen_in_the_statistics_of_2010(finished: Anonymization) -> None:
    suppressed = replace(finished, proof=replace(finished.proof, records_suppressed=1))
    config = replace(with_output(format=FORMATS["genValsDist"]), compatibility=AS_IN_2010)
    assert warnings(suppressed, config) == (
        "The values of 1 suppressed record can be seen, as in 2010. Publish without compatibility.",
    )
    assert warnings(finished, config) == ()
    assert warnings(suppressed, with_output(format=FORMATS["genValsDist"])) == ()


def test_a_release_that_tells_little_is_noted_unless_groups_tell_all(finished: Anonymization) -> None:
    empty = Information(before=4.0, after=1.0)
    (note,) = list_warnings(SORTED, MONDRIAN, finished, empty, [AGE])
    assert note == (
        "The release is nearly empty: it keeps 25% of the information that tells records apart (1.0 of 4.0 bits), and "
        "1 of 1 quasi-identifiers show one value only: age. A smaller k, fewer quasi-identifiers or weaker models keep "
        "more."
    )
    grouped = replace(finished, tables=replace(finished.tables, by_number=True))
    assert list_warnings(SORTED, MONDRIAN, grouped, empty, [AGE]) == ()
    nobody = replace(finished, proof=replace(finished.proof, classes=0))
    assert list_warnings(SORTED, MONDRIAN, nobody, empty, [AGE]) == ()


def test_who_brings_a_configuration_of_2010_is_told_that_records_are_shuffled(finished: Anonymization) -> None:
    old = replace(CONFIG, is_of_2010=True, output=replace(CONFIG.output, order="shuffled"))
    (note,) = warnings(finished, old)
    assert note.startswith(f"{SHUFFLED} order='input' on <output>, or --order input, keeps the order of the input;")
    with name_python_arguments():
        (note,) = warnings(finished, old)
    assert note.startswith(f"{SHUFFLED} order='input' keeps the order of the input; compatibility='utd'")
    others = [
        replace(old, is_of_2010=False),
        replace(old, output=replace(old.output, order="sorted")),
        replace(old, output=replace(old.output, order="input"), compatibility=AS_IN_2010),
        replace(old, output=replace(old.output, format=FORMATS["anatomy"])),
    ]
    assert [warnings(finished, other) for other in others] == [()] * 4
