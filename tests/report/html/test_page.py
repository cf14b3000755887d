"""The page is one file that loads nothing and runs nothing."""

import base64
import hashlib
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from helpers.findings import INTERNAL, PUBLIC
from helpers.page_text import tree, words

from toolbox.report.html.findings import PageFindings
from toolbox.report.html.page import render_page

_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')
_FETCHES = re.compile(
    r"<script|<img|<link|<iframe|<object|@import|url\((?!#)|\son\w+=|\sstyle=|href=(?!.#)|src=", re.IGNORECASE
)


@pytest.mark.parametrize("findings", [INTERNAL, PUBLIC], ids=["internal", "public"])
def test_the_policy_allows_the_style_of_the_page_by_its_checksum_and_nothing_else(findings: PageFindings) -> None:
    text = render_page(findings)
    (style,) = _STYLE.findall(text)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = _POLICY.findall(text)
    assert (
        policy
        == f"default-src &#x27;none&#x27;; style-src &#x27;sha256-{digest}&#x27;; base-uri &#x27;none&#x27;; form-action &#x27;none&#x27;"
    )
    assert _FETCHES.findall(text) == []


def test_which_kind_it_is_stands_at_the_top_and_on_each_printed_page() -> None:
    for findings, said in ((INTERNAL, "Internal report: not for publication."), (PUBLIC, "Public report: ")):
        text = render_page(findings)
        assert words(text).startswith(said)
        assert f'@bottom-left {{ content: "{said}' in text


def test_its_twelve_sections_have_one_heading_each() -> None:
    headings = [heading.text for heading in tree(render_page(INTERNAL)).iter("h2")]
    assert headings == [
        "Verdict",
        "Data",
        "Columns",
        "Method",
        "Privacy models",
        "What became of each quasi-identifier",
        "What was lost",
        "Who is still at risk",
        "What guidance asks, and what was counted",
        "What k-anonymity does not promise",
        "How to repeat it",
        "Decision and signatures",
    ]
    assert len(list(tree(render_page(INTERNAL)).iter("h1"))) == 1


def test_no_two_parts_have_one_name_and_every_name_that_is_used_is_there() -> None:
    body = tree(render_page(INTERNAL))
    names = [part.get("id") for part in body.iter() if part.get("id")]
    assert len(names) == len(set(names))
    used = {part.get(attribute) for part in body.iter() for attribute in ("aria-labelledby", "aria-describedby")}
    assert used - {None} <= set(names)


def test_the_same_findings_are_the_same_page() -> None:
    assert render_page(INTERNAL) == render_page(replace(INTERNAL))


def test_hostile_names_and_values_are_only_text() -> None:
    evil = "</style><script>alert(1)</script>\x00\u202e" + "x" * 10_000
    column = INTERNAL.columns[1]._replace(name=evil, hierarchy=evil)
    hostile = replace(INTERNAL, name=evil, columns=(column,), notes=(evil,), configuration=evil, command=evil, data=((evil, evil),), undeclared=(evil,), checksums={evil: evil})  # fmt: skip
    text = render_page(hostile)
    assert _FETCHES.findall(text) == []
    assert "\x00" not in text
    assert "\u202e" not in text
    assert isinstance(tree(text), ElementTree.Element)
    assert len(text) < 60_000
