"""The rules: each on the column that it is for, and on its neighbour."""

from __future__ import annotations

import pytest
from helpers.profiled import WHOLE, column

from toolbox.suggestions.profile import Numbers, Profile
from toolbox.suggestions.roles import ROLES, find_repeated_people, guess_role, propose_treatment

AGES = Numbers(17, 90, 20, 75, is_whole=True)
SHARES = Numbers(0.3, 3.1, 0.4, 2.8, is_whole=False)
GIVEN_OUT = Numbers(104_200, 998_712, 150_000, 950_000, is_whole=True, is_even=True)
KILOS = Numbers(41.5, 131, 50, 110, is_whole=False)
YEARS = Numbers(1931, 2009, 1940, 2000, is_whole=True)
ALONE = {"different": 990, "alone": 985}

EXAMPLES: list[tuple[str, str, str, Profile]] = [
    ("nothing is in it", "identifier", "sure", column(there=0, different=0)),
    ("a name of a person", "identifier", "sure", column("Nachname", different=600, alone=400)),
    ("names of few values may name nobody", "identifier", "unsure", column("name", different=4)),
    ("telephone numbers that repeat", "identifier", "sure", column("c7", looks_like="telephone", different=12)),
    ("e-mail addresses here and there", "identifier", "sure", column("q1", looks_like="email", share=0.002)),
    ("free text", "identifier", "sure", column("c9", looks_like="text", different=900, alone=800)),
    ("addresses within sensitive attributes", "identifier", "sure", column("diagnosis", looks_like="email", share=0.01)),
    ("numbers of groups", "quasi-identifier", "unsure", column("group_id", different=30, numbers=WHOLE)),
    ("numbers of people that repeat", "identifier", "sure", column("customer_id", different=90, alone=2)),
    ("words that may be names", "identifier", "unsure", column("c13", different=90, alone=3, may_be_names=True)),
    ("towns that look like names", "quasi-identifier", "sure", column("town", different=90, may_be_names=True)),
    ("a date beside people", "quasi-identifier", "likely", column("member_since", kind="date", **ALONE)),
    ("ages at a diagnosis", "quasi-identifier", "sure", column("age_at_diagnosis", numbers=AGES, different=70)),
    ("numbers of people", "identifier", "sure", column("patient_id", numbers=WHOLE, **ALONE)),
    ("weights of a survey", "identifier", "sure", column("weight", numbers=SHARES, **ALONE)),
    ("weights that may be those of bodies", "quasi-identifier", "unsure", column("weight", numbers=KILOS, different=90)),
    ("weights of bodies", "quasi-identifier", "sure", column("body weight", numbers=KILOS, different=300)),
    ("when a record was made", "identifier", "sure", column("created_at", kind="timestamp", **ALONE)),
    ("ages", "quasi-identifier", "sure", column("age", numbers=AGES, different=70)),
    ("words that are called ages, and hardly repeat", "identifier", "sure", column("age", **ALONE)),
    ("ages in classes", "quasi-identifier", "sure", column("age", different=9)),
    ("years that are called ages", "quasi-identifier", "unsure", column("age", numbers=YEARS, different=70)),
    ("years of birth", "quasi-identifier", "sure", column("anno_nascita", numbers=YEARS, different=70)),
    ("dates of birth that all differ", "quasi-identifier", "sure", column("dob", kind="date", **ALONE)),
    ("dates of anything", "quasi-identifier", "likely", column("c3", kind="date", different=300, alone=100)),
    ("origin is protected, and seen", "quasi-identifier", "sure", column("race")),
    ("marital statuses by their values", "quasi-identifier", "likely", column("c4", looks_like="marital")),
    ("exact incomes", "sensitive", "sure", column("income", numbers=WHOLE, different=80)),
    ("incomes in classes", "quasi-identifier", "unsure", column("salary-class", different=2)),
    ("incomes that nearly all differ", "quasi-identifier", "unsure", column("income", numbers=WHOLE, **ALONE)),
    ("amounts that many have alone", "quasi-identifier", "unsure", column("bill", numbers=WHOLE, different=700, alone=600)),
    ("diagnoses", "sensitive", "sure", column("Diagnose", different=120, alone=60)),
    ("diagnoses by their values", "sensitive", "sure", column("c5", looks_like="icd", different=90, alone=20)),
    ("religion", "sensitive", "sure", column("religion", different=9)),
    ("words that nearly all differ", "identifier", "sure", column("c6", **ALONE)),
    ("words of which many are alone", "identifier", "unsure", column("c6", different=500, alone=350)),
    ("numbers that nearly all differ", "identifier", "likely", column("c6", numbers=GIVEN_OUT, longest=6, **ALONE)),
    ("measures that nearly all differ", "quasi-identifier", "unsure", column("c6", numbers=SHARES, **ALONE)),
    ("one value for everybody", "as it is", "likely", column("c8", different=1)),
    ("answers of a series", "sensitive", "likely", column("q7", different=5, alike=40)),
    ("sliders of a series", "sensitive", "likely", column("q8", numbers=WHOLE, different=101, alike=40)),
    ("one value for some, and none for others", "quasi-identifier", "unsure", column("c8", there=960, different=1)),
    ("amounts of which a tenth are alone", "quasi-identifier", "unsure", column("bill", numbers=WHOLE, alone=100)),
    ("diagnoses of which a tenth are alone", "quasi-identifier", "unsure", column("Diagnose", different=180, alone=100)),
    ("a yes or no", "quasi-identifier", "unsure", column("flag", different=2)),
    ("many numbers", "quasi-identifier", "unsure", column("c10", numbers=WHOLE, different=90, alone=3)),
    ("many words", "quasi-identifier", "unsure", column("c11", different=90, alone=3)),
]  # fmt: skip


@pytest.mark.sampled(17)
@pytest.mark.parametrize(("what", "role", "sureness", "profile"), EXAMPLES, ids=[example[0] for example in EXAMPLES])
def test_the_first_rule_that_holds_decides(what: str, role: str, sureness: str, profile: Profile) -> None:
    guess = guess_role(profile)
    assert (guess.role, guess.sureness) == (role, sureness), guess.why
    assert "{" not in guess.why


def test_each_role_is_given_to_some_column() -> None:
    assert {role for _, role, _, _ in EXAMPLES} == set(ROLES)


def test_of_few_records_diagnoses_that_differ_are_facts_all_the_same() -> None:
    few = column("diagnosis", records=12, there=12, different=11, alone=10)
    assert guess_role(few).role == "sensitive"


def test_of_few_records_unknown_words_that_differ_are_not_released() -> None:
    assert guess_role(column("c1", records=6, there=6, different=6, alone=6)).role == "identifier"


@pytest.mark.parametrize("share", [0.3, 0.5, 0.89, 0.9, 0.95, 1.0])
@pytest.mark.parametrize("name", ["c1", "q3", "income", "flag", "notes", "value"])
def test_no_column_by_which_many_stand_alone_is_released_as_it_is(name: str, share: float) -> None:
    count = round(1000 * share)
    for facts in ({"numbers": WHOLE}, {"numbers": SHARES}, {}):
        guess = guess_role(column(name, different=count, alone=count, alike=40, **facts))
        assert guess.role in ("identifier", "quasi-identifier")


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (column("patient_id", different=200, alone=0), "200 of 1,000 values differ, 5 records for each on average: an"),
        (column("patient_id", different=1000, alone=1000), ""),
        (column("name", different=200), ""),
        (column("visit_id", different=200), ""),
        (column("town", different=200), ""),
    ],
)
def test_only_identifiers_of_persons_that_repeat_say_that_records_are_not_people(profile: Profile, said: str) -> None:
    told = find_repeated_people(profile, is_sample=False)
    assert told.startswith(said)
    assert bool(told) is bool(said)
    assert (", 5 records" in find_repeated_people(profile, is_sample=True)) is False


# What may be done to a column instead: a proposal that nobody applies unasked.

PAY = Numbers(412, 19_454, 900, 7_361, is_whole=True)


@pytest.mark.parametrize(
    ("profile", "proposed"),
    [
        (column("Nachname", different=600, alone=400), "pseudonym"),
        (column("c1", looks_like="email", different=900), "pseudonym"),
        (column("c7", looks_like="telephone", different=12), "pseudonym"),
        (column("patient_id", numbers=WHOLE, different=300), "pseudonym"),
        (column("c9", looks_like="text", different=900, alone=800), None),
        (column("salary", numbers=PAY, different=300, alone=90), "top:7300"),
        (column("salary", numbers=PAY, different=900, alone=880), "top:7300"),
        # Of 90 different numbers fewer than five may be beyond the usual ones.
        (column("salary", numbers=PAY, different=90), None),
        (column("salary-class", different=4), None),
        (column("age", numbers=AGES, different=70), None),
        (column("nothing", there=0, different=0), None),
    ],
)
def test_tokens_are_proposed_for_what_names_people_and_a_round_cap_for_amounts(
    profile: Profile, proposed: str | None
) -> None:
    proposal = propose_treatment(profile, guess_role(profile).role)
    assert (None if proposal is None else proposal.treatment) == proposed
