"""Whoever names k, l, c or t gets it, or an error: every method is asked for every choice of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers import brute_models as brute
from helpers.amounts import some
from helpers.releases import classes, read_text_table
from helpers.running import run_in_process

import toolbox
from toolbox import ToolboxError

GIVEN: dict[str, Any] = {"k": 6, "l": 2, "c": 3, "t": 0.4, "suppThreshold": 4}
"""None of them is a default, and all can be had."""
TAKES = {
    **dict.fromkeys(["Datafly", "Flash", "Incognito", "Incognito_k", "LocalRecoding", "MinGen"], "k"),
    **dict.fromkeys(["Mondrian", "OLA", "PrioPrivacy", "Singletons"], "k"),
    "Incognito_l": "lc",
    "Incognito_t": "t",
    "Anatomy": "l",
}
"""What each method takes, as the manual says."""
AGES = [(age, f"{age // 10}0s", "young" if age < 50 else "old", "*") for age in range(20, 80)]
CITIES = [(city, "south" if city in ("Graz", "Linz") else "north", "*") for city in ("Graz", "Linz", "Wien", "Krems")]
SETS = list(chain.from_iterable(combinations(GIVEN, count) for count in range(len(GIVEN) + 1)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("named")
    people().to_csv(made / "people.csv", index=False)
    for name, rows in {"ages": AGES, "cities": CITIES}.items():
        (made / f"{name}.csv").write_text("".join(";".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return made


def people() -> pd.DataFrame:
    draw = random.Random(7)
    return pd.DataFrame(
        {
            "age": [draw.randrange(20, 80) for _ in range(90)],
            "city": [draw.choice(["Graz", "Linz", "Wien", "Krems"]) for _ in range(90)],
            "illness": draw.choices(["flu", "asthma", "angina", "gout"], [4, 3, 2, 2], k=90),
        }
    )


Released = tuple[int, list[list[str]], int]
"""The exit status, the illnesses of each class, and how many records are missing."""


def by_options(folder: Path, method: str, named: dict[str, Any]) -> Released:
    words = [word for name, value in named.items() for word in (f"-{name}", value)]
    return _run(folder, "anonymize", "people.csv", *_COLUMNS, "-method", method, *words, "-output", "release.csv")


def by_configuration(folder: Path, method: str, named: dict[str, Any]) -> Released:
    root = " ".join(f"{name}='{value}'" for name, value in named.items())
    (folder / "config.xml").write_text(
        f"<config method='{method}' {root}><input filename='people.csv' header='true'/><output filename='release.csv'/>"
        "<qid><att name='age'><vgh file='ages.csv'/></att><att name='city'><vgh file='cities.csv'/></att></qid>"
        "<sens><att name='illness' type='category'/></sens></config>",
        encoding="utf-8",
    )
    return _run(folder, "-config", "config.xml")


def by_call(folder: Path, method: str, named: dict[str, Any]) -> Released:
    words = {"suppression_threshold" if name == "suppThreshold" else name: value for name, value in named.items()}
    try:
        result = toolbox.anonymize(
            people(),
            quasi_identifiers=["age", "city"],
            sensitive=["illness"],
            hierarchies={"age": AGES, "city": CITIES},
            method=method,
            suppressed="drop",
            **words,
        )
    except ToolboxError as error:
        return error.exit_status, [], 0
    if method == "Anatomy":
        groups, values = (table.astype(str).values.tolist() for table in result.tables)
        return 0, _of_anatomy(groups, values), 90 - len(groups)
    rows = result.release[["age", "city", "illness"]].astype(str).values.tolist()
    return 0, _illnesses(rows), 90 - len(rows)


_COLUMNS = (
    "--qi",
    "age,city",
    "--hierarchy",
    "age=ages.csv",
    "--hierarchy",
    "city=cities.csv",
    "--sensitive",
    "illness",
)


def _run(folder: Path, *words: object) -> Released:
    for old in folder.glob("release*.csv"):
        old.unlink()
    finished = run_in_process(*words, "--suppressed", "drop", "--quiet", cwd=folder)
    if finished.status:
        assert not list(folder.glob("release*.csv"))
        return finished.status, [], 0
    if (folder / "release.csv").exists():
        rows = read_text_table(folder / "release.csv").rows
        return 0, _illnesses(rows), 90 - len(rows)
    groups, values = (read_text_table(folder / f"release_{part}.csv").rows for part in ("QIT", "ST"))
    return 0, _of_anatomy(groups, values), 90 - len(groups)


def _illnesses(rows: list[list[str]]) -> list[list[str]]:
    return [[rows[number][2] for number in numbers] for numbers in classes([row[:2] for row in rows]).values()]


def _of_anatomy(groups: list[list[str]], values: list[list[str]]) -> list[list[str]]:
    """Return the illnesses of each group of anatomy, of which the second table may have the counts."""
    found: dict[str, list[str]] = {row[-1]: [] for row in groups}
    for group, illness, *count in values:
        found[group] += [illness] * int(*count or [1])
    return list(found.values())


JUDGES: dict[str, Callable[[dict[str, Any], list[str]], brute.Judge]] = {
    "k": lambda named, column: brute.k_anonymous(named["k"]),
    "l": lambda named, column: brute.distinct_l_diverse(named["l"]),
    "t": lambda named, column: brute.t_close(named["t"], column, brute.equal_distance),
    "c": lambda named, column: brute.recursively_diverse(named["c"], named.get("l", 10)),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("way", [by_options, by_configuration, by_call])
@pytest.mark.parametrize("method", TAKES)
def test_a_release_satisfies_what_is_named_or_there_is_none(
    folder: Path, method: str, way: Callable[..., Released]
) -> None:
    # By default each method and way has two sets of its own, and all sets are tried.
    turn = 3 * list(TAKES).index(method) + [by_options, by_configuration, by_call].index(way)
    for chosen in some(SETS, every=16, start=turn):
        named = {name: GIVEN[name] for name in chosen}
        # Recursive (c,l)-diversity with the usual l of 10 is more than four illnesses can have.
        if named.keys() & {"c", "l"} == {"c"} or (method in ("Incognito_l", "Anatomy") and "l" not in named):
            named["l"] = GIVEN["l"]
        status, found, missing = way(folder, method, named)
        can_be_kept = set(named) <= {*TAKES[method], "suppThreshold"}
        assert status == (0 if can_be_kept else 2), named
        if not can_be_kept:
            continue
        column = people()["illness"].tolist()
        assert sum(map(len, found)) == 90 - missing > 0
        assert missing <= named.get("suppThreshold", named.get("k", 10)), named
        for name in named.keys() & JUDGES.keys():
            judge = JUDGES[name](named, column)
            assert all(map(judge, found)), (name, named)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("method", "asked"),
    [("Incognito_t", ("-k", 8, "-t", 0.5)), ("Mondrian", ("-k", 2, "-l", 3))],
)
def test_what_the_toolbox_of_2010_left_out_is_left_out_under_compatibility_alone(
    folder: Path, method: str, asked: tuple[object, ...]
) -> None:
    kinds = ("--kind", "illness=category", "--kind", "city=category")
    words = ("anonymize", "people.csv", *_COLUMNS, *kinds, "-method", method, *asked, "-output", "release.csv")
    refused = run_in_process(*words, "--quiet", cwd=folder)
    assert refused.status == 2
    assert "would not be kept" in refused.stderr
    left_out = run_in_process(*words, "--compatibility", "utd", "--json", cwd=folder).succeeded()
    said = {
        "Incognito_t": "k=8 is not required: Incognito_t takes t",
        "Mondrian": "l=3 is not required: Mondrian takes k",
    }
    assert left_out.document["not_proved"] == [f"{said[method]}, as in 2010."]
