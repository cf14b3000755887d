"""The screen *Risk now*: its sentence, its table, and the pages of a long one."""

from __future__ import annotations

import re

from helpers.asgi import Asking

from toolbox.app.screens.risk import _list_page_links

_ROW = re.compile(r'<tr><th scope="row"><bdi>(.*?)</bdi></th><td class="n">(.*?)</td><td class="n">(.*?)</td>')
ASKED = {"k": 5, "column": "a b", "sort": "value", "by": ["a b"], "flip": ""}


def test_more_than_two_hundred_values_are_paged_and_never_cut() -> None:
    assert _list_page_links({**ASKED, "start": 0}, 200) == []
    first = dict(_list_page_links({**ASKED, "start": 0}, 450))
    assert list(first) == ["Next", "Last"]
    assert first["Last"] == "/risk?k=5&column=a+b&sort=value&by=a+b&table=on&start=400"
    assert list(dict(_list_page_links({**ASKED, "start": 400}, 450))) == ["First", "Previous"]


def test_the_sentence_and_the_table_say_who_is_at_risk_by_the_chosen_columns(asking: Asking) -> None:
    everybody = asking.get("/risk", k="2").text
    assert "4</strong> of 4 records (100.0 %) are in classes below k = 2." in everybody
    by_town = asking.get("/risk", k="2", column="town", by="town", table="on").text
    assert "2</strong> of 4 records (50.0 %) are in classes below k = 2." in by_town
    assert _ROW.findall(by_town) == [("Graz", "2", "0"), ("Leoben", "0", "1"), ("Wien", "0", "1")]
    assert "Graz: 0 of 2 records at risk" in by_town
    by_risk = asking.get("/risk", k="2", column="illness", by="town", table="on", sort="risk").text
    assert _ROW.findall(by_risk) == [("gout", "0", "1"), ("flu", "1", "1"), ("cold", "1", "0")]


def test_an_address_that_nobody_would_write_shows_the_usual_page(asking: Asking) -> None:
    page = asking.get("/risk", k="-7", column="<b>", sort="'", by="none", flip="?", start="9e9", table="on")
    assert page.status == 200
    assert "are in classes below k = 2." in page.text
    assert "<b>&" not in page.text
    beyond = asking.get("/risk", start="1000", table="on").text
    assert "this page is beyond the last" in beyond


def test_columns_are_ranked_by_who_stands_alone(asking: Asking) -> None:
    page = asking.get("/risk/columns").text
    # Each of the four has another age, and another day of birth.
    assert "<bdi>age</bdi></strong> differs in every record" in page
    assert '<li><a href="/risk/columns" aria-current="page">Columns ranked</a></li>' in page
    rows = re.findall(r'<tr><th scope="row"><bdi>(\w+)</bdi></th><td class="n">(\d)</td><td class="n">(\d)</td>', page)
    assert rows == [("age", "4", "4"), ("born", "4", "4"), ("town", "3", "2")]


def test_a_share_of_the_population_is_asked_for_and_estimates_who_stands_alone(asking: Asking) -> None:
    page = asking.get("/risk/population").text
    assert "No register is named" in page and "Say above which share" in page
    page = asking.get("/risk/population", share="50 %").text
    assert "Of about 8 people" in page and "by Dankar" in page
    wrong = asking.get("/risk/population", share="200").text
    assert "Write a share of more than 0 and at most 100" in wrong and 'aria-invalid="true"' in wrong
