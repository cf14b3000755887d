"""What an attacker knows, in words."""

from __future__ import annotations

from toolbox.risks.matching.figures import Attack


def test_an_attacker_knows_all_columns_unless_some_are_named_and_nobody_told_unless_a_share_is_named() -> None:
    assert Attack().in_words() == "knows all quasi-identifiers of everybody"
    assert Attack(known=("age",)).in_words() == "knows age of everybody"
    assert (
        Attack(insiders=0.5).in_words()
        == "knows all quasi-identifiers of everybody; 50.00% of them have told their row"
    )
