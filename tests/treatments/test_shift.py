"""Dates that are moved by person: one number of days for each, which a recount finds in the release."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

from toolbox.cli.main import main
from toolbox.store.engine.store import Store
from toolbox.treatments.treatment import PERSON_DRAW, PERSON_KEY, RunFacts, TreatmentError, parse_treatment

DATES = ["2024-02-28", "2024-03-01T10:11", "2023-12-31 23:59:59", "2024-01-01"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"p{person},{20 + person % 2},{seen}" for person in range(60) for seen in DATES]
    Path("in.csv").write_text("\n".join(["who,age,seen", *rows, "p1,21,", ""]))
    assert main(["key", "new", "k.key", "--quiet"]) == 0


def run(output: str, *others: str, treat: str = "shift:days=3", source: str = "in.csv") -> int:
    treats = ["--treat", f"seen={treat}", "--key", "k.key", "--treat", "who=pseudonym"]
    ways = ["--qi", "age", "--person", "who", "-k", "2", "-output", output]
    return main(["anonymize", source, *ways, *treats, *others])


def find_moves(output: str) -> dict[str, set[int]]:
    """Return the numbers of days by which the dates of each person may be moved, from all of them."""
    shown, moves = pd.read_csv(output, dtype=str), dict[str, set[int]]()
    read = sorted(map(datetime.fromisoformat, DATES))
    for who, seen in shown.dropna().groupby("who")["seen"]:
        found = sorted(map(datetime.fromisoformat, seen))
        moves[str(who)] = {(after - before).days for before, after in zip(read, found, strict=True)}
    return moves


@pytest.mark.slow
def test_each_person_is_moved_by_one_number_and_nobody_by_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("out.csv", "--report", "r.json") == 0
    moves = find_moves("out.csv")
    assert len(moves) == 60 and all(len(days) == 1 for days in moves.values())
    assert set().union(*moves.values()) == {-3, -2, -1, 1, 2, 3}
    assert pd.read_csv("out.csv")["seen"].isna().sum() == 1
    assert "seen: what is shown is not true of the record." in json.loads(Path("r.json").read_text())["not_proved"]
    # The same domain moves as before, another one does not.
    assert run("again.csv", "--same-domain-as", "r.json", "--quiet") == 0
    assert find_moves("again.csv") == moves
    assert run("other.csv", "--quiet") == 0
    assert sorted(map(str, find_moves("other.csv").values())) != sorted(map(str, moves.values()))
    capsys.readouterr()


@pytest.mark.slow
def test_typed_dates_and_other_ways_of_writing_stay_what_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    read = pd.read_csv("in.csv").dropna()
    read["seen"] = pd.to_datetime(read["seen"], format="mixed").dt.date
    read.to_parquet("in.parquet")
    assert run("out.parquet", "--quiet", source="in.parquet") == 0
    assert isinstance(pd.read_parquet("out.parquet")["seen"][0], type(read["seen"][0]))
    Path("in.csv").write_text("who,age,seen\nP,20,31.12.2023\nP,20,01.01.1880\nQ,21,\nR,20,29.02.2024\n")
    assert run("out.csv", treat="shift:2:%d.%m.%Y") == 0
    assert "1 date before 1900 or after today" in " ".join(capsys.readouterr().out.split())
    assert pd.read_csv("out.csv")["seen"].dropna().str.fullmatch(r"\d\d\.\d\d\.\d{4}").all()


@pytest.mark.slow
def test_what_cannot_be_moved_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("in.csv").write_text("who,age,seen\nP,20,yesterday\nQ,20,2024-01-01\n")
    assert run("out.csv") == 2
    assert "1 cell of 'seen' is no value that 'shift' can read." in capsys.readouterr().err
    words = ["anonymize", "in.csv", "--qi", "age", "-k", "2", "--undeclared", "pass", "-output", "out.csv"]
    assert main([*words, "--treat", "seen=shift:30", "--key", "k.key"]) == 2
    assert "is by person, and none is declared. Declare it: --person NAME." in capsys.readouterr().err
    for wrong in ("shift", "shift:0", "shift:40000", "shift:-1", "shift:3:day"):
        with pytest.raises(TreatmentError):
            parse_treatment(wrong)


@pytest.mark.parametrize(("days", "persons", "cells"), [(1, [1, 1], 0), (1, [1, 2], 0), (30, [1, 1], 2)])
def test_moves_are_recounted_by_person(store: Store, days: int, persons: list[int], cells: int) -> None:
    treatment = parse_treatment(f"shift:{days}").told(RunFacts(persons=(0,)))
    # With 1 day there are two moves; two draws of one person are moved apart, where 60 moves are possible.
    draws = [0.1, 0.1] if cells == 0 else [0.1, 0.7]
    columns = {"value": (str, ["2024-01-01", "2024-05-01"]), "size": (int, [1, 1])}
    read = store.create_constant("read", {**columns, PERSON_KEY: (int, persons), PERSON_DRAW: (float, draws)})  # type: ignore[dict-item]
    from sqlalchemy import select

    moved = [text for (text,) in store.rows(select(treatment.treat_record(read.c.value, read)))]
    shown = store.create_constant("shown", {"text": (str, moved), "size": (int, [1, 1])})
    assert store.scalar(treatment.count_broken(read, shown)) == cells
