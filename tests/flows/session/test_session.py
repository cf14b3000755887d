"""A session: every run has what `toolbox.anonymize` has of the same arguments, and nothing of it is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pandas as pd
import pyarrow as pa
import pytest
from helpers.amounts import some, times
from helpers.random_tables import HARD, Sample, samples
from helpers.session_tables import in_engine
from hypothesis import example, given, settings
from hypothesis import strategies as st

import toolbox
from toolbox.methods.anonymizer import list_installed_methods
from toolbox.steps import Stage, Watcher

METHODS = sorted(method.name for method in set(list_installed_methods().values()) if method.only_format is None)
PEOPLE = pd.DataFrame(
    {
        "age": [23, 25, 24, 61, 67, 64, 30, 30],
        "town": ["Graz", "Linz", "Graz", "Wien", "Wien", "Wien", "Linz", "Linz"],
        "sex": ["f", "m", "f", "m", "f", "m", "m", "f"],
        "illness": ["flu", "cold", "flu", "gout", "cold", "flu", "cold", "gout"],
    }
)
TOWNS = {"Austria": {"South": ["Graz"], "North": ["Linz", "Wien"]}}


def classes_of(release: pd.DataFrame, names: list[str]) -> Counter[tuple[str, ...]]:
    """Return the labels of each class of a release, with its records."""
    return Counter(map(tuple, release[names].astype("object").fillna("").astype(str).itertuples(index=False)))


def classes_in(variant: toolbox.Variant, names: list[str]) -> Counter[tuple[str, ...]]:
    """Return the same of a variant."""
    assert variant.classes is not None
    found: Counter[tuple[str, ...]] = Counter()
    for row in variant.classes.to_pylist():
        found[tuple(row[name] or "" for name in names)] += row["size"]
    return found


def same(variant: toolbox.Variant, names: list[str]) -> bool:
    """Test whether the release that a variant stands for has its classes, its proof and its notes."""
    release = toolbox.anonymize(**variant.arguments)
    assert release.summary.proof == variant.summary.proof
    assert release.summary.quasi_identifiers == variant.summary.quasi_identifiers
    assert release.summary.settings == variant.summary.settings
    assert release.summary.information == variant.summary.information
    assert (release.summary.records_skipped, release.summary.k) == (variant.summary.records_skipped, variant.summary.k)
    return classes_of(release.release, names) == classes_in(variant, names)


@st.composite
def asked_of_samples(draw: st.DrawFn) -> tuple[Sample, list[tuple[str, list[str], list[str]]]]:
    """Draw a sample, and of two runs the method, the columns, and those that lose their hierarchies."""
    sample = draw(samples(most_rows=20))
    # With a k of 1 nobody stands out.
    possible = [method for method in METHODS if sample.k > 1 or method != "Singletons"]
    runs = []
    for _ in range(2):
        names = draw(st.lists(st.sampled_from(sample.names), min_size=1, unique=True))
        method = draw(st.sampled_from(possible))
        bare = draw(st.sampled_from([[], names[:1]])) if method in ("Mondrian", "LocalRecoding") else []
        runs.append((method, names, bare))
    return sample, runs


@pytest.mark.slow
@example((HARD, [("Mondrian", ["q1", "q0"], ["q1"]), ("Datafly", ["q0", "q1", "q2"], [])]))
@given(asked_of_samples())
@settings(max_examples=times(1, slow=100), deadline=None)
def test_random_tables_get_the_classes_of_their_releases(
    asked: tuple[Sample, list[tuple[str, list[str], list[str]]]],
) -> None:
    """Several runs on one session, each with some of the columns, and with or without their hierarchies."""
    sample, runs = asked
    columns = {"quasi_identifiers": sample.names, "hierarchies": sample.hierarchies, "kinds": sample.kinds}
    with toolbox.open(sample.frame, **columns) as session:
        for method, names, bare in runs:
            variant = session.run(
                method=method,
                k=sample.k,
                quasi_identifiers=names,
                hierarchies=dict.fromkeys(bare),
                classes=True,
            )
            assert same(variant, names)


@pytest.fixture
def fresh() -> Iterator[toolbox.Session]:
    """Open a session on which nothing has run."""
    columns = {"quasi_identifiers": ["age", "town", "sex"], "sensitive": ["illness"], "hierarchies": {"town": TOWNS}}
    with toolbox.open(PEOPLE, **columns) as opened:
        yield opened


@pytest.fixture(scope="module")
def session() -> Iterator[toolbox.Session]:
    """Open one session for all tests that only run on it."""
    columns = {"quasi_identifiers": ["age", "town", "sex"], "sensitive": ["illness"], "hierarchies": {"town": TOWNS}}
    with toolbox.open(PEOPLE, **columns) as opened:
        yield opened


# As a release


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("policy", "names"), [("keep", ["town", "sex"]), ("skip", ["age", "town"])])
@pytest.mark.filterwarnings("ignore:.*not in the release")
def test_models_of_sensitive_columns_and_missing_values_are_judged_as_in_a_release(
    policy: str, names: list[str]
) -> None:
    people = PEOPLE.assign(
        town=PEOPLE["town"].where(PEOPLE.index != 3), illness=PEOPLE["illness"].where(PEOPLE.index != 5)
    )
    models = [toolbox.KAnonymity(k=2), toolbox.DistinctLDiversity(l=2, attribute="illness")]
    columns = {"quasi_identifiers": ["age", "town", "sex"], "sensitive": ["illness"], "on_missing": policy}
    with toolbox.open(people, **columns) as opened:
        assert same(opened.run(models=models, quasi_identifiers=names, classes=True), names)
        figures = {column.name: (column.role, column.values, column.missing) for column in opened.columns()}
    assert figures == {
        "age": ("candidate", 7, 0),
        "town": ("candidate", 3, 1),
        "sex": ("candidate", 2, 0),
        "illness": ("sensitive", 3, 1),
    }


@pytest.mark.slow
def test_a_file_of_text_is_read_as_a_release_reads_it(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    with toolbox.open(tmp_path / "people.csv", quasi_identifiers=["age", "town"]) as opened:
        variant = opened.run(k=2, classes=True)
        ages = opened.run(
            k=2, quasi_identifiers=["age"], hierarchies={"age": [[str(age), "*"] for age in PEOPLE["age"].unique()]}
        )
    assert same(variant, ["age", "town"])
    assert variant.summary.quasi_identifiers[0].range == "[23:24] .. [61:67]"
    assert ages.summary.quasi_identifiers[0].height == 1


CONFIG = """<config method='Mondrian' k='3' dimension='distinct'>
  <input filename='people.csv' header='true'/><output filename='release.csv'/>
  <qid><att name='age'/><att index='1' name='place' type='category'/></qid>
  <sens><att name='illness' type='category'/></sens>
  <privacy><model name='k-anonymity' k='3'/><model name='distinct l-diversity' l='2'/></privacy>
</config>"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "c.xml").write_text(CONFIG.replace(" k='3' dimension", " dimension"))
    return tmp_path / "c.xml"


@pytest.mark.slow
def test_a_configuration_says_what_each_run_leaves_out(config: Path) -> None:
    with toolbox.open(config) as opened:
        first, second = opened.run(classes=True), opened.run(k=2, method="LocalRecoding")
    assert (first.summary.method, first.summary.settings["dimension"]) == ("Mondrian", "distinct")
    required = [[(model.name, model.required) for model in variant.summary.proof.models] for variant in (first, second)]
    assert required == [
        [("k-anonymity", 3), ("distinct l-diversity", 2)],
        [("k-anonymity", 2), ("distinct l-diversity", 2)],
    ]
    result = toolbox.anonymize(**first.arguments)
    written = pd.read_csv(config.parent / "release.csv", dtype=str)
    assert result.summary.proof == first.summary.proof
    assert classes_of(written.rename(columns={"town": "place"}), ["age", "place"]) == classes_in(
        first, ["age", "place"]
    )


@pytest.mark.slow
def test_a_configuration_that_names_no_release_can_be_tried_out_but_not_released(config: Path) -> None:
    config.write_text(CONFIG.replace(" k='3' dimension", " dimension").replace("<output filename='release.csv'/>", ""))
    with toolbox.open(config) as opened:
        variant = opened.run()
    with pytest.raises(toolbox.UsageError, match="names no release"):
        toolbox.anonymize(**variant.arguments)


# Nothing is left, whatever happens


@pytest.mark.slow
def test_no_table_of_a_run_is_left(fresh: toolbox.Session) -> None:
    session, store = fresh, fresh._table.store
    metrics = ["normalised certainty penalty"]

    def fill() -> tuple[int, int, int]:
        """Hold the loads of two choices of columns."""
        session.run(k=2, quasi_identifiers=["sex"])
        session.run(k=2, quasi_identifiers=["age"])
        return in_engine(store)

    before = fill()
    for method in some(METHODS, every=9, start=7):
        hierarchies = {
            "age": [[age, "young" if age < 40 else "old"] for age in PEOPLE["age"].unique()],
            "sex": {"f": "*", "m": "*"},
        }
        session.run(k=2, method=method, hierarchies=hierarchies, metrics=metrics, classes=True)
    after = fill()
    loaded = session._table._loads
    assert len(loaded) == 2
    with session._table.temporary_scope():
        while loaded:
            session._table._over.append(loaded.pop().scope)
    assert after == before
    assert in_engine(store) == (1, 1, 0), "the combinations that were kept, and the table of the caller"


class Counting(Watcher):
    """Cancels a run at the nth word or stage that it is told of."""

    def __init__(self, at: int) -> None:
        self.event, self.left, self.stages = Event(), at, []

    def begin(self, stage: Stage) -> None:
        self.stages.append(stage.step)
        self.say(stage)

    def say(self, stage: Stage) -> None:
        self.left -= 1
        if self.left == 0:
            self.event.set()


@pytest.mark.slow
def test_a_run_that_is_cancelled_leaves_a_session_that_works_on(session: toolbox.Session) -> None:
    expected = session.run(k=2).summary.proof
    before = in_engine(session._table.store)
    for at in (1, 2, 3):
        watcher = Counting(at)
        with pytest.raises(toolbox.CancelledError, match="was cancelled"):
            session.run(k=2, method="Mondrian", watcher=watcher, cancel=watcher.event)
        assert "measure" not in watcher.stages
        assert in_engine(session._table.store) == before, at
        assert session.run(k=2).summary.proof == expected, at


@pytest.mark.slow
def test_a_function_may_cancel_too_and_what_it_raises_ends_the_run(session: toolbox.Session) -> None:
    def failing() -> bool:
        raise ValueError("of the caller")

    with pytest.raises(toolbox.CancelledError) as caught:
        session.run(k=2, cancel=failing)
    assert str(caught.value.__cause__) == "of the caller"
    assert session.run(k=2, cancel=lambda: False).summary.proof.classes > 1
    with pytest.raises(toolbox.SettingError, match=r"cancel is 3; write a threading\.Event"):
        session.run(k=2, cancel=3)


@pytest.mark.slow
def test_a_session_works_on_after_a_run_that_cannot_be_done(session: toolbox.Session) -> None:
    # The first run of a session loads what all others use.
    session.run(k=2)
    before = in_engine(session._table.store)
    with pytest.raises(toolbox.UnsatisfiableError, match="8 records"):
        session.run(k=9)
    with pytest.raises(toolbox.UsageError, match="needs a hierarchy for 'age', 'sex'"):
        session.run(k=2, method="Datafly")
    with pytest.raises(toolbox.UsageError, match=r"deals single records into groups.* Use toolbox.anonymize"):
        session.run(method="Anatomy", l=2)
    assert session.run(k=2).summary.proof.smallest_class >= 2
    assert in_engine(session._table.store) == before


# What cannot be asked


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"quasi_identifiers": ["illness"]}, "among its candidates, has no column 'illness'.* when it was opened"),
        ({"quasi_identifiers": ["agee"]}, "Did you mean 'age'"),
        ({"quasi_identifiers": ["age", "age"]}, "names 'age' twice"),
        ({"quasi_identifiers": "age"}, r"Write a list of columns, \['age'\]"),
        ({"hierarchies": {"name": {}}}, "in hierarchies=, has no column 'name'"),
        ({"k": 0}, "k is 0; write a whole number of at least 1"),
        ({"l": 2}, "l= means nothing to Mondrian"),
        ({"metrics": ["precison"]}, "Did you mean 'precision'"),
        ({"metrics": "precision"}, r"Write a list, such as \['precision'\]"),
        ({"threshold": 2}, "a probability above 0"),
        ({"dimensions": "range"}, r"run\(\) has no argument 'dimensions'. Did you mean 'dimension'"),
        ({"method": "Mondrin"}, "Did you mean 'Mondrian'"),
        ({"models": [toolbox.DistinctLDiversity(l=2, attribute="sex")]}, "in sensitive=, has no column 'sex'"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_to_write(
    session: toolbox.Session, wrong: dict[str, object], message: str
) -> None:
    with pytest.raises(toolbox.UsageError, match=message):
        session.run(**wrong)


def test_a_closed_session_says_so() -> None:
    opened = toolbox.open(PEOPLE, quasi_identifiers=["age"])
    assert repr(opened) == "<Session: age>"
    folder = opened._table.store.folder
    opened.close()
    opened.close()
    assert not folder.exists()
    assert repr(opened) == "<Session: closed>"
    for ask in (opened.run, opened.columns, lambda: opened.at_risk(2)):
        with pytest.raises(
            toolbox.UsageError, match=r"The session is closed. Open the table again: toolbox.open\(..\)"
        ):
            ask()


def test_opening_fails_as_a_release_does_and_leaves_nothing(tmp_path: Path) -> None:
    for wrong, message in (
        ({}, "quasi_identifiers is empty"),
        ({"quasi_identifiers": ["agee"]}, "Did you mean 'age'"),
        ({"quasi_identifiers": ["age"], "kinds": {"town": "category"}}, "in kinds=, has no column 'town'"),
        ({"quasi_identifiers": ["age"], "limits": toolbox.Limits(temp_dir=tmp_path / "none")}, "none"),
    ):
        with pytest.raises(toolbox.ToolboxError, match=message):
            toolbox.open(PEOPLE, **wrong)
    with pytest.raises(toolbox.InputError, match="No such file"):
        toolbox.open(tmp_path / "none.csv", quasi_identifiers=["age"])


# Who is at risk


def test_at_risk_counts_the_records_in_small_classes_by_value(session: toolbox.Session) -> None:
    # f: Graz 2, Wien 1, Linz 1; m: Linz 2, Wien 2.
    found = session.at_risk(2, "town", ["town", "sex"])
    assert (found.records, found.at_risk, found.classes, found.share) == (8, 2, 5, 0.25)
    assert found.values == (("Graz", 2, 0), ("Linz", 2, 1), ("Wien", 2, 1))
    by_illness = session.at_risk(2, "illness", ["town", "sex"])
    assert by_illness.values == (("cold", 2, 1), ("flu", 3, 0), ("gout", 1, 1))
    assert session.at_risk(1).at_risk == 0
    assert session.at_risk(9, quasi_identifiers=["sex"]).at_risk == 8


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ((0,), "k is 0"),
        ((2.5,), "k is 2.5"),
        ((2, "name"), "no column 'name'"),
        ((2, None, ["name"]), "no column 'name'"),
    ],
)
def test_at_risk_refuses_what_it_does_not_know(
    session: toolbox.Session, wrong: tuple[object, ...], message: str
) -> None:
    with pytest.raises(toolbox.UsageError, match=message):
        session.at_risk(*wrong)


@pytest.mark.slow
def test_a_session_may_be_asked_of_hostile_names() -> None:
    names = ['a "quoted" name', "select", " ", "size", "名前", "c0"]
    people = pa.table({name: ["x", "y", "x", "y"] for name in names})
    with toolbox.open(people, quasi_identifiers=names) as opened:
        variant = opened.run(k=2, classes=True)
        assert [row.at_risk for row in opened.at_risk(3, "size").values] == [2, 2]
    assert variant.classes.column_names == ["class_id", "size", "suppressed", *names]
    assert variant.classes.column(1).to_pylist() == [2, 2]
