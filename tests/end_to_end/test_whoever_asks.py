"""Errors and notes name the arguments, the options or the attributes of whoever asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from helpers.running import run_in_process

import toolbox

ANONYMIZE, PEOPLE = toolbox.anonymize, pd.DataFrame({"age": [21, 22, 35, 36], "ill": ["flu", "flu", "cold", "gout"]})
CODES = pd.DataFrame({"age": ["21", "12-b", "35"], "ill": ["flu", "flu", "cold"]})
TEXTS = pd.DataFrame({"age": ["21", "12.03.1971", "35"], "ill": ["flu", "flu", "cold"]})
LACKING = pd.DataFrame({"age": [21, 22, None], "ill": ["flu", "flu", "cold"]})
AGE = {"quasi_identifiers": ["age"]}
UNKNOWN = pd.DataFrame({"age": ["21", "young", "35", "36"]})
HIERARCHICAL = toolbox.TCloseness(t=0.2, distance="hierarchical", attribute="ill")
TREE = [("21", "20-29", "*"), ("22", "20-29", "*"), ("35", "30-39", "*"), ("36", "30-39", "*")]
OUTLIER = pd.DataFrame({"age": [21, 21, 35], "ill": ["flu", "cold", "flu"]})


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: ANONYMIZE(PEOPLE, **AGE, k=-1), "k is -1; write a whole number of at least 1, or None."),
        (
            lambda: ANONYMIZE(CODES, **AGE, k=2, kinds={"age": "number"}),
            "pattern '99-a' (row 2) is no number. Correct it, make it None, or write kinds={'age': 'category'}",
        ),
        (
            lambda: ANONYMIZE(TEXTS, **AGE, k=2, kinds={"age": "number"}),
            "In a pattern 9 stands for a digit and a for a letter.",
        ),
        (
            lambda: ANONYMIZE(LACKING, **AGE, k=2, on_missing="keep"),
            "Write on_missing='skip' or 'fail', or kinds={'age':",
        ),
        (
            lambda: ANONYMIZE(LACKING, **AGE, k=2),
            "1 of 3 records lacks a declared value (age 1), and nobody has chosen what becomes of them. "
            "on_missing='skip' leaves them out; on_missing='keep' keeps them",
        ),
        (lambda: ANONYMIZE(LACKING, **AGE, k=2, on_missing="fail"), "or write on_missing='skip' or 'keep'."),
        (
            lambda: ANONYMIZE(LACKING[2:].astype({"age": float}), **AGE, k=1),
            "its only record lacks a declared value. See on_missing=.",
        ),
        (
            lambda: ANONYMIZE(
                PEOPLE, **AGE, k=2, method="Datafly", hierarchies={"age": TREE}, suppression_threshold=-1
            ),
            "suppression_threshold is -1; write a whole number of at least 0, or None.",
        ),
        (
            lambda: toolbox.check(PEOPLE, **AGE, sensitive=["ill"], models=[HIERARCHICAL]),
            "needs a hierarchy of ill. Name it in hierarchies=, or choose another distance.",
        ),
        (lambda: toolbox.check(PEOPLE, **AGE, models=[toolbox.KMap(k=2)]), "none is named. Write population=."),
        (
            lambda: toolbox.measure(PEOPLE, UNKNOWN, **AGE),
            "age has values that match no original value, hierarchy node or notation: 'young'.",
        ),
        (
            lambda: toolbox.measure(UNKNOWN, PEOPLE, **AGE, kinds={"age": "number"}),
            "age has 1 value that is no number. Correct the input, or write kinds={'age': 'category'}.",
        ),
    ],
)
def test_an_error_of_a_python_call_names_its_arguments(call: Callable[[], object], said: str) -> None:
    with pytest.raises(toolbox.ToolboxError) as caught:
        call()
    assert said in str(caught.value)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: ANONYMIZE(LACKING, **AGE, k=2, on_missing="skip").summary,
            "1 record lacks a declared value and is not in the release. on_missing='keep' keeps such records, with "
            "missing as a category.",
        ),
        (lambda: ANONYMIZE(PEOPLE, **AGE, k=2, suppression_threshold=3).summary, "suppression_threshold=3 is ignored"),
        (
            lambda: ANONYMIZE(OUTLIER, **AGE, k=2, method="Datafly", hierarchies={"age": [*TREE]}).summary,
            "Only 1 suppressed record is in the release, fewer than k = 2.",
        ),
        (lambda: toolbox.risk(PEOPLE, **AGE), "Without a population (population=) there is no journalist's risk."),
        (lambda: toolbox.risk(PEOPLE, **AGE), "Without the original records (original=) there is"),
        (
            lambda: toolbox.check(pd.DataFrame({"age": ["20-29", "20-29", "*"]}), **AGE),
            "1 record is suppressed: it is in no class.",
        ),
        (
            lambda: toolbox.detect(LACKING, columns=["age"]),
            "1 record lacks a value: it is not in the figures of the subsets.",
        ),
        (
            lambda: toolbox.detect(pd.concat([PEOPLE] * 2), max_columns=1),
            "Subsets of up to 1 column were looked at (max_columns=).",
        ),
    ],
)
def test_a_note_of_a_python_call_names_its_arguments(call: Callable[[], object], said: str) -> None:
    assert any(note.startswith(said) for note in call().notes), call().notes


def test_a_run_of_a_configuration_names_what_stands_there(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("21\n22\nx1\n")
    config = tmp_path / "c.xml"
    config.write_text(
        "<config k='2'><input filename='in.csv'/><output filename='o.csv'/><qid><att index='0'/></qid></config>"
    )
    run = run_in_process("-config", config)
    assert run.status == 4
    assert "  column 0: pattern 'a9' (line 3) is no number." in run.stderr
    assert "or write type='category'" in run.stderr


def test_the_name_of_the_program_alone_says_what_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = run_in_process()
    said = run.stderr
    assert (run.status, run.stdout) == (2, "")
    assert "There is no config.xml here" in said
    assert "toolbox detect data.csv" in said
    assert "toolbox --help" in said
    assert len(said.splitlines()) < 20
    (tmp_path / "config.xml").write_text("<config/>")
    assert "config.xml: 3 faults" in run_in_process().stderr
