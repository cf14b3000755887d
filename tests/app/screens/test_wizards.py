"""The forms of builders."""

from __future__ import annotations

import inspect

from toolbox import hierarchies
from toolbox.app.screens.hierarchy_edits import _list_wizards, _parse_answers, _Wizard
from toolbox.messages import show, speak


def test_every_builder_has_a_form_but_the_one_that_reads_a_file() -> None:
    calls = {
        name
        for name in hierarchies.__all__
        if inspect.isfunction(found := getattr(hierarchies, name)) and found.__annotations__["return"] == "Builder"
    }
    assert set(_list_wizards()) == calls - {"tree"}


def test_every_question_is_a_setting_of_its_builder() -> None:
    for name, wizard in _list_wizards().items():
        settings = set(inspect.signature(getattr(hierarchies, name)).parameters)
        assert {question.name for question in wizard.questions} <= settings
        assert sum(question.is_main for question in wizard.questions) <= 1


def test_a_form_is_shown_in_the_language_of_whoever_looks() -> None:
    shown = [
        text
        for wizard in _list_wizards().values()
        for text in (
            wizard.title,
            wizard.sentence,
            *(part for one in wizard.questions for part in (one.label, one.hint)),
        )
        if text
    ]
    with speak("de"):
        # What somebody types is the same everywhere.
        assert [text for text in shown if show(text) == text] == ["hour, day, week, month, quarter, year, decade"]


def test_what_stands_in_a_form_at_first_builds_something() -> None:
    values = {"number": ["17", "23", "31"], "category": ["8010", "8020"], "date": ["1971-03-05", "1980-01-31"]}
    for name in ("intervals", "cuts", "quantiles", "dates", "prefix", "suffix", "auto"):
        wizard = _list_wizards()[name]
        words = wizard.words({question.name: question.first for question in wizard.questions})
        assert hierarchies.build(words, values[wizard.kinds[0]]), words


def test_words_and_answers_say_the_same() -> None:
    for words in (
        "intervals:5,10:top=90",
        "prefix:4,2:mask=..",
        "icd10",
        'order:low,"a:b",high:size=2',
        "prefix:mask=#",
    ):
        name, answers = _parse_answers(words)
        assert _list_wizards()[name].words(answers) == words
    assert _parse_answers("tree:places.csv") == ("tree", {})


def test_what_a_column_holds_decides_which_forms_come_first() -> None:
    assert [wizard.name for wizard in _Wizard.fitting("number")[0]] == ["intervals", "cuts", "quantiles", "auto"]
    assert [wizard.name for wizard in _Wizard.fitting("timestamp %Y")[0]] == ["dates", "ages", "auto"]
    assert "prefix" in [wizard.name for wizard in _Wizard.fitting(None)[0]]
    for kind in ("number", "date", None):
        meant, others = _Wizard.fitting(kind)
        assert {wizard.name for wizard in (*meant, *others)} == set(_list_wizards())


def test_a_column_gets_the_kind_that_its_builder_needs() -> None:
    for name, kind, looks, needed in [
        ("intervals", "number", "number", None),
        ("intervals", None, "number", None),
        ("intervals", "category", "number", "number"),
        ("prefix", "number", "number", "category"),
        ("dates", "timestamp", "timestamp", None),
        ("dates", "category", "timestamp", "timestamp"),
        ("ages", "category", "category", "date"),
        ("auto", "date %Y", "date %Y", None),
    ]:
        assert _list_wizards()[name].find_needed_kind(kind, looks) == needed
