"""`check` of tables in memory."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

import toolbox
from toolbox import DeltaPresence, DistinctLDiversity, KAnonymity, TCloseness

PEOPLE = pd.DataFrame({"age": [21, 23, 38, 39], "town": ["a", "b", "a", "c"], "illness": ["x", "y", "x", "x"]})
CONFIG = """<config method='Mondrian' k='2'><input filename='people.csv' header='true'/><output filename='out.csv'/>
<qid><att name='age'/></qid><sens><att name='illness' type='category'/></sens></config>"""


@pytest.mark.slow
def test_a_release_of_pandas_cut_is_understood() -> None:
    release = PEOPLE.assign(age=pd.cut(PEOPLE["age"], [20, 30, 40]))
    assert toolbox.check(release, quasi_identifiers=["age"]).smallest_class == 2
    cost = toolbox.measure(PEOPLE, release, quasi_identifiers=["age"])
    # (20, 30] as far as there are ages is 21 to 30, (30, 40] 30 to 39, of 21 to 39.
    assert cost.value("normalised certainty penalty") == pytest.approx((9 + 9) / 2 / 18)


@pytest.mark.slow
def test_required_models_are_judged_by_their_columns() -> None:
    release = PEOPLE.assign(age=["20-29", "20-29", "30-39", "30-39"])
    models = [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="illness")]
    report = toolbox.check(release, quasi_identifiers=["age"], sensitive=["illness"], models=models)
    assert [(one.name, one.achieved, one.holds) for one in report.judged] == [
        ("k-anonymity", 2, True),
        ("distinct l-diversity", 1, False),
    ]
    assert not report.holds


@pytest.mark.slow
def test_hierarchical_closeness_takes_the_hierarchy_of_the_sensitive_column(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE.to_csv(index=False), encoding="utf-8")
    (tmp_path / "illness.csv").write_text("x;mild;*\ny;mild;*\nz;grave;*\n", encoding="utf-8")
    config = CONFIG.replace(
        "<att name='illness' type='category'/>", "<att name='illness'><vgh file='illness.csv'/></att>"
    )
    (tmp_path / "c.xml").write_text(config, encoding="utf-8")
    report = toolbox.check(tmp_path / "people.csv", config=toolbox.load_config(tmp_path / "c.xml"))
    distances = {one.given["distance"] for one in report.measured if one.name == "t-closeness"}
    assert "hierarchical" in distances


@pytest.mark.slow
def test_arrow_tables_and_paths_are_the_same_as_frames(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    PEOPLE.to_parquet(path)
    names = {"quasi_identifiers": ["town"], "sensitive": ["illness"]}
    reports = [toolbox.check(one, **names) for one in (PEOPLE, pa.Table.from_pandas(PEOPLE), str(path))]
    assert len({repr(report.measured) for report in reports}) == 1


def test_columns_of_types_that_are_not_asked_for_do_not_matter() -> None:
    people = PEOPLE.assign(lists=[[1], [2], [3], [4]], when=pd.to_datetime("2020-01-01"))
    assert toolbox.check(people, quasi_identifiers=["town"]).classes == 3


def test_a_configuration_and_columns_contradict_each_other(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CONFIG, encoding="utf-8")
    config = toolbox.load_config(tmp_path / "c.xml")
    with pytest.raises(toolbox.UsageError, match="quasi_identifiers="):
        toolbox.check(PEOPLE, quasi_identifiers=["age"], config=config)


def test_what_a_call_lacks_is_said() -> None:
    with pytest.raises(toolbox.UsageError, match="quasi_identifiers is empty"):
        toolbox.check(PEOPLE)
    with pytest.raises(toolbox.ToolboxError, match="Did you mean 'town'"):
        toolbox.check(PEOPLE, quasi_identifiers=["twon"])
    with pytest.raises(toolbox.UsageError, match="illness"):
        toolbox.check(PEOPLE, quasi_identifiers=["town"], models=[TCloseness(t=0.2, attribute="illness")])
    with pytest.raises(toolbox.UsageError, match="needs a hierarchy"):
        models = [TCloseness(t=0.2, attribute="illness", distance="hierarchical")]
        toolbox.check(PEOPLE, quasi_identifiers=["town"], sensitive=["illness"], models=models)


@pytest.mark.slow
def test_reports_name_what_is_not_there() -> None:
    cost = toolbox.measure(PEOPLE, PEOPLE, quasi_identifiers=["age"])
    with pytest.raises(toolbox.UsageError, match="Did you mean 'precision'"):
        cost.value("precison")
    with pytest.raises(toolbox.UsageError, match="no class label"):
        cost.value("classification metric")
    with pytest.raises(toolbox.UsageError, match="Did you mean 'k-anonymity'"):
        toolbox.check(PEOPLE, quasi_identifiers=["age"]).achieved("k-anonimity")


@pytest.mark.slow
def test_a_frame_is_read_at_the_positions_of_a_configuration(tmp_path: Path) -> None:
    config = CONFIG.replace("<att name='age'/>", "<att index='0' name='years'/>").replace("name='illness'", "index='2'")
    (tmp_path / "c.xml").write_text(config, encoding="utf-8")
    report = toolbox.check(PEOPLE, config=toolbox.load_config(tmp_path / "c.xml"))
    assert (report.classes, report.smallest_class, report.holds) == (4, 1, False)


@pytest.mark.slow
def test_who_fits_no_class_is_known_not_to_be_there() -> None:
    # One suppressed record could be anybody's, but nobody of 60 is described.
    release = pd.DataFrame({"age": ["20-29", "20-29", "*"]})
    population = pd.DataFrame({"age": [21, 22, 23, 60]})
    models = [DeltaPresence(delta_max=1, delta_min=0.3)]
    names = {"quasi_identifiers": ["age"], "models": models}
    assert not toolbox.check(release, population=population, **names).holds
    assert toolbox.check(release, population=population[:3], **names).holds


def test_one_column_named_twice_is_a_mistake() -> None:
    with pytest.raises(toolbox.ToolboxError):
        toolbox.check(PEOPLE, quasi_identifiers=["age", "age"])


def test_limits_may_stand_beside_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "c.xml").write_text(CONFIG, encoding="utf-8")
    config = toolbox.load_config(tmp_path / "c.xml")
    assert toolbox.check(PEOPLE, config=config, limits=toolbox.Limits(threads=1)).classes == 4
