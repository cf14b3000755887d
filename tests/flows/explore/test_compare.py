"""Every method under every requirement on one reading; what cannot be done is a row that says why."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pandas as pd
import pytest
from helpers.printing import printed

import toolbox
from toolbox.cli.main import main
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.explore.compare import ComparedQuestion, ComparedRequirements, compare_methods
from toolbox.flows.session.run import Cancelling
from toolbox.report.runs.compare import ComparisonReport
from toolbox.steps import Stage, Watcher

PEOPLE = pd.DataFrame(
    {
        "age": [23, 25, 24, 61, 67, 64],
        "town": ["Graz", "Linz", "Graz", "Wien", "Wien", "Wien"],
        "ill": ["flu", "cold", "gout", "flu", "cold", "flu"],
    }
)
TOWNS = {"Austria": {"South": ["Graz"], "North": ["Linz", "Wien"]}}


def compared(
    *names: str, watcher: Watcher | None = None, cancel: Event | None = None, **said: object
) -> ComparisonReport:
    columns = ColumnArguments(list(names), ["ill"], [], {"town": TOWNS} if "town" in names else {}, {}, {}, {})
    requirements = ComparedRequirements(**{name: said.pop(name) for name in ("k", "l", "models") if name in said})
    return compare_methods(
        PEOPLE,
        AnonymizeArguments.of_nothing(columns, "compare"),
        ComparedQuestion(requirements=requirements, **said),
        watcher=watcher,
        cancelling=Cancelling(cancel),
    )


class Names(Watcher):
    def __init__(self) -> None:
        self.steps: list[str] = []

    def begin(self, stage: Stage) -> None:
        self.steps.append(stage.step)


@pytest.fixture(scope="module")
def watched() -> tuple[ComparisonReport, Names]:
    names = Names()
    report = compared(
        "age", "town", k=(2, 3, 7), methods=["Mondrian", "Datafly", "Anatomy"], metrics=["kept", "ncp"], watcher=names
    )
    return report, names


@pytest.mark.slow
def test_the_table_is_read_once_for_all_runs(watched: tuple[ComparisonReport, Names]) -> None:
    _, names = watched
    assert names.steps.count("read") == 1
    assert [step for step in names.steps if step != "read"] == [
        f"{method}, k={k}" for method in ("Mondrian", "Datafly", "Anatomy") for k in (2, 3, 7)
    ]


@pytest.mark.slow
def test_what_cannot_be_done_says_why_behind_what_can(watched: tuple[ComparisonReport, Names]) -> None:
    report, _ = watched
    done = [(run.method, run.required) for run in report.done]
    assert sorted(done) == [("Mondrian", "k=2"), ("Mondrian", "k=3")]
    why = {(run.method, run.required): run.why_not for run in report.runs[2:]}
    assert "6 records, and a class needs at least 7" in why["Mondrian", "k=7"]
    assert "needs a hierarchy for 'age'" in why["Datafly", "k=2"]
    assert "deals single records into groups" in why["Anatomy", "k=3"]


@pytest.mark.slow
def test_a_run_is_proved_and_measured_as_its_release(watched: tuple[ComparisonReport, Names]) -> None:
    report, _ = watched
    run = report.best
    release = toolbox.anonymize(**run.variant.arguments, order="input")
    assert release.summary.proof == run.variant.summary.proof
    assert run.values["information kept"] == release.summary.information.share
    loss = toolbox.measure(PEOPLE, release.release, quasi_identifiers=["age", "town"], hierarchies={"town": TOWNS})
    assert run.values["normalised certainty penalty"] == loss.value("normalised certainty penalty")


@pytest.mark.slow
def test_the_best_by_the_chosen_metric_comes_first() -> None:
    report = compared("town", k=(2,), methods=["Datafly", "Mondrian"], by="suppressed records")
    assert [metric.name for metric in report.metrics] == [
        "suppressed records",
        "information kept",
        "normalised certainty penalty",
        "non-uniform entropy",
    ]
    # Datafly may suppress two records, and leaves who is alone in Linz out.
    suppressed = [(run.method, run.values["suppressed records"]) for run in report.runs]
    assert suppressed == [("Mondrian", 0), ("Datafly", 1)]


@pytest.mark.slow
def test_models_of_sensitive_columns_are_compared_too() -> None:
    report = compared("age", k=(2,), l=(1.5, 2), methods=["Mondrian"], metrics=["kept"])
    assert {run.required for run in report.runs} == {
        "k=2; entropy l-diversity (l=1.5) of ill",
        "k=2; entropy l-diversity (l=2) of ill",
    }


@pytest.mark.slow
def test_one_method_is_compared_with_itself_under_other_settings() -> None:
    methods = ["Mondrian:dimension=distinct", "mondrian:dimension=wrong", "Mondrian"]
    report = compared("age", k=(2,), methods=methods, metrics=["kept"])
    dimensions = {run.method: run.settings.get("dimension") for run in report.runs}
    assert dimensions == {
        "Mondrian:dimension=distinct": "distinct",
        "Mondrian": "range",
        "Mondrian:dimension=wrong": None,
    }
    assert "dimension is 'wrong'; write one of range, distinct" in report.runs[-1].why_not


# Six records make no class of seven, which costs no search; with --slow all search.
@pytest.mark.parametrize(("k", "classes"), [(7, set()), pytest.param(6, {6}, marks=pytest.mark.slow)])
def test_all_installed_methods_but_those_of_groups_are_compared_where_none_is_named(k: int, classes: set[int]) -> None:
    from toolbox.methods.anonymizer import list_installed_methods

    every = {method.name for method in list_installed_methods().values()} - {"Anatomy"}
    report = compared("town", k=(k,), suppression_threshold=0, metrics=["kept"])
    assert {run.method for run in report.runs} == every
    assert {run.variant.summary.proof.smallest_class for run in report.done} == classes
    why = [run.why_not for run in report.runs if run not in report.done]
    assert all("6 records, and a class needs at least 7" in each for each in why)
    assert bool(why) == (k == 7)


def test_a_comparison_is_cancelled_as_a_run_is() -> None:
    event = Event()
    event.set()
    with pytest.raises(toolbox.CancelledError):
        compared("age", k=(2,), methods=["Mondrian"], cancel=event)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"methods": ["Mondrin"]}, "Did you mean 'Mondrian'"),
        ({"methods": "Mondrian"}, r"Write a list, \['Mondrian'\]"),
        ({"by": "precison"}, "Did you mean 'precision'"),
        ({"metrics": ["none"]}, "information kept"),
        ({"metrics": "precision"}, "is one metric"),
        ({"metrics": 5}, "metrics is 5; write a list"),
        ({"methods": 5}, "methods is 5; write a list"),
        ({"threshold": 0}, "a probability above 0"),
        ({"bound": ["discernibility"]}, "no sum over cells"),
        ({"bound_seconds": 5.0}, "none is asked for. Write --bound lm"),
    ],
)
def test_a_wrong_question_is_refused_before_the_table_is_read(said: dict[str, object], message: str) -> None:
    with pytest.raises(toolbox.UsageError, match=message):
        compared("no such column", **said)


@pytest.mark.slow
def test_every_run_stands_beside_a_bound_that_is_proved_once_for_each_k() -> None:
    heard: list[str] = []

    class Hearing(Watcher):
        def say(self, stage: Stage) -> None:
            heard.append(stage.words)

    # k=2: the one from Linz is North with somebody from Wien, half the loss for two of six people; but a method leaves
    # all from Wien together. k=3: those from Graz and Linz are anywhere in Austria, three of six.
    asked = {"methods": ["LocalRecoding", "Datafly"], "k": (2, 3), "suppression_threshold": 0, "metrics": ["ncp"]}
    towns = compared("town", watcher=Hearing(), bound=["lm"], **asked)
    assert heard.count("check of the proof") == 2
    bounds = {(run.method, run.required): run.bounds[0] for run in towns.runs}
    assert [(bound.value, bound.released, bound.beyond) for _, bound in sorted(bounds.items())] == [
        (pytest.approx(1 / 6, rel=1e-3), pytest.approx(1 / 3), ""),
        (pytest.approx(1 / 2, rel=1e-3), 1.0, ""),
        (pytest.approx(1 / 6, rel=1e-3), pytest.approx(1 / 3), ""),
        (pytest.approx(1 / 2, rel=1e-3), 0.5, ""),
    ]
    assert towns.runs[0].document(towns.metrics)["bounds"][0]["released"] == pytest.approx(1 / 3)
    said = " ".join(printed(lambda console, report: report.show_on(console), towns))
    assert "LocalRecoding k=3 LM 0.5000 0.499" in said


def test_a_configuration_is_compared_by_what_it_requires(tmp_path: Path) -> None:
    PEOPLE.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / "c.xml").write_text(
        "<config k='2'><input filename='people.csv' header='true'/><qid><att name='age'/></qid>"
        "<sens><att name='ill' type='category'/></sens></config>"
    )
    nothing = AnonymizeArguments.of_nothing(ColumnArguments((), (), (), {}, {}, {}, {}), "compare")
    question = ComparedQuestion(requirements=ComparedRequirements(), methods=["Mondrian"], metrics=["kept"])
    report = compare_methods(tmp_path / "c.xml", nothing, question)
    assert [(run.required, run.variant.summary.k, run.variant.losses) for run in report.runs] == [("k=2", 2, None)]


# What was noticed while the table was read


AMOUNTS = "age;paid\n23;1,5\n25;2,25\n61;7,5\n67;8,75\n"
SAID = "paid: its values would be numbers with decimal commas, and are taken for categories."


@pytest.mark.slow
def test_numbers_in_another_notation_are_told_once_before_the_figures(tmp_path: Path) -> None:
    (tmp_path / "paid.csv").write_text(AMOUNTS)
    report = toolbox.compare(tmp_path / "paid.csv", quasi_identifiers=["age", "paid"], k=[2, 3])
    assert [note for note in report.notes if "commas" in note] == [report.notes[0]]
    assert report.notes[0].startswith(SAID)
    assert report.document()["notes"] == list(report.notes)
    read = toolbox.compare(tmp_path / "paid.csv", quasi_identifiers=["age", "paid"], k=[2, 3], decimal=",")
    assert [note for note in read.notes if "commas" in note] == []


@pytest.mark.slow
def test_the_command_line_names_the_option_that_reads_them_as_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "paid.csv").write_text(AMOUNTS)
    assert main(["compare", str(tmp_path / "paid.csv"), "--qi", "age,paid", "-k", "2"]) == 0
    assert f"note {SAID} Write --decimal ',' if they are numbers." in capsys.readouterr().out
