"""Reading the tables of a plan: values that fit, and a fault for each that does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolbox.config.given import Findings
from toolbox.experiments.sections import Section


def section(**words: Any) -> tuple[Section, Findings]:
    findings = Findings()
    return Section("[[data]] 2", words, findings, Path("/plans")), findings


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
    words, findings = section(a="people.csv", b="$STUDY_DATA/b.csv", c="${STUDY_GONE}/c.csv", d="${STUDY_GONE}/d.csv")
    assert [words.path(name) for name in "ab"] == [Path("/plans/people.csv"), Path("/data/b.csv")]
    words.path("c")
    words.path("d")
    assert [str(fault) for fault in findings.faults] == [
        "[[data]] 2: c names ${STUDY_GONE}, which is not set. Write: export STUDY_GONE=FOLDER"
    ]
