"""All that people read on screens and in reports is in one catalogue, and each language that is offered has all of it."""

from __future__ import annotations

import ast
import pickle
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))

import languages
from babel.messages.pofile import read_po
from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import words
from helpers.sentences import find_sentences
from helpers.sources import MODULES, nodes_of, read

from toolbox.messages import LANGUAGES, Phrase, choose_language, mark, retell, say, say_count, show, speak, write_figure
from toolbox.report.html.findings import PageFindings
from toolbox.report.html.page import render_page

OFFERED = [name for name in LANGUAGES if name != "en"]
_SENTENCE = re.compile(r"[A-Z][a-z]*,? [a-z]+ [a-z' ]*")
_NAME = re.compile(r"%\((\w+)\)s")
_MARKING = {"say", "mark", "say_count", "say_of_records"}
_PLACEHOLDER = re.compile(r"%\(\w+\)s|%%|\{\w+\}|</?\w+|href=\"[^\"]*\"")


@pytest.mark.slow
@pytest.mark.parametrize("language", OFFERED)
def test_each_sentence_is_translated(language: str) -> None:
    known = languages.read_language(language)
    assert [message for message in languages.list_messages() if not all(known.get(message, ("",)))] == []


@pytest.mark.parametrize("language", OFFERED)
def test_a_translation_has_the_values_and_the_markup_of_its_sentence(language: str) -> None:
    wrong = [
        (message, text)
        for message, said in languages.read_language(language).items()
        for text in said
        if Counter(_PLACEHOLDER.findall(text))
        not in [Counter(_PLACEHOLDER.findall(one)) for one in ([message] if isinstance(message, str) else message)]
    ]
    assert wrong == []


@pytest.mark.parametrize("language", OFFERED)
def test_a_catalogue_is_written_as_the_script_writes_it(language: str) -> None:
    written = (languages.FOLDER / f"{language}.po").read_text(encoding="utf-8")
    assert written == languages.format_catalogue(language, languages.read_language(language))


@pytest.mark.parametrize("language", OFFERED)
def test_other_programs_read_the_catalogue_as_we_do(language: str) -> None:
    with (languages.FOLDER / f"{language}.po").open("rb") as stream:
        read = read_po(stream)
    assert read.plural_expr == languages.PLURALS[language].partition("plural=")[2]
    found = {
        message.id: (message.string,) if isinstance(message.string, str) else tuple(message.string)
        for message in read
        if message.id
    }
    assert found == languages.read_language(language)


def test_a_sentence_is_said_in_the_language_of_whoever_asks_and_shown_in_that_of_whoever_looks() -> None:
    english = say_count("%(count)s record", "%(count)s records", 1200)
    with speak("de"):
        german = say_count("%(count)s record", "%(count)s records", 1)
        assert (english, english.show()) == ("1,200 records", "1\u202f200 Datensätze")
        assert german == "1 Datensatz"
    assert (german, german.show()) == ("1 Datensatz", "1 record")


def test_a_sentence_that_no_catalogue_has_stays_english() -> None:
    with speak("de"):
        assert [str(say_count("%(count)s gadget", "%(count)s gadgets", count)) for count in (1, 3)] == [
            "1 gadget",
            "3 gadgets",
        ]


def test_a_marked_text_is_english_by_itself_wherever_its_table_was_made() -> None:
    with speak("de"):
        made = mark("to do")
        assert (made, show(made)) == ("to do", "zu tun")
    assert show("to do") == "to do"


def test_a_phrase_within_another_is_said_in_the_same_language() -> None:
    within = say("Undone: %(words)s", words=say("Protection"))
    with speak("de"):
        assert within.show() == "Rückgängig gemacht: Schutz"


def test_a_marked_phrase_from_a_child_is_said_in_each_language_that_is_spoken_later() -> None:
    sent = pickle.dumps(say(mark("Opened %(name)s"), name=mark("to do")))
    with speak("fr"):
        came = pickle.loads(sent)
    with speak("de"):
        assert came.show() == "zu tun geöffnet"
    assert came.show() == "Opened to do"


def test_a_phrase_comes_through_from_a_child_as_a_phrase() -> None:
    came = pickle.loads(pickle.dumps(say("Opened %(name)s", name="a.csv")))
    assert isinstance(came, Phrase)
    with speak("de"):
        assert came.show() == "a.csv geöffnet"


@pytest.mark.parametrize(
    ("document", "page"),
    [
        (
            "1 line could not be read and is not in the release: line 7.",
            "1 Zeile war nicht lesbar und ist nicht in der Veröffentlichung: line 7.",
        ),
        (
            "1,200 records lack a declared value and are not in the release.",
            "1\u202f200 Datensätzen fehlt ein deklarierter Wert; sie sind nicht in der Veröffentlichung.",
        ),
        # What may be the name of a column stays, also where the catalogue has the word.
        (
            "Nobody declared date: left out of the release.",
            "Niemand hat date deklariert: aus der Veröffentlichung weggelassen.",
        ),
        (
            "3 people are alone in their class. Nobody knows why.",
            "3 Personen: allein in ihrer Klasse. Nobody knows why.",
        ),
        ("Nobody knows why.", "Nobody knows why."),
    ],
)
def test_what_a_document_says_in_english_is_retold_with_its_values(document: str, page: str) -> None:
    assert retell(document) == document
    with speak("de"):
        assert retell(document) == page


@pytest.mark.slow
def test_each_sentence_with_values_is_found_again_in_a_document() -> None:
    wrong = []
    for message in languages.read_language("it"):
        for place, one in enumerate((message,) if isinstance(message, str) else message):
            names = _NAME.findall(one)
            if not names or "<" in one or len(_PLACEHOLDER.sub("", one)) < 40:
                continue  # markup of pages, or too few words of its own
            english = one % {name: str(1 + 6 * place) if name == "count" else f"8{name}" for name in names}
            with speak("it"):
                wrong += [english] if retell(english) == english else []
    assert wrong == []


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("1,234,567", "1\u202f234\u202f567"),
        ("77.8 %", "77,8\u00a0%"),
        ("+1,234.5", "+1\u202f234,5"),
        ("0.2 s", "0,2 s"),
        ("–", "–"),
        ("infinity", "infinity"),
    ],
)
def test_figures_are_written_as_the_language_writes_them(english: str, german: str) -> None:
    assert write_figure(english) == english
    with speak("de"):
        assert write_figure(english) == german


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        ("", "en"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en-GB,de;q=0.9", "en"),
        ("ja,de;q=0.1", "de"),
        ("de;q=0,en;q=0.1", "en"),
        ("ja", "en"),
        ("*", "en"),
        ("de;q=nonsense,;;;,==", "en"),
        ("DE", "de"),
    ],
)
def test_the_first_language_that_a_browser_wants_and_that_is_offered_is_chosen(wanted: str, chosen: str) -> None:
    assert choose_language(wanted) == chosen


@pytest.mark.slow
@pytest.mark.parametrize("language", OFFERED)
@pytest.mark.parametrize("findings", [INTERNAL, PUBLIC], ids=["internal", "public"])
def test_a_report_has_no_english_sentence_of_the_catalogue(findings: PageFindings, language: str) -> None:
    page = render_page(findings, language)
    assert f'<html lang="{language}">' in page
    shown = words(page.partition("</style>")[2])
    # What stands in these findings was written by hand, in English.
    found = find_sentences(shown)
    names = {message for message, said in languages.read_language(language).items() if said == (message,)}
    assert sorted({*found} - names - {*find_sentences(repr(findings))}) == []


def _list_unmarked(room: str) -> list[str]:
    """Return the sentences of a room that no function marks; documentation is none."""
    found: list[str] = []
    for module in (one for one in MODULES if one.startswith(f"{room}/")):
        nodes = list(nodes_of(read(module)))
        marked = {
            id(part)
            for node in nodes
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in _MARKING
            for part in ast.walk(node)
        }
        told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)} | marked
        told |= {id(part) for node in nodes if isinstance(node, ast.Assert) for part in ast.walk(node)}
        found += [
            node.value
            for node in nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
            if _SENTENCE.match(node.value)
        ]
    return found


def test_what_is_not_in_the_catalogue_stays_english() -> None:
    with speak("de"):
        assert (say("No such text."), say_count("%(count)s oddity", "%(count)s oddities", 2)) == (
            "No such text.",
            "2 oddities",
        )


_TOLD = {"app": 2, "charts": 0, "hierarchy": 3, "published": 3, "report/html": 0, "report/judges": 2}
"""Sentences in a room that are not marked, and so stay English; those of hierarchies are names, and what calls of Python say.

The figures may only fall.
"""


@pytest.mark.parametrize("room", _TOLD)
def test_what_is_not_marked_becomes_less(room: str) -> None:
    assert len(_list_unmarked(room)) <= _TOLD[room], _list_unmarked(room)
