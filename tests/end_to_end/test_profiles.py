"""Rows that a reader can join: persons are alike in all of their rows together, as a judge in plain Python counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.running import run_in_process

import toolbox
from toolbox import DistinctLDiversity, KAnonymity, KMAnonymity, PrivacyModel, TCloseness
from toolbox.errors import UnsatisfiableError, UsageError

AGES = {20: ["young", "*"], 25: ["young", "*"], 40: ["mid", "*"], 70: ["old", "*"]}
TOWNS = {"Graz": ["south", "*"], "Linz": ["north", "*"], "Wels": ["north", "*"], "Leoben": ["south", "*"]}
ILLNESSES = ("flu", "cold", "gout")
METHODS = ("Datafly", "Flash", "OLA", "MinGen")
OPTIMAL = METHODS[1:]
COLUMNS = ["person", "age", "town", "illness"]

Row = tuple[str, int, str, str]


def draw_visits(draw: Random, *, varies: bool) -> list[Row]:
    """Draw persons with 1 to 4 rows, whose quasi-identifiers are the same in all of them, or not."""
    rows: list[Row] = [("P0", 20, "Graz", "flu")]
    for number in range(draw.randint(4, 12)):
        age, town = draw.choice(list(AGES)), draw.choice(list(TOWNS))
        for _ in range(draw.choice((1, 1, 2, 2, 4))):
            if varies and draw.random() < 0.4:
                town = draw.choice(list(TOWNS))
            rows.append((f"P{number}", age, town, draw.choice(ILLNESSES)))
    draw.shuffle(rows)
    return rows


def release(rows: Sequence[Row], method: str, **said: Any) -> toolbox.Result:
    """Anonymise a table whose rows can be joined by person."""
    return toolbox.anonymize(
        pd.DataFrame(rows, columns=COLUMNS),
        quasi_identifiers=["age", "town"],
        sensitive=["illness"],
        person="person",
        hierarchies={"age": AGES, "town": TOWNS},
        method=method,
        order="input",
        suppressed="drop",
        **{"attacker": "profile", **said},
    )


# The judge: whose rows, as they are shown, are the same multiset; and what their rows of one kind hold.


def group_alike(rows: Sequence[Row], shown: Sequence[tuple[str, ...]]) -> list[set[str]]:
    """Group the persons whose shown rows are alike, each as often."""
    profiles = defaultdict[str, Counter[tuple[str, ...]]](Counter)
    for (person, *_), values in zip(rows, shown, strict=True):
        profiles[person][values] += 1
    groups = defaultdict[frozenset[Any], set[str]](set)
    for person, profile in profiles.items():
        groups[frozenset(profile.items())].add(person)
    return list(groups.values())


def list_cells(
    rows: Sequence[Row], shown: Sequence[tuple[str, ...]], group: set[str]
) -> Iterator[tuple[set[tuple[str, str]], int]]:
    """List, for the rows of a group that are shown alike, the pairs of person and illness, and the persons."""
    cells = defaultdict[tuple[str, ...], set[tuple[str, str]]](set)
    for (person, _, _, illness), values in zip(rows, shown, strict=True):
        if person in group:
            cells[values].add((person, illness))
    for pairs in cells.values():
        yield pairs, len(group)


def holds(model: PrivacyModel, pairs: set[tuple[str, str]], persons: int, rows: Sequence[Row]) -> bool:
    """Return whether a cell satisfies a model, by its definition."""
    here = Counter(illness for _, illness in pairs)
    if isinstance(model, KAnonymity):
        return persons >= model.k
    if isinstance(model, DistinctLDiversity):
        return min(len(here), persons) >= model.l
    assert isinstance(model, TCloseness)
    everybody = Counter(illness for _, illness in {(person, illness) for person, _, _, illness in rows})
    apart = (abs(here[each] / here.total() - count / everybody.total()) for each, count in everybody.items())
    return sum(apart) / 2 <= model.t + 1e-9


def list_rare(rows: Sequence[Row], shown: Sequence[tuple[str, ...]], models: Sequence[PrivacyModel]) -> set[str]:
    """List the persons whose group violates a model in any of its cells."""
    return {
        person
        for group in group_alike(rows, shown)
        if not all(holds(model, *cell, rows) for cell in list_cells(rows, shown, group) for model in models)
        for person in group
    }


def at_levels(rows: Sequence[Row], age: int, town: int) -> list[tuple[str, ...]]:
    """Generalise both columns, as a table of the hierarchies says."""
    return [(str([own, *AGES[own]][age]), [place, *TOWNS[place]][town]) for _, own, place, _ in rows]


def find_levels(made: toolbox.Result) -> tuple[int, int]:
    """Return the level of each column of a release."""
    age, town = (column.level for column in made.summary.quasi_identifiers)
    assert age is not None and town is not None
    return age, town


def require_alike(rows: Sequence[Row], made: toolbox.Result, models: Sequence[PrivacyModel]) -> int:
    """Require what was promised of a release in the order of the input; return how many persons are suppressed."""
    proved = made.summary.proof.persons
    assert proved is not None and (proved.judged_by, proved.suppressed_by) == ("profile", "person")
    before = at_levels(rows, *find_levels(made))
    rare = list_rare(rows, before, models)
    assert proved.suppressed == len(rare)
    shown = zip(*(made.release[name] for name in COLUMNS[1:]), strict=True)
    kept = [(*values, row[3]) for row, values in zip(rows, before, strict=True) if row[0] not in rare]
    assert [(str(age), str(town), illness) for age, town, illness in shown] == kept
    return len(rare)


def list_possible(rows: Sequence[Row], models: Sequence[PrivacyModel], limit: int) -> set[tuple[int, int]]:
    """List the nodes at which few enough persons are suppressed."""
    nodes = product(range(3), range(3))
    return {node for node in nodes if len(list_rare(rows, at_levels(rows, *node), models)) <= limit}


def climb(rows: Sequence[Row]) -> list[tuple[int, int]]:
    """List the nodes that Datafly may try: at each, the column with most values goes up, of equals the first one."""
    way = [(0, 0)]
    while way[-1] != (2, 2):
        age, town = way[-1]
        ages, towns = (len(set(values)) for values in zip(*at_levels(rows, age, town), strict=True))
        way.append((age + 1, town) if town == 2 or (age < 2 and ages >= towns) else (age, town + 1))
    return way


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("varies", [False, True])
@pytest.mark.parametrize("limit", [0, 3])
def test_k_persons_are_alike_in_all_of_their_rows(method: str, varies: bool, limit: int) -> None:
    draw = Random(f"{method} {varies} {limit}")
    for _ in range(times(2, slow=60)):
        rows = draw_visits(draw, varies=varies)
        models = (KAnonymity(k=2),)
        possible = list_possible(rows, models, limit)
        try:
            made = release(rows, method, k=2, suppression_threshold=limit)
        except UnsatisfiableError:
            assert not possible
            continue
        assert require_alike(rows, made, models) <= limit
        assert find_levels(made) in possible
        if method == "Datafly":
            assert find_levels(made) == next(node for node in climb(rows) if node in possible)
        if method in OPTIMAL and not limit:
            assert [node for node in possible if all(map(int.__le__, node, find_levels(made)))] == [find_levels(made)]


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("method", OPTIMAL)
@pytest.mark.parametrize(
    "models",
    [
        (DistinctLDiversity(l=2, attribute="illness"),),
        (KAnonymity(k=2), TCloseness(t=0.5, attribute="illness", distance="equal")),
    ],
    ids=str,
)
def test_models_of_sensitive_values_judge_the_rows_of_alike_persons(
    method: str, models: tuple[PrivacyModel, ...]
) -> None:
    draw = Random(f"{method} {models}")
    for _ in range(times(2, slow=40)):
        rows = draw_visits(draw, varies=True)
        limit = 3 if all(model.suppression_helps for model in models) else 0
        possible = list_possible(rows, models, limit)
        try:
            made = release(rows, method, models=models, suppression_threshold=limit)
        except UnsatisfiableError:
            assert not possible
            continue
        assert require_alike(rows, made, models) <= limit


# Any few rows of a person: every set of them that occurs is shared.


def count_least_sharing(rows: Sequence[Row], shown: Sequence[tuple[str, ...]], most: int) -> int:
    """Count the persons who share the rarest set of at most so many different rows that a person has."""
    held = defaultdict[str, set[tuple[str, ...]]](set)
    for (person, *_), values in zip(rows, shown, strict=True):
        held[person].add(values)
    sharing = Counter(
        each for values in held.values() for size in range(1, most + 1) for each in combinations(sorted(values), size)
    )
    return min(sharing.values())


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("method", [*METHODS, "Incognito"])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_whichever_few_rows_are_known_k_persons_have_them(method: str, m: int) -> None:
    draw = Random(f"{method} {m}")
    for _ in range(times(2, slow=40)):
        rows = draw_visits(draw, varies=True)
        nodes = {node: count_least_sharing(rows, at_levels(rows, *node), m) for node in product(range(3), range(3))}
        possible = {node for node, least in nodes.items() if least >= 2}
        try:
            made = release(rows, method, attacker="rows", models=[KMAnonymity(k=2, m=m)], suppression_threshold=0)
        except UnsatisfiableError:
            assert not possible
            continue
        found = find_levels(made)
        (judged,) = made.summary.proof.models
        assert found in possible and judged.achieved == nodes[found]
        shown = zip(made.release["age"], made.release["town"], strict=True)
        assert [(str(age), str(town)) for age, town in shown] == at_levels(rows, *found)
        if method != "Datafly":
            assert [node for node in possible if all(map(int.__le__, node, found))] == [found]


def test_a_check_counts_the_rarest_set_of_rows() -> None:
    visits = pd.DataFrame(
        [("P1", "flu"), ("P1", "gout"), ("P2", "flu"), ("P2", "gout"), ("P3", "flu"), ("P4", "gout"), ("P4", "gout")],
        columns=["patient", "illness"],
    )
    declared = {"person": "patient", "quasi_identifiers": ["illness"]}
    achieved = [toolbox.check(visits, **declared, models=[KMAnonymity(k=2, m=m)]).judged[0].achieved for m in (1, 2)]
    # Flu: P1, P2 and P3; gout: P1, P2 and P4; both: P1 and P2.
    assert achieved == [3, 2]


# What is asked for, and what is refused.

HIERARCHIES = ("--hierarchy", "age=intervals:10,20,40", "--hierarchy", "sex=auto")
VISITS = """patient,age,sex,illness
P1,34,f,HIV
P1,34,f,HIV
P1,34,f,flu
P2,31,f,flu
P2,38,f,flu
P2,38,f,cold
P3,38,f,cold
P4,45,f,gout
P5,61,m,flu
P6,62,m,cold
P7,63,m,gout
P8,68,m,flu
"""


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write a table of visits; return the options of its release, k = 2."""
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS)
    columns = ["--person", "patient", "--qi", "age,sex", "--sensitive", "illness"]
    return ["anonymize", "visits.csv", *columns, *HIERARCHIES, "-k", "2", "--output", "r.csv", "--order", "input"]


@pytest.mark.slow
def test_a_pseudonym_asks_for_profiles_and_nothing_else_is_unproved(visits: list[str]) -> None:
    assert run_in_process("key", "new", "k").status == 0
    more = ["--treat", "patient=pseudonym", "--key", "k", "-suppThreshold", "2", "--suppressed", "drop"]
    done = run_in_process(*visits, *more, "--method", "Flash")
    assert done.status == 0, done.stderr
    assert "profiles" in done.stdout and "not proved" not in done.stdout
    # P1 and P2 both have three visits at 30 to 40; P3 and P4 are alone with one visit of a woman.
    _, *lines = Path("r.csv").read_text().splitlines()
    assert [line.partition(",")[2] for line in lines] == [
        "[30:40),f,HIV",
        "[30:40),f,HIV",
        "[30:40),f,flu",
        "[30:40),f,flu",
        "[30:40),f,flu",
        "[30:40),f,cold",
        "[60:70),m,flu",
        "[60:70),m,cold",
        "[60:70),m,gout",
        "[60:70),m,flu",
    ]


@pytest.mark.slow
def test_a_method_that_judges_rows_says_what_is_not_proved(visits: list[str]) -> None:
    assert run_in_process("key", "new", "k").status == 0
    done = run_in_process(*visits, "--treat", "patient=pseudonym", "--key", "k", "--method", "Mondrian")
    assert done.status == 0, done.stderr
    assert "Datafly, Flash, OLA and MinGen prove it" in " ".join(done.stdout.split())
    assert "classes " in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("person", "joined"), [("house", "member"), ("house,member", "member"), ("house,member", "house")]
)
@pytest.mark.parametrize("attacker", [[], ["--attacker", "profile"]])
def test_rows_joined_by_another_column_than_that_of_the_person_stay_unproved(
    person: str, joined: str, attacker: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Both houses show a, a, b; but one member of the first shows a twice, and nobody of the second does.
    monkeypatch.chdir(tmp_path)
    rows = ["1,A,a", "1,A,a", "1,B,b", "2,C,a", "2,C,b", "2,D,a"]
    Path("houses.csv").write_text("\n".join(["house,member,place", *rows, ""]))
    Path("place.csv").write_text("a;*\nb;*\n")
    assert run_in_process("key", "new", "k").status == 0
    more = ["--id", "house,member", "--treat", f"{joined}=pseudonym", "--key", "k", "--hierarchy", "place=place.csv"]
    options = ["--person", person, "--qi", "place", "-k", "2", "-suppThreshold", "0", "--method", "Flash", *more]
    done = run_in_process("anonymize", "houses.csv", *options, *attacker, "--output", "r.csv")
    assert done.status == 0, done.stderr
    assert f"All rows of one person can be joined by {joined}" in " ".join(done.stdout.split())


@pytest.mark.slow
def test_suppressed_records_that_can_be_joined_are_not_shown(visits: list[str]) -> None:
    done = run_in_process(*visits, "--attacker", "profile", "--method", "Flash", "-suppThreshold", "2")
    assert done.status == 2
    assert "2 persons would be suppressed" in done.stderr and "--suppressed drop" in done.stderr
    assert not Path("r.csv").exists()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--method", "Mondrian"], "Those that judge the rows of a person together: Datafly, Flash, MinGen, OLA."),
        (["--method", "Flash", "--person", ""], "no person is declared. Declare who the records are about"),
    ],
)
def test_what_cannot_judge_profiles_is_refused_with_what_can(visits: list[str], more: list[str], told: str) -> None:
    options = visits if "--person" not in more else [each for each in visits if each not in ("--person", "patient")]
    done = run_in_process(*options, "--attacker", "profile", *(each for each in more if each not in ("--person", "")))
    assert done.status == 2
    assert told in done.stderr


def test_a_model_that_compares_classes_in_some_columns_judges_rows() -> None:
    rows = draw_visits(Random(1), varies=True)
    with pytest.raises(UsageError, match="judges each row by itself, not the rows of a person together"):
        release(rows, "Flash", models=[toolbox.FewColumnsKAnonymity(k=2, any="1")])


def test_rows_of_nobody_cannot_be_joined() -> None:
    rows = pd.DataFrame(draw_visits(Random(1), varies=True), columns=COLUMNS)
    with pytest.raises(UsageError, match="person= names none"):
        toolbox.anonymize(rows, quasi_identifiers=["age"], attacker="profile", k=2)


@pytest.mark.slow
def test_one_row_each_gives_the_release_that_it_gives_without() -> None:
    draw = Random(5)
    rows: list[Row] = [(f"P{number}", draw.choice(list(AGES)), "Graz", "flu") for number in range(20)]
    by_profile = release(rows, "Flash", k=3, suppression_threshold=2)
    table = pd.DataFrame(rows, columns=COLUMNS).drop(columns="person")
    declared = {"quasi_identifiers": ["age", "town"], "sensitive": ["illness"]}
    said = {"hierarchies": {"age": AGES, "town": TOWNS}, "method": "Flash", "order": "input", "suppressed": "drop"}
    plain = toolbox.anonymize(table, k=3, suppression_threshold=2, **declared, **said)
    pd.testing.assert_frame_equal(by_profile.release, plain.release)
