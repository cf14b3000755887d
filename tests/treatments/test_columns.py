"""Treatments of whole columns, as runs apply and recount them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import toolbox
from toolbox.cli.main import main
from toolbox.store.engine.store import Store
from toolbox.treatments.treatment import RunFacts, TreatmentError, parse_treatment

PAY = [10, 11, 12, 50, 51, 55, 90]
LINES = ["age,pay,note", *(f"{20 + place % 2},{pay},x" for place, pay in enumerate(PAY)), "21,,x"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("\n".join([*LINES, ""]), encoding="utf-8")


def run(treatments: dict[str, str], *others: str, output: str = "out.csv", source: str = "in.csv") -> int:
    treats = [word for name, words in treatments.items() for word in ("--treat", f"{name}={words}")]
    said = [] if "--report" in others else ["--quiet"]
    return main(
        [
            "anonymize",
            *said,
            source,
            "--qi",
            "age",
            "-k",
            "2",
            "--undeclared",
            "pass",
            "-output",
            output,
            *treats,
            *others,
        ]
    )


@pytest.mark.slow
def test_values_become_the_means_of_the_best_groups_and_the_verdict_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run({"pay": "microaggregate:k=3"}, "--report", "report.json") == 0
    # 10, 11, 12 and 50, 51, 55, 90: no other cut into groups of 3 to 5 loses less. What lacks stays missing.
    shown = pd.read_csv("out.csv")["pay"]
    assert sorted(shown.dropna()) == [11.0] * 3 + [61.5] * 4 and shown.isna().sum() == 1
    assert "10," not in Path("out.csv").read_text().replace("20,", "")
    document = json.loads(Path("report.json").read_text())
    assert "pay: what is shown is not true of the record." in document["not_proved"]
    (treated,) = document["treatments"]
    # 16591 - 279 * 279 / 7 = 5470.857 in all; within the groups they are 2 and 1097.
    assert treated["measured"]["sse_sst"] == pytest.approx(1099 / (16591 - 279 * 279 / 7))
    assert treated["is_true"] is False
    assert "pay by microaggregate:k=3 (not true, 100 SSE/SST 20.0883)" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("output", ["out.csv", "out.parquet", "out.xlsx"])
def test_typed_columns_become_doubles(output: str) -> None:
    pd.read_csv("in.csv").dropna().astype({"pay": int}).to_parquet("in.parquet")
    assert run({"pay": "microaggregate:3"}, output=output, source="in.parquet") == 0
    read = {".csv": pd.read_csv, ".parquet": pd.read_parquet, ".xlsx": pd.read_excel}[Path(output).suffix]
    options = {"engine": "calamine"} if output.endswith("xlsx") else {}
    shown = read(output, **options)["pay"]  # type: ignore[operator]
    assert shown.dtype == float
    assert sorted(shown) == [11.0] * 3 + [61.5] * 4


def test_a_frame_is_treated_as_a_file_is() -> None:
    frame = pd.DataFrame({"age": [20, 21] * 3, "pay": [1, 2, 3, 10, 11, 12]})
    released = toolbox.anonymize(frame, quasi_identifiers=["age"], k=2, treatments={"pay": "microaggregate:3"})
    assert sorted(released.release["pay"]) == [2.0] * 3 + [11.0] * 3


@pytest.mark.slow
def test_columns_of_one_group_are_grouped_together() -> None:
    rows = [(1, 9), (2, 8), (1, 1), (2, 2), (9, 1), (8, 2)]
    Path("in.csv").write_text("\n".join(["age,a,b", *(f"{20 + a % 2},{a},{b}" for a, b in rows), ""]))
    assert run({"a": "microaggregate:2:both", "b": "microaggregate:2:both"}) == 0
    shown = pd.read_csv("out.csv")
    assert sorted(zip(shown["a"], shown["b"], strict=True)) == [(1.5, 1.5)] * 2 + [(1.5, 8.5)] * 2 + [(8.5, 1.5)] * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "treatments", "settings", "message"),
    [
        (["age,pay", "20,1", "20,2"], {"pay": "microaggregate:3"}, [], "needs 3 values, and there are 2."),
        (["age,pay", "20,x", "20,2"], {"pay": "microaggregate:2"}, [], "1 cell of 'pay' is no value that"),
        (
            ["age,a,b", "20,,1", "20,2,3", "20,2,3"],
            {"a": "microaggregate:2:g", "b": "microaggregate:2:g"},
            [],
            "and 1 record has some. Treat each column by itself.",
        ),
        (
            ["id,age,pay", "p,20,1", "p,20,2", "q,20,3", "r,20,3"],
            {"pay": "microaggregate:2"},
            ["--person", "id"],
            "takes one record of each person, and 4 records are of 3 persons.",
        ),
    ],
)
def test_what_cannot_be_grouped_is_refused_in_words(
    lines: list[str],
    treatments: dict[str, str],
    settings: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("in.csv").write_text("\n".join([*lines, ""]))
    assert run(treatments, *settings) == 2
    assert message in capsys.readouterr().err
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("words", ["microaggregate", "microaggregate:1", "microaggregate:x", "microaggregate:3:"])
def test_wrong_settings_are_told(words: str) -> None:
    with pytest.raises(TreatmentError):
        parse_treatment(words)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "groups", "cells"),
    [
        ([1.5, 1.5, 3.5, 3.5], [0, 0, 1, 1], 0),
        # A group too large, a group too small, a mean that is none, two values in one group.
        ([2.5, 2.5, 2.5, 2.5], [0, 0, 0, 0], 4),
        ([1.0, 3.0, 3.0, 3.0], [0, 1, 1, 1], 1),
        ([1.5, 1.5, 3.0, 3.0], [0, 0, 1, 1], 2),
        ([1.5, 1.5, 3.5, 3.6], [0, 0, 1, 1], 2),
    ],
)
def test_groups_are_recounted(store: Store, made: list[float], groups: list[int], cells: int) -> None:
    treatment = parse_treatment("microaggregate:2").told(RunFacts(place=0))
    columns = {"value": (str, list("1234")), "size": (int, [1] * 4), "made_0": (float, made), "group_0": (int, groups)}
    read = store.create_constant("read", columns)  # type: ignore[arg-type]
    shown = store.create_constant("shown", {"text": (str, [f"{each}" for each in made]), "size": (int, [1] * 4)})
    assert store.scalar(treatment.count_broken(read, shown)) == cells


@pytest.mark.slow
def test_the_page_of_a_run_says_what_was_done_to_each_column() -> None:
    assert run({"pay": "microaggregate:3"}, "--html", "page.html") == 0
    text = Path("page.html").read_text(encoding="utf-8")
    assert "What was done to each column" in text
    assert parse_treatment("microaggregate:3").words in text
    # A page for everybody tells what the release tells, and not how it was made.
    assert run({"pay": "microaggregate:3"}, "--html", "public.html", "--report-kind", "public") == 0
    assert "What was done to each column" not in Path("public.html").read_text(encoding="utf-8")
