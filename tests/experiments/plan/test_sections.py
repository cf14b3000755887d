"""Reading the tables of a plan: values that fit, and a fault for each that does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolbox.errors import Findings
from toolbox.experiments.plan.plan_file import _TOML, Section, _PlanNotation


def section(notation: _PlanNotation = _TOML, **words: Any) -> tuple[Section, Findings]:
    findings = Findings()
    return Section(words, findings, Path("/plans"), notation, ("data", 1)), findings


def test_words_that_fit_are_read() -> None:
    words, findings = section(name="a", names=["x", "y", "x"], k=5, share=0.5, ks=[2, 5, 2], one=3, map={"age": 1})
    assert (words.text("name"), words.texts("names"), words.text("absent")) == ("a", ("x", "y"), None)
    assert (words.number("k", 1, least=1), words.number("share", 1, least=0, whole=False)) == (5, 0.5)
    assert words.numbers("ks", least=1, whole=True) == (2, 5)
    assert words.numbers("one", least=1, whole=True) == (3,)
    assert words.mapping("map") == {"age": 1}
    words.require_no_more()
    assert findings.faults == []


FAULTS: list[tuple[dict[str, Any], Callable[[Section], object], str]] = [
    ({"name": 3}, lambda words: words.text("name"), "[[data]] 2: name is '3'. Write a text in quotes."),
    ({"name": " "}, lambda words: words.text("name"), "Write a text in quotes."),
    ({"names": "age"}, lambda words: words.texts("names"), 'Write a list of texts, such as ["age", "zip"].'),
    ({"k": 0}, lambda words: words.number("k", 5, least=1), "k is '0'. Write a whole number, at least 1."),
    ({"k": True}, lambda words: words.number("k", 5, least=1), "k is 'True'."),
    ({"k": 2.5}, lambda words: words.number("k", 5, least=1), "k is '2.5'."),
    ({"p": 2.0}, lambda words: words.number("p", 1, least=0, most=1, whole=False), "Write a number, from 0 to 1."),
    ({"k": [2, "5"]}, lambda words: words.numbers("k", least=1, whole=True), "a list of whole numbers from 1 on"),
    ({"map": [1]}, lambda words: words.mapping("map"), "Write a table, such as map = { age = .. }."),
    ({"data": {"table": "x"}}, lambda words: words.tables("data"), "tables, each below a line [[data]]."),
    ({"on": "all"}, lambda words: words.word("on", "a", ("a", "b")), "on is 'all'. Write one of 'a', 'b'."),
    ({"k": []}, lambda words: words.numbers("k", least=1, whole=True), "k is '[]'. Write a list of whole numbers"),
    ({"k": 2**63}, lambda words: words.numbers("k", least=1, whole=True), "k is '9223372036854775808'."),
    ({"l": float("inf")}, lambda words: words.numbers("l", least=1, whole=False), "l is 'inf'."),
    ({"seed": 2**63}, lambda words: words.number("seed", 0, least=0), "seed is '9223372036854775808'."),
    ({"map": {5: 1}}, lambda words: words.mapping("map"), "Write a table, such as map = { age = .. }."),
    (
        {"a": "a\0b"},
        lambda words: words.resolve_path("a", "a\0b"),
        "a is 'a\\x00b'. Write a path, which has no zero byte.",
    ),
    ({"models": 5}, lambda words: words.lists("models", print), 'lists of models, such as [["k-anonymity:k=5"]].'),
]


def test_words_that_do_not_fit_are_faults() -> None:
    for said, read, expected in FAULTS:
        words, findings = section(**said)
        read(words)
        assert len(findings.faults) == 1, said
        assert expected in str(findings.faults[0])


def test_what_nobody_asked_for_is_a_fault_with_the_word_that_was_meant() -> None:
    words, findings = section(lable="ill")
    words.text("label")
    assert words.table("classification") is None
    words.require_no_more()
    (fault,) = findings.faults
    assert (
        str(fault) == "[[data]] 2: there is no setting 'lable'. Did you mean 'label'? There are: label, classification."
    )


def test_paths_are_relative_to_the_plan_and_know_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDY_DATA", "/data")
    monkeypatch.delenv("STUDY_GONE", raising=False)
    words, findings = section()
    texts = ("people.csv", "$STUDY_DATA/b.csv", "~no one/${STUDY_DATA}.csv")
    assert [str(words.resolve_path("a", text)) for text in texts] == [
        "/plans/people.csv",
        "/data/b.csv",
        "/plans/~no one/data.csv",
    ]
    assert words.expanded == {"/data": "$STUDY_DATA", "/plans/~no one/data.csv": "~no one/${STUDY_DATA}.csv"}
    words.resolve_path("c", "${STUDY_GONE}/c.csv")
    words.resolve_path("d", "${STUDY_GONE}/d.csv")
    assert [str(fault) for fault in findings.faults] == [
        "[[data]] 2: c names ${STUDY_GONE}, which is not set. Write: export STUDY_GONE=FOLDER"
    ]


def test_words_of_xml_are_called_as_there_and_have_lines() -> None:
    lines = {(): 1, ("data", 1): 7, ("data", 1, "features"): 9, ("data", 1, "features", 1): 10}
    said: dict[str, Any] = {"label": " ", "features": ["visits", ""], "kinds": {"age": 5}, "k": ["five"]}
    words, findings = section(_PlanNotation(lines, {"features": "<feature>", "kinds": "type="}), **said)
    words.text("label")
    words.texts("features")
    words.numbers("k", least=1, whole=True)
    words.wrong("kinds.age", 5, "Write a kind.")
    words.require_no_more()
    assert [str(fault) for fault in findings.faults] == [
        "line 7: <data>: label is ' '. Write a text.",
        "line 10: <data>: <feature> is ''. Write a name.",
        "line 7: <data>: k is 'five'. Write a list of whole numbers from 1 on, such as k='2,5'.",
        "line 7: <data>: type= of 'age' is '5'. Write a kind.",
        "line 7: <data>: there is no setting 'kinds'. There are: label, features, k.",
    ]


def test_a_column_stands_in_a_list_once() -> None:
    words, findings = section(names=["sex", "age", "sex"], more="sex")
    assert words.columns("names") == ("sex", "age")
    assert words.columns("absent") == ()
    assert [str(fault) for fault in findings.faults] == [
        "[[data]] 2: names has the column 'sex' twice. Leave one of the two out."
    ]


def test_a_separator_may_be_blank() -> None:
    words, findings = section(separator="\t", label="")
    assert words.text("separator", may_be_blank=True) == "\t"
    assert words.text("label", may_be_blank=True) is None
    assert len(findings.faults) == 1
