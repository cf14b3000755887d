"""Suppression by row or by person: who is left, as a judge in plain Python removes one person after the other."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.running import run_in_process

import toolbox
from toolbox import AlphaKAnonymity, KAnonymity, KMAnonymity, PrivacyModel
from toolbox.errors import UnsatisfiableError, UsageError

AGES = {20: ["young", "*"], 25: ["young", "*"], 40: ["mid", "*"], 70: ["old", "*"]}
TOWNS = {"Graz": ["south", "*"], "Linz": ["north", "*"], "Wels": ["north", "*"], "Leoben": ["south", "*"]}
ILLNESSES = ("flu", "cold", "gout")
METHODS = ("Datafly", "Flash", "OLA", "MinGen", "Incognito")
COLUMNS = ["person", "age", "town", "illness"]

Row = tuple[str, int, str, str]
Levels = tuple[int, int]


def draw_visits(draw: Random, persons: int) -> list[Row]:
    """Draw persons with 1 to 4 rows, whose quasi-identifiers vary."""
    rows: list[Row] = []
    for number in range(persons):
        age, town = draw.choice(list(AGES)), draw.choice(list(TOWNS))
        for _ in range(draw.choice((1, 1, 2, 3, 4))):
            if draw.random() < 0.5:
                age, town = draw.choice(list(AGES)), draw.choice(list(TOWNS))
            rows.append((f"P{number}", age, town, draw.choice(ILLNESSES)))
    draw.shuffle(rows)
    return rows


def release(rows: Sequence[Row], method: str, **said: Any) -> toolbox.Result:
    """Anonymise a table and leave out what is suppressed."""
    return toolbox.anonymize(
        pd.DataFrame(rows, columns=COLUMNS),
        quasi_identifiers=["age", "town"],
        sensitive=["illness"],
        person="person",
        hierarchies={"age": AGES, "town": TOWNS},
        method=method,
        order="input",
        suppressed="drop",
        **{"suppress_by": "person", **said},
    )


# The judge: nobody stays who has a row in a class of too few of those who stay.


def at_levels(rows: Sequence[Row], levels: Levels) -> list[tuple[str, str]]:
    """Generalise both columns, as a table of the hierarchies says."""
    return [(str([own, *AGES[own]][levels[0]]), [town, *TOWNS[town]][levels[1]]) for _, own, town, _ in rows]


def holds(model: PrivacyModel, pairs: set[tuple[str, str]]) -> bool:
    """Return whether the pairs of person and illness of a class satisfy a model, by its definition."""
    persons, most = len({person for person, _ in pairs}), Counter(illness for _, illness in pairs).most_common(1)[0][1]
    if isinstance(model, KAnonymity):
        return persons >= model.k
    assert isinstance(model, AlphaKAnonymity)
    return persons >= model.k and most / persons <= model.alpha


def list_violating(
    rows: Sequence[Row], shown: Sequence[tuple[str, str]], kept: set[str], models: Sequence[PrivacyModel]
) -> set[str]:
    """List the persons in classes that violate a model, where only some are left."""
    classes = defaultdict[tuple[str, str], set[tuple[str, str]]](set)
    for (person, _, _, illness), values in zip(rows, shown, strict=True):
        if person in kept:
            classes[values].add((person, illness))
    return {
        person for pairs in classes.values() if not all(holds(model, pairs) for model in models) for person, _ in pairs
    }


def list_left(rows: Sequence[Row], levels: Levels, models: Sequence[PrivacyModel]) -> set[str]:
    """List who is left if everybody goes who is in a violating class, again and again; by k first, as that is cheap."""
    shown, kept = at_levels(rows, levels), {person for person, *_ in rows}
    sizes = [KAnonymity(k=max(model.least_records for model in models))]
    while gone := list_violating(rows, shown, kept, sizes) or list_violating(rows, shown, kept, models):
        kept -= gone
    return kept


def find_levels(made: toolbox.Result) -> Levels:
    """Return the level of each column of a release."""
    age, town = (column.level for column in made.summary.quasi_identifiers)
    assert age is not None and town is not None
    return age, town


def require_left(rows: Sequence[Row], made: toolbox.Result, models: Sequence[PrivacyModel], limit: int) -> None:
    """Require that a release has the rows of those who are left, and that all figures say who is not."""
    levels, everybody = find_levels(made), {person for person, *_ in rows}
    kept, proof = list_left(rows, levels, models), made.summary.proof
    before = zip(rows, at_levels(rows, levels), strict=True)
    expected = [(*values, illness) for (person, _, _, illness), values in before if person in kept]
    shown = zip(*(made.release[name] for name in COLUMNS[1:]), strict=True)
    assert [(str(age), str(town), illness) for age, town, illness in shown] == expected
    assert proof.records_suppressed == len(rows) - len(expected)
    assert proof.persons is not None
    assert proof.persons.suppressed == proof.persons.suppressed_wholly == len(everybody - kept) <= limit
    # Who has one record loses it either way.
    by = "row" if len(rows) == len(everybody) else "person"
    assert (proof.persons.suppressed_by, proof.persons.suppressed_partly) == (by, 0)


@pytest.mark.slow
@pytest.mark.sampled(5)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "models",
    [(KAnonymity(k=2),), (KAnonymity(k=3),), (AlphaKAnonymity(alpha=0.75, k=2, attribute="illness"),)],
    ids=str,
)
def test_whoever_loses_a_row_loses_all_until_every_class_holds(method: str, models: tuple[PrivacyModel, ...]) -> None:
    if method == "Datafly" and not isinstance(models[0], KAnonymity):
        return
    draw = Random(f"{method} {models}")
    for _ in range(times(1, slow=40)):
        rows, limit = draw_visits(draw, draw.randint(4, 13)), draw.randint(0, 4)
        helps = all(model.suppression_helps for model in models)
        persons = len({person for person, *_ in rows})
        possible = {
            levels
            for levels in product(range(3), range(3))
            if persons - len(list_left(rows, levels, models)) <= (limit if helps else 0)
        }
        try:
            made = release(rows, method, models=models, suppression_threshold=limit if helps else 0)
        except UnsatisfiableError:
            assert not possible
            continue
        assert find_levels(made) in possible
        require_left(rows, made, models, limit)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("objective", ["lm", "non-uniform-entropy", "discernibility", "number of classes", "precision"])
@pytest.mark.parametrize("attacker", ["rows", "profile"])
def test_the_best_release_is_that_of_a_search_through_every_node(objective: str, attacker: str) -> None:
    draw = Random(f"{objective} {attacker}")
    for _ in range(times(2, slow=40)):
        rows, k, limit = draw_visits(draw, draw.randint(6, 16)), draw.randint(2, 3), draw.randint(1, 6)
        said = {"k": k, "suppression_threshold": limit, "objective": objective, "attacker": attacker}
        best = []
        for method in ("MinGen", "Flash", "OLA"):
            try:
                found = release(rows, method, **said).summary.searched
            except UnsatisfiableError:
                best.append(None)
                continue
            assert found is not None and found.is_proved
            best.append(found.value)
        assert best[1:] == [None, None] if best[0] is None else best[1:] == pytest.approx([best[0]] * 2), rows


def test_nobody_goes_who_could_stay() -> None:
    """Of all sets of persons whose classes hold, the one that is released has everybody who is in any of them."""
    draw = Random(7)
    for _ in range(times(2, slow=60)):
        rows, k = draw_visits(draw, draw.randint(3, 7)), draw.randint(2, 3)
        persons, levels = sorted({person for person, *_ in rows}), (draw.randint(0, 2), draw.randint(0, 2))
        shown, held = at_levels(rows, levels), set[str]()
        for size in range(len(persons) + 1):
            for some in map(set, combinations(persons, size)):
                if not list_violating(rows, shown, some, [KAnonymity(k=k)]):
                    held |= some
        assert list_left(rows, levels, [KAnonymity(k=k)]) == held


# What is said, and what is refused.

VISITS = """patient,ward,illness
P1,A,flu
P1,B,gout
P2,A,cold
P3,B,flu
P3,C,flu
P4,B,cold
P5,D,flu
P5,D,flu
"""


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Write a table of visits; return the options of its release, k = 2, at wards as they are."""
    monkeypatch.chdir(tmp_path)
    Path("visits.csv").write_text(VISITS)
    Path("ward.csv").write_text("".join(f"{ward};*\n" for ward in "ABCD"))
    columns = ["--person", "patient", "--qi", "ward", "--sensitive", "illness", "--hierarchy", "ward=ward.csv"]
    more = ["-k", "2", "--output", "r.csv", "--order", "input", "--suppressed", "drop", "--method", "Datafly"]
    return ["anonymize", "visits.csv", *columns, *more, "--report", "r.json"]


def test_the_verdict_and_the_document_say_who_is_gone_wholly_and_in_part(visits: list[str]) -> None:
    done = run_in_process(*visits, "-suppThreshold", "3")
    assert done.status == 0, done.stderr
    # C and D have one patient each: P3 loses one visit of two, P5 both.
    assert "8 read, 0 skipped, 3 suppressed, 5 released" in done.stdout
    assert "5 by patient, 1 suppressed, 1 in part" in done.stdout
    assert "Single records of 1 person are suppressed" in " ".join(done.stdout.split())
    figures = {"count": 5, "suppressed": 2, "suppressed_wholly": 1, "suppressed_partly": 1, "suppressed_by": "row"}
    assert json.loads(Path("r.json").read_text())["persons"].items() >= figures.items()


@pytest.mark.slow
def test_with_persons_others_follow_and_the_limit_counts_them(visits: list[str]) -> None:
    # P3 goes with both visits; then B has P1 and P4, who stay.
    done = run_in_process(*visits, "-suppThreshold", "2", "--suppress-by", "person")
    assert done.status == 0, done.stderr
    assert "8 read, 0 skipped, 4 suppressed, 4 released" in done.stdout
    assert "5 by patient, 2 suppressed" in done.stdout and "in part" not in done.stdout
    assert Path("r.csv").read_text() == "ward,illness\nA,flu\nB,gout\nA,cold\nB,cold\n"
    # With k = 3 only B is large enough, and no longer without P1 and P3, who are in A and C, too: nobody would be left.
    done = run_in_process(*visits, "-k", "3", "-suppThreshold", "4", "--suppress-by", "person")
    assert done.status == 0, done.stderr
    assert "5 by patient, 0 suppressed" in done.stdout


@pytest.mark.slow
def test_a_configuration_says_it_and_the_saved_one_makes_the_same_release(visits: list[str]) -> None:
    saved = [*visits, "-suppThreshold", "2", "--suppress-by", "person", "--save-config", "made.xml"]
    assert run_in_process(*saved).status == 0
    assert "suppressBy='person'" in Path("made.xml").read_text().replace('"', "'")
    before = Path("r.csv").read_text()
    Path("r.csv").unlink()
    assert run_in_process("-config", "made.xml").status == 0
    assert Path("r.csv").read_text() == before


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (
            ["--method", "Singletons"],
            "Singletons suppresses single rows. Those that can: Datafly, Flash, Incognito, LocalRecoding, ",
        ),
        (["--model", "k-map:k=2", "--population", "visits.csv"], "does not judge each class by itself"),
        (["--attacker", "profile", "--suppress-by", "row"], "are suppressed with them. Leave --suppress-by row out"),
    ],
)
def test_what_cannot_be_is_refused(visits: list[str], more: list[str], told: str) -> None:
    done = run_in_process(*visits, "--suppress-by", "person", *more)
    assert done.status != 0 and told in " ".join(done.stderr.split()), done.stderr


def test_rows_and_persons_are_told_apart_only_where_persons_are_declared(visits: list[str]) -> None:
    undeclared = ["--id" if option == "--person" else option for option in visits]
    done = run_in_process(*undeclared, "--rows-are-people", "--suppress-by", "row")
    assert done.status == 2
    assert "--suppress-by tells persons from rows, and no person is declared." in " ".join(done.stderr.split())


def test_a_call_and_a_session_refuse_it_with_a_sentence() -> None:
    table = pd.DataFrame([("P1", 20), ("P2", 20)], columns=["person", "age"])
    with pytest.raises(UsageError, match="person= names none"):
        toolbox.anonymize(table, quasi_identifiers=["age"], identifiers=["person"], k=2, suppress_by="person")
    with pytest.raises(UsageError, match="does not judge each class by itself"):
        release([("P1", 20, "Graz", "flu")], "Flash", models=[KMAnonymity(k=2, m=2)])
