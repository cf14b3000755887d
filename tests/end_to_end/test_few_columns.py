"""k-anonymity of few columns: a judge in plain Python looks at every set of columns, and at every node of the lattice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pandas as pd
import pytest
from helpers.amounts import times
from helpers.running import run_in_process

import toolbox
from toolbox import DistinctLDiversity, FewColumnsKAnonymity, KAnonymity
from toolbox.errors import UnsatisfiableError, UsageError

HIERARCHIES: dict[str, dict[str, list[str]]] = {
    "age": {"20": ["young", "*"], "25": ["young", "*"], "45": ["mid", "*"], "48": ["mid", "*"], "70": ["old", "*"]},
    "town": {"Graz": ["south", "*"], "Linz": ["north", "*"], "Wels": ["north", "*"], "Leoben": ["south", "*"]},
    "sex": {"f": ["*"], "m": ["*"]},
    'a "job"': {"cook": ["*"], "smith": ["*"], "clerk": ["*"]},
}
NAMES = list(HIERARCHIES)
METHODS = ("Datafly", "Flash", "OLA", "MinGen", "Incognito")
WANTED = ("1", "2", "3", "4", "9", "age,sex;town", "town", 'a "job",age')


class Row(NamedTuple):
    """One row of a table: a person, the quasi-identifiers, and the place of the row."""

    person: str
    values: tuple[str, ...]
    illness: str
    place: int


class Case(NamedTuple):
    """A table, and what is required of it."""

    rows: list[Row]
    k: int
    wanted: str
    most: int
    """Records that may be suppressed."""
    by_person: bool


def draw_case(draw: Random, *, by_person: bool) -> Case:
    rows = []
    for number in range(draw.randint(4, 25)):
        values = [draw.choice(list(values)) for values in HIERARCHIES.values()]
        for _ in range(draw.choice((1, 1, 2, 4)) if by_person else 1):
            values = [draw.choice(list(HIERARCHIES[name])) if draw.random() < 0.2 else value for name, value in zip(NAMES, values, strict=True)]  # fmt: skip
            rows.append(Row(f"P{number}", tuple(values), draw.choice(("flu", "cold", "gout")), len(rows)))
    return Case(rows, draw.randint(2, 4), draw.choice(WANTED), draw.choice((0, 0, 1, 3)), by_person)


def list_sets(wanted: str) -> list[tuple[int, ...]]:
    """Return every set of columns that somebody may know, the small ones too."""
    if wanted.isdigit():
        sizes = range(1, min(int(wanted), len(NAMES)) + 1)
        return [each for size in sizes for each in combinations(range(len(NAMES)), size)]
    return [tuple(NAMES.index(name) for name in part.split(",")) for part in wanted.split(";")]


def find_rare(case: Case, shown: dict[int, tuple[str, ...]]) -> set[int]:
    """Return the rows, of those that are shown, that too few look like in some set of columns."""
    rare: set[int] = set()
    for columns in list_sets(case.wanted):
        alike: dict[tuple[str, ...], set[int]] = defaultdict(set)
        for place, values in shown.items():
            alike[tuple(values[column] for column in columns)].add(place)
        for places in alike.values():
            who = {case.rows[place].person if case.by_person else place for place in places}
            rare |= places if len(who) < case.k else set()
    return rare


def list_nodes(case: Case) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each node of the lattice, with the fewest records that must be suppressed there."""
    for levels in product(*(range(len(next(iter(values.values()))) + 1) for values in HIERARCHIES.values())):
        shown = {
            row.place: tuple(
                [value, *HIERARCHIES[name][value]][level]
                for name, value, level in zip(NAMES, row.values, levels, strict=True)
            )
            for row in case.rows
        }
        while rare := find_rare(case, shown):
            # All rows of a class are suppressed together; those that look alike in all columns are rare together.
            shown = {place: values for place, values in shown.items() if place not in rare}
        yield levels, len(case.rows) - len(shown)


def release(case: Case, method: str, models: Sequence[toolbox.PrivacyModel] = (), **said: Any) -> toolbox.Result:
    table = pd.DataFrame([row.values for row in case.rows], columns=NAMES)
    table["person"], table["illness"], table["place"] = (
        [row.person for row in case.rows],
        [row.illness for row in case.rows],
        [row.place for row in case.rows],
    )
    asked = [FewColumnsKAnonymity(k=case.k, any=case.wanted), *models]
    own = {"person": "person"} if case.by_person else {"identifiers": ["person"], "rows_are_people": True}
    return toolbox.anonymize(
        table,
        quasi_identifiers=NAMES,
        sensitive=["illness"],
        hierarchies=HIERARCHIES,
        models=asked,
        method=method,
        suppression_threshold=case.most,
        suppressed="drop",
        order="input",
        **own,
        **said,
    )


def require_frequent(case: Case, made: toolbox.Result) -> dict[int, tuple[str, ...]]:
    """Require that whatever is left looks like k others in every set of columns; return what is shown."""
    texts = made.release[NAMES].astype(str).itertuples(index=False)
    shown = dict(zip(made.release["place"], map(tuple, texts), strict=True))
    assert find_rare(case, shown) == set()
    assert len(case.rows) - len(shown) == made.summary.proof.records_suppressed <= case.most
    assert made.summary.proof.models[0].holds
    return shown


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("by_person", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_whatever_few_columns_somebody_knows_k_look_alike_and_nothing_that_holds_is_refused(
    method: str, by_person: bool
) -> None:
    draw = Random(f"{method} {by_person}")
    for _ in range(times(1, slow=60)):
        case = draw_case(draw, by_person=by_person)
        possible = [levels for levels, suppressed in list_nodes(case) if suppressed <= case.most]
        if not possible:
            with pytest.raises(UnsatisfiableError):
                release(case, method)
            continue
        made = release(case, method)
        require_frequent(case, made)
        levels = tuple(column.level for column in made.summary.quasi_identifiers)
        assert levels in possible
        if not case.most and method != "Datafly":
            # Where nothing is suppressed, the best node has none below it that satisfies the model.
            assert not [
                other
                for other in possible
                if other != levels and all(low <= high for low, high in zip(other, levels, strict=True))
            ]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["Flash", "Incognito"])
def test_it_holds_beside_another_model_whose_classes_are_suppressed(method: str) -> None:
    draw = Random(method)
    for _ in range(times(1, slow=40)):
        case = draw_case(draw, by_person=False)
        others = [DistinctLDiversity(l=2, attribute="illness"), KAnonymity(k=2)][: draw.randint(1, 2)]
        try:
            made = release(case, method, others)
        except UnsatisfiableError:
            continue
        require_frequent(case, made)
        assert all(model.holds for model in made.summary.proof.models)


@pytest.mark.slow
def test_it_keeps_more_than_k_anonymity_and_any_of_all_columns_is_k_anonymity() -> None:
    draw = Random(3)
    rows = draw_case(draw, by_person=False).rows + draw_case(draw, by_person=False).rows
    case = Case([row._replace(place=place) for place, row in enumerate(rows)], 2, "4", 0, False)
    table = pd.DataFrame([row.values for row in case.rows], columns=NAMES)
    of_all = toolbox.anonymize(table, quasi_identifiers=NAMES, hierarchies=HIERARCHIES, k=2, method="Flash", suppression_threshold=0)  # fmt: skip
    kept = [release(case._replace(wanted=wanted), "Flash").summary for wanted in ("1", "2", "4")]
    levels = [[column.level for column in each.quasi_identifiers] for each in (*kept, of_all.summary)]
    assert levels[2] == levels[3]
    assert sum(levels[0]) <= sum(levels[1]) <= sum(levels[2])
    assert kept[0].proof.smallest_class == 1


@pytest.mark.slow
def test_it_is_asked_for_as_k_anonymity_with_any(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [row for _ in range(6) for row in (("20", "f"), ("25", "m"), ("25", "f"))]
    Path("t.csv").write_text("age,sex\n" + "".join(f"{age},{sex}\n" for age, sex in rows))
    Path("age.csv").write_text("20;young;*\n25;young;*\n")
    words = ["anonymize", "t.csv", "--qi", "age,sex", "--hierarchy", "age=age.csv", "--hierarchy", "sex=auto"]
    words += ["-output", "r.csv", "-method", "Flash", "--model", "k-anonymity:k=5:any=1", "--save-config", "c.xml"]
    run = run_in_process(*words)
    assert run.status == 0, run.stderr
    assert "k-anonymity of few columns (any=1)          5          6   holds" in run.stdout
    text = Path("c.xml").read_text()
    assert "<model name='k-anonymity' k='5' any='1'/>" in text
    Path("own.xml").write_text(text.replace("'k-anonymity'", "'k-anonymity of few columns'"))
    for configuration in ("c.xml", "own.xml"):
        assert "few columns (any=1)          5          6" in run_in_process("-config", configuration).stdout
    checked = run_in_process("check", "r.csv", "--qi", "age,sex", "--model", "k-anonymity:k=6:any=age;sex")
    assert checked.status == 0, checked.stderr
    assert run_in_process("check", "r.csv", "--qi", "age,sex", "--model", "k-anonymity:k=7:any=1").status == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--model", "k-anonymity:k=5:any=0"], "any"),
        (["--model", "k-anonymity:k=5:any=age;"], "any"),
        (["--model", "k-anonymity:k=5:any=agge"], "names 'agge', which is no quasi-identifier. Did you mean 'age'?"),
        (["--model", "k-anonymity:k=5:any=1", "-method", "Mondrian"], "Those that can: Datafly, Flash, Incognito, MinGen, OLA."),
        (["--model", "k-anonymity of few columns:k=5"], "lacks any"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("age,sex\n20,f\n25,m\n")
    method = [] if "-method" in words else ["-method", "Flash"]
    run = run_in_process("anonymize", "t.csv", "--qi", "age,sex", "--hierarchy", "age=auto", "--hierarchy", "sex=auto", "-output", "r.csv", *method, *words)  # fmt: skip
    assert run.status == 2
    assert message in run.stderr
    assert not Path("r.csv").exists()


@pytest.mark.slow
def test_too_many_sets_are_refused() -> None:
    table = pd.DataFrame({f"q{number}": ["a", "b"] for number in range(20)})
    hierarchies = {name: {"a": ["*"], "b": ["*"]} for name in table}
    with pytest.raises(UsageError, match=r"Any 3 of 20 quasi-identifiers are 1,140 sets, more than 500\. Lower any"):
        toolbox.anonymize(table, quasi_identifiers=list(table), hierarchies=hierarchies, models=[FewColumnsKAnonymity(k=2, any="3")], method="Datafly", suppression_threshold=0)  # fmt: skip
