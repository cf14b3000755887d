"""One judgement: what is wanted is measured on tables that are read once, and a new measure is one entry."""

from __future__ import annotations

import pytest
from helpers.questions import question
from helpers.small_tables import arrow
from sqlalchemy import func, select

from toolbox.errors import InputError
from toolbox.flows.judge.judge import Judged, TablesToJudge, Wanted, judge
from toolbox.flows.judge.measure import make_loss_measure
from toolbox.flows.judge.risk import list_risk_measures
from toolbox.steps import Stage, Steps, Watcher

PEOPLE = arrow("age illness\n21 flu\n24 cold\n31 flu\n33 gout")
RELEASE = arrow("age illness\n20-29 flu\n20-29 cold\n30-39 flu\n30-39 gout")
ASKED = question("age", sensitive=["illness"], hierarchies={"age": "intervals:10"})


def largest_class(judged: Judged) -> int:
    return int(judged.store.scalar(select(func.max(judged.shown.classes.c.size))))


def test_a_measure_of_ones_own_is_one_entry() -> None:
    found, readings = judge(ASKED, TablesToJudge(release=RELEASE), {"largest": Wanted(largest_class)})
    assert (found, readings) == ({"largest": 2}, ())


def test_only_what_is_wanted_is_measured_each_under_its_step() -> None:
    seen: list[str] = []

    class Seeing(Watcher):
        def begin(self, stage: Stage) -> None:
            seen.append(stage.step)

    wanted = {**list_risk_measures(ASKED, k=3), "losses": make_loss_measure(), "late": Wanted(largest_class, "later")}
    found, _ = judge(ASKED, TablesToJudge(release=RELEASE, original=PEOPLE), wanted, Steps(Seeing()))
    assert list(found) == ["risk", "below", "statistics", "sensitive", "losses", "late"]
    assert seen == ["read", "measure", "later"]
    assert found["risk"].consistency.below_k == 4
    assert found["losses"].value("number of classes") == 2
    assert found["statistics"] is None


@pytest.mark.slow
def test_values_that_only_the_population_has_may_be_named_but_are_no_loss() -> None:
    release, population = arrow("age\n{21,60}\n{21,60}"), arrow("age\n21\n21\n60")
    tables = TablesToJudge(release=release, original=arrow("age\n21\n21"), population=population)
    asked = question("age", kinds={"age": "category"})
    assert judge(asked, tables, list_risk_measures(asked, k=2)).found["risk"].consistency.lowest == 2
    with pytest.raises(InputError, match="match no original value"):
        judge(asked, tables, {**list_risk_measures(asked, k=2), "losses": make_loss_measure()})
