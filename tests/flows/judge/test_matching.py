"""The attacker who matches everybody at once, as `risk` is asked for it."""

from __future__ import annotations

import pytest
from helpers.questions import question
from helpers.small_tables import arrow

from toolbox.errors import SettingError, UnknownColumnError, UsageError
from toolbox.flows.judge.attackers import make_attack
from toolbox.flows.judge.risk import assess_risk

RELEASE = arrow("age\n20-29\n20-29\n30-39\n30-39\n30-39\n*\n")
PEOPLE = arrow("age\n21\n22\n31\n32\n33\n64\n")


def test_who_matches_everybody_compares_with_the_originals_or_the_population() -> None:
    attack = make_attack(True, [], None)
    matching = assess_risk(question("age"), RELEASE, original=PEOPLE, attack=attack).matching
    assert matching is not None and matching.people == matching.rows
    assert assess_risk(question("age"), RELEASE, population=PEOPLE, attack=attack).matching is not None
    with pytest.raises(UsageError, match=r"none are named\. Write --original FILE or --population FILE"):
        assess_risk(question("age"), RELEASE, attack=attack)


def test_an_attacker_is_described_rightly_or_not_at_all() -> None:
    assert make_attack(False, [], None) is None
    with pytest.raises(UsageError, match="Also write --matching"):
        make_attack(False, ["age"], None)
    for share in (1, -0.1, True, "half"):
        with pytest.raises(SettingError, match="insiders"):
            make_attack(True, [], share)  # type: ignore[arg-type]
    with pytest.raises(UnknownColumnError, match="no column 'aeg'"):
        assess_risk(question("age"), RELEASE, original=PEOPLE, attack=make_attack(True, ["aeg"], 0.5))
