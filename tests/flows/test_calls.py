"""`check`, `measure` and `risk` of tables in memory."""

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


def test_a_release_of_pandas_cut_is_understood() -> None:
    release = PEOPLE.assign(age=pd.cut(PEOPLE["age"], [20, 30, 40]))
    assert toolbox.check(release, quasi_identifiers=["age"]).smallest_class == 2
    cost = toolbox.measure(PEOPLE, release, quasi_identifiers=["age"])
    # (20, 30] as far as there are ages is 21 to 30, (30, 40] 30 to 39, of 21 to 39.
    assert cost.value("normalised certainty penalty") == pytest.approx((9 + 9) / 2 / 18)


def test_required_models_are_judged_by_their_columns() -> None:
    release = PEOPLE.assign(age=["20-29", "20-29", "30-39", "30-39"])
    models = [KAnonymity(k=2), DistinctLDiversity(l=2, attribute="illness")]
    report = toolbox.check(release, quasi_identifiers=["age"], sensitive=["illness"], models=models)
    assert [(one.name, one.achieved, one.holds) for one in report.judged] == [
        ("k-anonymity", 2, True),
        ("distinct l-diversity", 1, False),
    ]
    assert not report.holds


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


def test_arrow_tables_and_paths_are_the_same_as_frames(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    PEOPLE.to_parquet(path)
    names = {"quasi_identifiers": ["town"], "sensitive": ["illness"]}
    reports = [toolbox.check(one, **names) for one in (PEOPLE, pa.Table.from_pandas(PEOPLE), path, str(path))]
    assert len({repr(report.measured) for report in reports}) == 1


def test_numbers_are_compared_as_numbers_whatever_the_types() -> None:
    release = pd.DataFrame({"age": [21.0, 23.0, 38.0, 39.0]})
    report = toolbox.risk(release, quasi_identifiers=["age"], original=PEOPLE)
    assert report.risk.consistency.counts == ((1, 4),)


def test_missing_values_of_pandas_are_values() -> None:
    people = pd.DataFrame({"age": [21, None, None, 39]})
    report = toolbox.risk(people, quasi_identifiers=["age"], original=people, k=2)
    assert report.risk.consistency.counts == ((1, 2), (2, 2))


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


def test_reports_name_what_is_not_there() -> None:
    cost = toolbox.measure(PEOPLE, PEOPLE, quasi_identifiers=["age"])
    with pytest.raises(toolbox.UsageError, match="Did you mean 'precision'"):
        cost.value("precison")
    with pytest.raises(toolbox.UsageError, match="no class label"):
        cost.value("classification metric")
    with pytest.raises(toolbox.UsageError, match="Did you mean 'k-anonymity'"):
        toolbox.check(PEOPLE, quasi_identifiers=["age"]).achieved("k-anonimity")


def test_a_table_released_as_it_is_has_lost_nothing() -> None:
    cost = toolbox.measure(PEOPLE, PEOPLE, quasi_identifiers=["age", "town"], sensitive=["illness"])
    for name in ("normalised certainty penalty", "conditional entropy", "loss metric (LM)"):
        assert cost.value(name) == 0
    for name in ("non-uniform entropy", "granularity"):
        assert cost.value(name) == 1


def test_a_frame_is_read_at_the_positions_of_a_configuration(tmp_path: Path) -> None:
    config = CONFIG.replace("<att name='age'/>", "<att index='0' name='years'/>").replace("name='illness'", "index='2'")
    (tmp_path / "c.xml").write_text(config, encoding="utf-8")
    report = toolbox.check(PEOPLE, config=toolbox.load_config(tmp_path / "c.xml"))
    assert (report.classes, report.smallest_class, report.holds) == (4, 1, False)


def test_truth_values_beside_what_hides_them_are_understood() -> None:
    people = pd.DataFrame({"smoker": [True, False, True]})
    release = pd.DataFrame({"smoker": [True, "*", True]})
    report = toolbox.risk(release, quasi_identifiers=["smoker"], original=people)
    assert report.risk.consistency.counts == ((1, 1), (3, 2))


def test_who_fits_no_class_is_known_not_to_be_there() -> None:
    # One suppressed record could be anybody's, but nobody of 60 is described.
    release = pd.DataFrame({"age": ["20-29", "20-29", "*"]})
    population = pd.DataFrame({"age": [21, 22, 23, 60]})
    models = [DeltaPresence(delta_max=1, delta_min=0.3)]
    names = {"quasi_identifiers": ["age"], "models": models}
    assert not toolbox.check(release, population=population, **names).holds
    assert toolbox.check(release, population=population[:3], **names).holds


def test_an_interval_without_an_end_goes_as_far_as_the_column() -> None:
    people = pd.DataFrame({"age": [17, 20, 50, 50]})
    release = pd.DataFrame({"age": [17, "<=20", ">=50", "<=10"]})
    cost = toolbox.measure(people, release, quasi_identifiers=["age"])
    assert cost.value("normalised certainty penalty") == pytest.approx(3 / 33 / 4)


def test_a_mask_stands_for_codes_that_are_as_long() -> None:
    people = pd.DataFrame({"zip": ["13001", "13002", "1300", "14000"]})
    release = pd.DataFrame({"zip": ["130**", "130**", "1300", "14***"]})
    report = toolbox.risk(release, quasi_identifiers=["zip"], original=people, kinds={"zip": "category"})
    assert report.risk.consistency.counts == ((1, 2), (2, 2))
    with pytest.raises(toolbox.InputError, match="15"):
        release = pd.DataFrame({"zip": ["15***"]})
        toolbox.risk(release, quasi_identifiers=["zip"], original=people, kinds={"zip": "category"})


def test_one_column_named_twice_is_a_mistake() -> None:
    with pytest.raises(toolbox.ToolboxError):
        toolbox.check(PEOPLE, quasi_identifiers=["age", "age"])


def test_a_shuffled_release_is_measured_where_classes_tell_who_became_what() -> None:
    """Non-uniform entropy compares each record with its own; classes that do not overlap say which that is."""
    people = pd.DataFrame({"age": [21, 22, 21, 35, 36, 36, 35, 80]})
    ages = [(21, "20s", "*"), (22, "20s", "*"), (35, "30s", "*"), (36, "30s", "*"), (80, "80s", "*")]
    release = people["age"].map({21: "20s", 22: "20s", 35: "30s", 36: "30s", 80: "*"}).to_frame()
    asked = {"quasi_identifiers": ["age"], "hierarchies": {"age": ages}}
    in_order, shuffled = (
        toolbox.measure(people, one, **asked) for one in (release, release.sample(frac=1, random_state=1))
    )
    assert shuffled.value("non-uniform entropy") == in_order.value("non-uniform entropy")
    assert {one.name for one in shuffled.left_out} == {one.name for one in in_order.left_out}


def test_where_people_fit_several_classes_a_shuffled_release_says_how_it_can_be_measured() -> None:
    people = pd.DataFrame({"age": [21, 22, 21, 22]})
    ages = [(21, "20s", "*"), (22, "20s", "*"), (35, "30s", "*")]
    release = pd.DataFrame({"age": ["22", "20s", "21", "20s"]})
    report = toolbox.measure(people, release, quasi_identifiers=["age"], hierarchies={"age": ages})
    (reason,) = [one.reason for one in report.left_out if one.name == "non-uniform entropy"]
    assert reason.endswith(
        "People fit several classes, too. A release with order='input' can be measured; it loses the same"
    )
