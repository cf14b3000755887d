"""Judges of several tables: each is judged by itself, and what all rows of a person show together, in all of them."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from helpers.amounts import times

import toolbox
from toolbox.cli.main import main
from toolbox.privacy.models.k_anonymity import KMAnonymity

Rows = list[tuple[str, ...]]


def draw_release(rng: random.Random) -> tuple[Rows, Rows]:
    """Draw the released tables of persons, with age and sex, and of visits, with wards; some cells are suppressed."""
    names = [f"P{number}" for number in range(rng.randint(3, 10))]
    shown = {name: (rng.choice(["1*", "2*", "*"]), rng.choice("m*")) for name in names}
    visits = [(rng.choice(names), rng.choice(["A*", "B1", "*"])) for _ in range(rng.randint(1, 12))]
    return [(name, *shown[name]) for name in names], visits


def list_shown(persons: Rows, visits: Rows) -> dict[str, list[tuple[str, ...]]]:
    """List the rows of each person; who has one row that says nothing shows nothing."""
    rows = defaultdict[str, list[tuple[str, ...]]](list)
    for name, *cells in persons:
        rows[name].append(("person", *cells))
    for name, *cells in visits:
        rows[name].append(("visit", *cells))
    return {name: its for name, its in rows.items() if its != [("person", "*", "*")]}


def frames(persons: Rows, visits: Rows) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make tables of the rows."""
    return pd.DataFrame(persons, columns=["patient", "age", "sex"]), pd.DataFrame(visits, columns=["patient", "ward"])


DECLARED = {"quasi_identifiers": ["age", "sex", "visits.ward"], "person": "patient"}


@pytest.mark.slow
def test_profiles_over_all_tables_are_counted_as_a_pencil_does() -> None:
    for seed in range(times(2, slow=250)):
        rng = random.Random(seed)
        persons, visits = draw_release(rng)
        k, m = rng.randint(1, 3), rng.randint(1, 3)
        main_table, child = frames(persons, visits)
        shown = list_shown(persons, visits)
        profiles = Counter(tuple(sorted(rows)) for rows in shown.values())
        expected = (
            len(shown),
            len(profiles),
            min(profiles.values(), default=None),
            sum(size == 1 for size in profiles.values()),
            sum(size for size in profiles.values() if size < k),
        )
        known = Counter(
            each
            for rows in shown.values()
            for size in range(1, m + 1)
            for each in combinations(sorted(set(rows)), size)
        )
        report = toolbox.check(main_table, **DECLARED, tables={"visits": child}, k=k, models=[KMAnonymity(k=k, m=m)])
        found = report.profiles
        assert found is not None
        assert (found.persons, found.profiles, found.fewest, found.alone, found.below_k) == expected, seed
        own = report.tables["visits"]
        wards = {ward: {name for name, where in visits if where == ward} for _, ward in visits}
        assert own.smallest_class == min(map(len, wards.values())) and own.classes == len(wards), seed
        classes = Counter((age, sex) for _, age, sex in persons if (age, sex) != ("*", "*"))
        holds = {
            "main": min(classes.values(), default=k) >= k,
            "visits": min(map(len, wards.values())) >= k,
            "profiles": expected[4] == 0,
            "k^m": min(known.values(), default=k) >= k,
        }
        judged = {model.name: model for model in report.judged}
        assert judged["k-anonymity"].holds == holds["main"] and own.holds == holds["visits"], seed
        assert judged["k^m-anonymity"].achieved == min(known.values(), default=None), seed
        assert report.holds == all(holds.values()), seed


@pytest.mark.slow
def test_risk_says_who_is_alone_by_all_rows_and_by_those_of_each_table() -> None:
    for seed in range(times(2, slow=60)):
        persons, visits = draw_release(random.Random(f"risk {seed}"))
        main_table, child = frames(persons, visits)
        profiles = Counter(tuple(sorted(rows)) for rows in list_shown(persons, visits).values())
        report = toolbox.risk(main_table, **DECLARED, tables={"visits": {"release": child}}, k=2)
        assert report.profiles is not None and report.profiles.alone == sum(n == 1 for n in profiles.values()), seed
        wards = Counter(ward for _, ward in {*visits})
        assert report.tables["visits"].risk.uniqueness.records == sum(size == 1 for size in wards.values()), seed
        assert report.document()["profiles"]["below_k"] == report.profiles.alone, seed


@pytest.mark.slow
def test_measure_says_of_each_child_table_what_it_says_of_that_table_alone() -> None:
    people = pd.DataFrame({"patient": ["P1", "P2", "P3"], "age": ["11", "12", "21"]})
    shown = people.assign(age=["1*", "1*", "*"])
    visits = pd.DataFrame({"patient": ["P1", "P1", "P2", "P3"], "ward": ["A1", "A2", "A1", "B1"]})
    released = visits.assign(ward=["A*", "A*", "A*", "B*"])
    hierarchies = {"ward": [["A1", "A*", "*"], ["A2", "A*", "*"], ["B1", "B*", "*"]]}
    alone = toolbox.measure(visits, released, quasi_identifiers=["ward"], person="patient", hierarchies=hierarchies)
    both = toolbox.measure(
        people,
        shown,
        quasi_identifiers=["age", "visits.ward"],
        person="patient",
        hierarchies={"visits.ward": hierarchies["ward"]},
        tables={"visits": {"release": released, "original": visits}},
    )
    assert both.tables["visits"].measures == alone.measures and alone.value("precision") == 0.5
    assert both.measures == toolbox.measure(people, shown, quasi_identifiers=["age"], person="patient").measures
    assert [each["value"] for each in both.document()["tables"]["visits"]["metrics"]]


# On the command line: a configuration finds the releases that its run has made, or an option names them.


@pytest.fixture
def released(tmp_path, monkeypatch):
    """Release persons and visits by a configuration: four patients alike in both, and one who has another ward."""
    monkeypatch.chdir(tmp_path)
    people = "".join(f"P{number},11,m\n" for number in range(4))
    Path("persons.csv").write_text(f"patient,age,sex\n{people}")
    Path("visits.csv").write_text("patient,ward\nP0,A1\nP1,A1\nP2,B1\nP3,B1\n")
    main(["key", "new", "my.key"])
    keyed = ("--treat", "patient=pseudonym", "--key", "my.key", "--suppressed", "drop", "-suppThreshold", "0")
    levels = ("--hierarchy", "age=prefix:1", "--kind", "age=category", "--hierarchy", "visits.ward=prefix:1")
    declared = ("--person", "patient", "--qi", "age,visits.ward", "--sensitive", "sex", "--table", "visits=visits.csv")
    run = ("anonymize", "persons.csv", "-output", "release.csv", *declared, *keyed, *levels)
    assert main([*run, "-k", "2", "--method", "Datafly", "--save-config", "c.xml", "--quiet"]) == 0
    return tmp_path


def ask(capsys, *words: str) -> tuple[int, dict]:
    """Ask a judge; return its exit status and its document."""
    capsys.readouterr()
    status = main([*words, "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.slow
def test_a_configuration_finds_the_tables_that_its_run_has_released(released, capsys) -> None:
    status, found = ask(capsys, "check", "-config", "c.xml")
    assert status == 0 and found["tables"]["visits"]["smallest_class"] == 2
    assert found["profiles"] == {
        "persons": 4,
        "profiles": 2,
        "smallest_profile": 2,
        "average_profile": 2.0,
        "alone": 0,
        "k": 2,
        "below_k": 0,
        "required": 2,
        "holds": True,
    }
    assert ask(capsys, "risk", "-config", "c.xml")[1]["profiles"]["alone"] == 0
    assert ask(capsys, "measure", "-config", "c.xml")[1]["tables"]["visits"]["records"] == 4
    # Somebody moves one visit of the released table: each ward still has two persons, and two are alone by profile.
    rows = Path("release_visits.csv").read_text().splitlines()
    Path("release_visits.csv").write_text("\n".join([*rows, rows[1].replace("A1", "B1")]) + "\n")
    status, found = ask(capsys, "check", "-config", "c.xml")
    assert status == 3 and found["tables"]["visits"]["holds"] and not found["profiles"]["holds"]
    assert (found["profiles"]["alone"], found["holds"]) == (2, False)


@pytest.mark.slow
def test_options_name_the_tables_where_no_configuration_does(released, capsys) -> None:
    declared = ("--person", "patient", "--qi", "age,visits.ward", "--table", "visits=release_visits.csv:key=patient")
    assert ask(capsys, "check", "release.csv", *declared, "-k", "2")[0] == 0
    status, found = ask(capsys, "check", "release.csv", *declared, "-k", "3")
    assert status == 3 and [found["tables"]["visits"]["holds"], found["profiles"]["below_k"]] == [False, 4]
    compared = (*declared[:-1], "visits=release_visits.csv:original=visits.csv")
    losses = ("measure", "persons.csv", "release.csv", *compared, "--hierarchy", "visits.ward=build:prefix:1")
    assert ask(capsys, *losses[:-2])[1]["tables"]["visits"]["records"] == 4


@pytest.mark.slow
def test_what_is_not_joined_or_not_there_is_told(released, capsys) -> None:
    (released / "moved.csv").write_text(Path("release_visits.csv").read_text())
    Path("release_visits.csv").unlink()
    found = ask(capsys, "check", "-config", "c.xml")[1]
    assert "profiles" not in found and found["not_proved"] == [
        "The table 'visits' of c.xml is not read here (ward). Name its release, --table visits=FILE, and it is judged "
        "as well."
    ]
    found = ask(capsys, "check", "-config", "c.xml", "--table", "visits=moved.csv")[1]
    assert "not_proved" not in found and found["profiles"]["holds"]
    Path("moved.csv").write_text("patient,ward\nSTRANGER,A1\n")
    found = ask(capsys, "check", "-config", "c.xml", "--table", "visits=moved.csv")[1]
    assert found["not_proved"] == ["The table visits has rows of 1 person whom release.csv does not have."]
    # Without a pseudonym nobody can join the tables.
    Path("c.xml").write_text(Path("c.xml").read_text().replace("treat='pseudonym'", ""))
    for path in ("release.csv", "moved.csv"):
        rows = [row.partition(",")[2] for row in Path(path).read_text().splitlines()]
        Path(path).write_text("\n".join(rows) + "\n")
    found = ask(capsys, "check", "-config", "c.xml", "--table", "visits=moved.csv")[1]
    assert found["not_proved"][-1] == (
        "release.csv has no patient, by which somebody could join it with the table visits: what all rows of a person "
        "show together is not counted here."
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {"tables": {"visits": {}}},
            "tables['visits'] names no release. Write tables={'visits': 'release_visits.csv'}.",
        ),
        (
            {"tables": {"visits": {"relaese": 1}}},
            "tables['visits'] says 'relaese', which means nothing. Did you mean 'release'? It takes release, original, "
            "key; columns are called visits.ward.",
        ),
        (
            {"person": ()},
            "The table visits has rows of the same persons, whom one column must tell apart. Write person='patient', "
            "say.",
        ),
        (
            {"quasi_identifiers": ["age"]},
            "Nothing names what somebody may know of the table visits. Write quasi_identifiers=['visits.ward'], say.",
        ),
    ],
)
def test_what_a_call_lacks_is_told(arguments, expected) -> None:
    persons, visits = frames([("P1", "11", "m")], [("P1", "A1")])
    with pytest.raises(toolbox.UsageError) as told:
        toolbox.check(persons, **{**DECLARED, "tables": {"visits": visits}, **arguments})
    assert str(told.value) == expected


def test_measure_needs_the_rows_that_a_child_table_was_made_from() -> None:
    persons, visits = frames([("P1", "11", "m")], [("P1", "A1")])
    with pytest.raises(toolbox.UsageError, match="measure compares the table visits with the rows it was made from"):
        toolbox.measure(persons, persons, **DECLARED, tables={"visits": visits})
