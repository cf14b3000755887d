"""What a plan asks for, in few words."""

from __future__ import annotations

import pickle

from toolbox.experiments.plan.plan import DataSet, Plan, Wish


def test_a_wish_is_named_by_what_it_asks_for() -> None:
    assert str(Wish(k=5)) == "k=5"
    assert str(Wish(k=5, l=2, t=0.25)) == "k=5; l=2; t=0.25"
    assert str(Wish(models=("k-anonymity:k=5", "t-closeness:t=0.2:attribute=ill"))) == (
        "k-anonymity:k=5; t-closeness:t=0.2:attribute=ill"
    )
    assert str(Wish()) == "as configured"


def test_a_data_set_may_have_methods_of_its_own_and_a_plan_goes_to_other_processes() -> None:
    own, other = DataSet(name="a", columns={"kinds": {"age": "number"}}, methods=("Datafly",)), DataSet(name="b")
    plan = Plan(name="study", data=(own, other), methods=("Mondrian",), wishes=(Wish(k=2),), metrics=("NCP",))
    assert [plan.list_data_methods(data) for data in plan.data] == [("Datafly",), ("Mondrian",)]
    assert pickle.loads(pickle.dumps(plan)) == plan
