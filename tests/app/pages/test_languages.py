"""Pages in the language of whoever looks at them."""

from __future__ import annotations

import re
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "scripts"))

import pytest
from helpers.asgi import Asking
from helpers.sentences import find_sentences
from jinja2 import nodes

from toolbox.app.pages.rendering import make_environment

_TEMPLATES = sorted((Path(__file__).parents[3] / "toolbox" / "app" / "templates").glob("*.html"))
_READ = ("aria-label", "placeholder", "title", "alt", "data-announce")
"""Attributes that people hear or read."""
_WORD = re.compile(r"[A-Za-z]{2,}")
_SAME = {"SHA-256", "Ctrl", "htmx", "KB", "MB"}


class _BareWords(HTMLParser):
    """Collects the words of a page that stand outside of any mark."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in ("code", "script", "style", "pre")
        self.found += [text for name, text in attrs if name in _READ and text and _WORD.search(text)]

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in ("code", "script", "style", "pre")

    def handle_data(self, data: str) -> None:
        data = re.sub(r'[a-z-]+="[^"]*"', "", data)  # what a macro puts into a tag
        if not self._silent and _WORD.search(data):
            self.found.append(data.strip())


def _find_bare_words(source: str) -> list[str]:
    """Return the words of a template that no catalogue has: its texts, and texts that an expression may put there."""
    tree = make_environment().parse(source)
    written: list[str] = []
    for output in tree.find_all(nodes.Output):
        for node in output.nodes:
            written.append(node.data if isinstance(node, nodes.TemplateData) else " ".join(_list_constants(node)))
    parser = _BareWords()
    parser.feed("".join(written))
    return [words for words in parser.found if set(_WORD.findall(words)) - _SAME]


def _list_constants(node: nodes.Node) -> list[str]:
    """Return the texts of which one may be what an expression shows."""
    if isinstance(node, nodes.Const):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, nodes.CondExpr):
        return [*_list_constants(node.expr1), *(_list_constants(node.expr2) if node.expr2 else [])]
    if isinstance(node, (nodes.Concat, nodes.Or)):
        return [text for child in node.iter_child_nodes() for text in _list_constants(child)]
    if isinstance(node, nodes.Filter) and node.node is not None and node.name in ("format", "upper", "capitalize"):
        return _list_constants(node.node)
    return []


@pytest.mark.slow
@pytest.mark.parametrize("path", _TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_words_outside_of_a_mark(path: Path) -> None:
    assert _find_bare_words(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("<p>Bare</p>", ["Bare"]),
        ('<p aria-label="Bare"></p>', ["Bare"]),
        ('<p>{{ "one" if x else "two" }}</p>', ["one two"]),
        ('<p class="{{ "one" if x else "two" }}">{{ _("Marked") }}</p>', []),
        ("<p>{% trans %}Marked{% endtrans %}</p>", []),
    ],
)
def test_bare_words_would_be_found(source: str, found: list[str]) -> None:
    assert _find_bare_words(source) == found


_PAGES = (
    "/data",
    "/columns?suggest=1",
    "/risk?table=on",
    "/hierarchies",
    "/hierarchies/0/builder",
    "/protect",
    "/judge",
)


def _read_text(page: str) -> str:
    """Return what somebody reads of a page, without the cells of tables and what is typed."""
    return " ".join(unescape(re.sub(r"<[^>]*>", "\n", page)).split())


@pytest.mark.slow
@pytest.mark.parametrize("page", _PAGES)
def test_a_page_in_german_has_no_english_sentence_of_the_catalogue(asking: Asking, page: str) -> None:
    path, _, query = page.partition("?")
    answer = asking.get(path, headers={"accept-language": "de"}, **dict(part.split("=") for part in [query] if part))
    assert '<html lang="de">' in answer.text
    shown = _read_text(answer.text)
    assert find_sentences(shown) == []


@pytest.mark.slow
def test_the_language_is_chosen_on_the_page_and_stays_chosen(asking: Asking) -> None:
    try:
        german = asking.post("/language", ("language", "de"), ("back", "/columns"))
        assert "<h1>Spalten</h1>" in german.text and '<html lang="de">' in german.text
        assert "<h1>Daten</h1>" in asking.get("/data", headers={"accept-language": "en"}).text
        assert "<h1>Daten</h1>" in asking.post("/language", ("language", "xx"), ("back", "/data")).text
    finally:
        asking.app.state.workplace.language = ""
    assert "<h1>Data</h1>" in asking.get("/data").text
