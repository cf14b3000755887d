"""Pages of templates, and figures as they are written."""

from __future__ import annotations

from helpers.asgi import Asking

from toolbox.app.pages.rendering import format_decimals, format_percent, format_seconds, make_environment, number


def test_figures_are_written_for_people() -> None:
    assert (number(1234567), number(0), number(None)) == ("1,234,567", "0", "–")
    assert (format_percent(0.0508), format_percent(1), format_percent(None)) == ("5.1 %", "100.0 %", "–")
    assert (format_decimals(0.51788), format_decimals(None)) == ("0.518", "–")
    assert (format_seconds(0.42), format_seconds(59.94), format_seconds(75)) == ("0.4 s", "59.9 s", "1 min 15 s")


def test_what_people_wrote_is_text_and_never_markup() -> None:
    page = make_environment().from_string("{{ x }}{{ ui.back(x) }}{{ ui.summary([(x, x)]) }}").render(x="<b id='x'>\"")
    assert "<b" not in page and page.count("&lt;b id=&#39;x&#39;&gt;&#34;") == 4


def test_htmx_gets_the_part_that_it_replaces_and_everybody_else_the_page(asking: Asking) -> None:
    page = asking.get("/protect").text
    assert page.startswith("<!doctype html>") and page.count("<h1") == 1
    part = asking.fragment("/protect", "tried").text
    assert part.lstrip().startswith('<section id="tried"') and "<h1" not in part
    assert 'id="protection"' in asking.fragment("/protect", "nowhere").text
