"""Records that stay where they are get the release that they would have got from `toolbox.anonymize`."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from helpers.amounts import some, times
from helpers.joined import bag, counted, same_proof, with_near_statistics, written
from helpers.random_tables import Sample, samples
from hypothesis import given, settings
from hypothesis import strategies as st

import toolbox
from toolbox.checks import supported_models
from toolbox.checks.check import Trial
from toolbox.checks.tables import IDENTIFIER, TABLES, SmallTable
from toolbox.errors import ProofError
from toolbox.methods.anonymizer import Anonymizer, list_installed_methods

METHODS = sorted(
    {method for method in list_installed_methods().values() if method.only_format is None},
    key=lambda method: method.name,
)
TRIALS = [(method, models) for method in METHODS for models in supported_models(method)]


def test_every_method_but_anatomy_is_tried() -> None:
    assert {method.name for method in list_installed_methods().values()} - {method.name for method in METHODS} == {
        "Anatomy"
    }


# The judge is the run on the records themselves


def options_of(trial: Trial, table: SmallTable) -> dict[str, object]:
    return {
        "method": trial.method,
        "models": list(trial.models),
        "quasi_identifiers": table.quasi_identifiers,
        "sensitive": trial.sensitive,
        "hierarchies": trial.hierarchies(table),
        "on_missing": table.on_missing,
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*not in the release")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("output_format", ["genValsDist", "genVals"])
@pytest.mark.parametrize(("method", "models"), TRIALS, ids=str)
def test_joined_to_the_records_it_is_the_release_of_the_records(
    method: type[Anonymizer], models: tuple[toolbox.PrivacyModel, ...], output_format: str
) -> None:
    for table in some(TABLES, every=4, start=TRIALS.index((method, models))):
        trial = Trial(method, models, table)
        options = {**options_of(trial, table), "output_format": output_format}
        # In another order: no method looks at that of the records.
        records = table.frame().drop(columns=IDENTIFIER).sample(frac=1, random_state=1)
        expected = toolbox.anonymize(records, index="drop", **options)
        by = [*table.quasi_identifiers, *trial.sensitive]
        made = toolbox.generalise(counted(records, by), **options)
        kept = records if table.on_missing == "keep" else records.dropna(subset=by)
        release = written(kept, made, table.quasi_identifiers)
        assert bag(with_near_statistics(release)) == bag(with_near_statistics(expected.release)), str(trial)
        assert same_proof(made.summary.proof, expected.summary.proof)
        assert made.summary.records_skipped == expected.summary.records_skipped
        found = made.verify(counted(release, [*made.classes.columns[3:], *trial.sensitive]))
        assert same_proof(found, made.summary.proof)


@pytest.mark.slow
@given(samples(), st.sampled_from(METHODS), st.sampled_from(["keep", "drop"]), st.randoms(use_true_random=False))
@settings(max_examples=times(2, slow=300), deadline=None)
def test_random_tables_of_awkward_values_get_the_release_of_their_records(
    sample: Sample, method: type[Anonymizer], suppressed: str, chance
) -> None:
    options = {
        "quasi_identifiers": sample.names,
        "hierarchies": sample.hierarchies,
        "kinds": sample.kinds,
        "k": sample.k,
        "method": method,
        "suppressed": suppressed,
    }
    expected = toolbox.anonymize(sample.frame, **options)
    counts = counted(sample.frame, sample.names)
    # As of several machines: each counts its part, and nobody adds them up.
    parts = pd.concat([counts.assign(n=counts["n"] - 1), counts.assign(n=1), counts.assign(n=0)])
    made = toolbox.generalise(parts.sample(frac=1, random_state=chance.randrange(1000)), **options)
    release = written(sample.frame, made, sample.names)
    assert bag(release) == bag(expected.release)
    assert made.summary.proof == expected.summary.proof
    found, proof = made.verify(counted(release, sample.names)), made.summary.proof
    dropped = proof.records_suppressed if suppressed == "drop" else 0
    assert (found.records, found.classes, found.models) == (proof.records - dropped, proof.classes, proof.models)


def test_the_call_takes_what_anonymize_takes_but_for_what_is_about_single_records() -> None:
    ours, theirs = (list(signature(call).parameters) for call in (toolbox.generalise, toolbox.anonymize))
    assert set(ours) - set(theirs) == {"counts", "count"}
    of_a_file = {"table", "separator", "header", "encoding", "decimal", "thousands", "missing"}
    of_records = {
        "source",
        "identifiers",
        "person",
        "attacker",
        "rows_are_people",
        "undeclared",
        "order",
        "index",
        "population",
        "save_recoding",
    }
    of_other_columns = {"treatments", "key", "same_domain_as"}
    assert set(theirs) - set(ours) == of_a_file | of_records | of_other_columns


COUNT_PERSONS = "SELECT age, count(DISTINCT patient) AS n FROM {} GROUP BY age"


def release_persons(visits: Sequence[tuple[str, int]]) -> tuple[toolbox.Generalisation, pa.Table]:
    """Generalise visits in a database that counts persons, k = 2; return what is found in the release, too."""
    database = duckdb.connect()
    database.execute("CREATE TABLE visits (patient VARCHAR, age INTEGER)")
    database.executemany("INSERT INTO visits VALUES (?, ?)", visits)
    made = toolbox.generalise(
        database.sql(COUNT_PERSONS.format("visits")).to_arrow_table(), quasi_identifiers=["age"], k=2
    )
    mapping, classes = made.mapping, made.classes
    assert len(mapping) and len(classes)
    database.execute(
        "CREATE TABLE release AS SELECT patient, classes.age FROM visits JOIN mapping USING (age) JOIN classes "
        "USING (class_id)"
    )
    return made, database.sql(COUNT_PERSONS.format("release")).to_arrow_table()


@pytest.mark.slow
def test_counts_of_persons_give_classes_of_persons() -> None:
    made, recount = release_persons([*[("P1", 25)] * 3, ("P2", 27), ("P3", 61), ("P4", 61)])
    assert made.verify(recount).smallest_class == 2
    assert sorted(recount.column("n").to_pylist()) == [2, 2]


@pytest.mark.slow
def test_persons_in_several_combinations_of_a_class_do_not_pass_the_recount() -> None:
    # P1 is 25 and 27, so that three persons by combinations are two.
    made, recount = release_persons([("P1", 25), ("P1", 27), ("P2", 25), ("P3", 61), ("P4", 61)])
    with pytest.raises(ProofError, match="of another size"):
        made.verify(recount)
