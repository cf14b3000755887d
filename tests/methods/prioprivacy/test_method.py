"""PrioPrivacy: the least important columns change first, and everybody is released among k."""

from pathlib import Path

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.in_order import anonymize
from helpers.random_tables import Sample, samples
from helpers.small_tables import load, store
from hypothesis import HealthCheck, given, settings

from toolbox import SettingError, UnsatisfiableError, UsageError
from toolbox.methods.prioprivacy import PrioPrivacy
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity
from toolbox.store.engine.store import Store

__all__ = ["store"]

PEOPLE = pd.DataFrame({"sex": list("FMFM"), "city": ["Wien", "Wien", "Graz", "Graz"], "note": ["a", "b", "c", "d"]})
TREES = {"sex": [("F", "*"), ("M", "*")], "city": [("Wien", "Austria"), ("Graz", "Austria")]}


def released(**settings: object) -> list[str]:
    result = anonymize(PEOPLE, quasi_identifiers=["sex", "city"], method="prioprivacy", k=2, **settings)
    return [" ".join(row) for row in result.release.itertuples(index=False, name=None)]


@pytest.mark.slow
def test_what_matters_most_is_kept() -> None:
    assert released(hierarchies=TREES, priorities={"sex": 1, "city": 2}) == [
        "F Austria a",
        "M Austria b",
        "F Austria c",
        "M Austria d",
    ]
    assert released(hierarchies=TREES, priorities={"sex": 2, "city": 1}) == [
        "* Wien a",
        "* Wien b",
        "* Graz c",
        "* Graz d",
    ]


@pytest.mark.slow
def test_a_column_without_a_priority_matters_least() -> None:
    assert released(hierarchies=TREES, priorities={"sex": 7})[0] == "F Austria a"


@pytest.mark.slow
def test_a_column_without_a_hierarchy_is_suppressed() -> None:
    assert released(priorities={"city": 1})[0] == "* Wien a"


def test_the_suppression_of_the_paper_is_refused_as_a_release(store: Store) -> None:
    """Its own example: the fifth record becomes {*, 20, *}, which is the only such record."""
    table = "sex age country\nf 20 AT\nf 20 AT\nm 20 GR\nm 20 GR\nm 20 AT"
    loaded = load(store, table, "sex age country")
    method = PrioPrivacy(models=(KAnonymity(k=2),), suppression="published")
    with pytest.raises(UnsatisfiableError, match=r"leaves 1 of 5 records in classes of fewer than 2"):
        method.run(loaded.tables)


def test_the_suppression_of_the_paper_is_no_setting() -> None:
    with pytest.raises(UsageError, match=r"no argument 'suppression'.* PrioPrivacy has no settings"):
        released(suppression="published")
    with pytest.raises(SettingError, match="one of strict, published"):
        PrioPrivacy(models=(KAnonymity(k=2),), suppression="some")


def test_it_honours_k_anonymity_alone() -> None:
    assert PrioPrivacy.supports(KAnonymity(k=2))
    assert not PrioPrivacy.supports(DistinctLDiversity(l=2, attribute="note"))


def test_values_at_different_depths_have_no_levels(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("5\n15\n", encoding="utf-8")
    tree = "<vgh value='[0:20]'><node value='[0:10)'><node value='[0:5)'/><node value='[5:10)'/></node><node value='[10:20]'/>"
    columns = f"<qid><att index='0' name='age'>{tree}</vgh></att></qid>"
    files = "<input filename='in.csv'/><output order='input' filename='out.csv'/>"
    (tmp_path / "config.xml").write_text(
        f"<config method='PrioPrivacy' k='2'>{files}{columns}</config>", encoding="utf-8"
    )
    with pytest.raises(UsageError, match="hierarchy of age has values at different depths"):
        anonymize(tmp_path / "config.xml")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
@settings(max_examples=times(2, slow=8), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(samples())
def test_every_released_class_has_k_records(sample: Sample) -> None:
    result = anonymize(
        sample.frame,
        quasi_identifiers=sample.names,
        hierarchies=sample.hierarchies,
        kinds=sample.kinds,
        method=PrioPrivacy,
        k=sample.k,
    )
    sizes = result.release.groupby(sample.names).size()
    assert sizes.min() >= sample.k
    assert sizes.sum() == sample.size
    for name, column in zip(sample.names, sample.columns, strict=True):
        for text, shown in zip(column.texts, result.release[name], strict=True):
            assert shown in {column.name(text), *column.paths[text]}
