"""Who is asked for besides those who look at one person: what each needs, and what is learned."""

from __future__ import annotations

import pytest
from helpers.questions import question
from helpers.small_tables import arrow

from toolbox.errors import UsageError
from toolbox.flows.judge.attackers import Attackers, make_attackers
from toolbox.flows.judge.judge import TablesToJudge, judge
from toolbox.risks.figures import Attack

PEOPLE = arrow("age illness\n21 flu\n22 cold\n31 cold\n32 flu")
EARLIER = arrow("age illness\n[21:31] flu\n[22:32] cold\n[21:31] cold\n[22:32] flu")
NOW = arrow("age illness\n[21:22] flu\n[21:22] cold\n[31:32] cold\n[31:32] flu")
NONE = {"attack": None, "earlier": None, "link": None, "original": None, "population": None}


def test_who_matches_needs_people_and_an_earlier_release_is_linked_by_its_order() -> None:
    asked = question("age", sensitive=["illness"])
    assert make_attackers(asked, "internal", **NONE) == Attackers()
    with pytest.raises(UsageError, match="compares with people, and none are named"):
        make_attackers(asked, "internal", **NONE | {"attack": Attack()})
    found = make_attackers(asked, "internal", **NONE | {"earlier": EARLIER, "original": PEOPLE})
    assert (found.linked_by, found.key) == ("order", None)
    assert make_attackers(asked, "internal", **NONE | {"earlier": EARLIER, "link": "person"}).key == "person"


def test_a_public_page_does_not_tell_what_they_learn() -> None:
    asked = question("age", sensitive=["illness"])
    with pytest.raises(UsageError, match="Leave --matching out, or write an internal page"):
        make_attackers(asked, "public", **NONE | {"attack": Attack()})
    with pytest.raises(UsageError, match="Leave --earlier out"):
        make_attackers(asked, "public", **NONE | {"earlier": EARLIER})


def test_both_are_measured_where_both_are_asked_for() -> None:
    """Each class has two; of the pairs of linked rows one fits 21 and one 32, and two fit the other people."""
    asked = question("age", sensitive=["illness"])
    attackers = Attackers(attack=Attack(), earlier=EARLIER, linked_by="order")
    tables = TablesToJudge(release=NOW, original=PEOPLE, earlier=EARLIER)
    found, _ = judge(asked, tables, attackers.list_measures(k=2))
    matching, joint = found["matching"], found["joint"]
    assert Attackers().list_measures(k=2) == {}
    assert matching is not None
    assert matching.beliefs is not None
    assert matching.beliefs.counts == ((2, 4),)
    assert matching.beliefs.tenths == (*[(0, 0)] * 4, (4, 0), *[(0, 0)] * 5)
    assert joint is not None
    assert joint.consistency is not None
    assert joint.consistency.counts == ((1, 2), (2, 2))
    assert joint.classes is not None
    assert joint.classes.counts == ((1, 4),)
