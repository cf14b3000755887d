"""The parts of sections are escaped, short, and can be reached."""

from toolbox.charts.markup import Markup
from toolbox.charts.rows import (
    join_parts,
    render_facts,
    render_list,
    render_paragraph,
    render_scrolling_table,
    render_section,
)


def test_texts_are_escaped_and_long_ones_cut() -> None:
    assert render_paragraph("<b>", "small") == '<p class="small">&lt;b&gt;</p>'
    assert len(render_paragraph("x" * 5000)) < 1100
    assert render_list(["a & b"]) == "<ul><li>a &amp; b</li></ul>"


def test_facts_without_words_are_left_out() -> None:
    assert render_facts([("Command", ""), ("Seed", "none")]) == (
        '<dl class="facts"><div><dt>Seed</dt><dd>none</dd></div></dl>'
    )


def test_a_section_is_named_by_its_heading_and_may_lack_parts() -> None:
    shown = render_section("data", "Data", Markup("<hr>"), None)
    assert shown == '<section aria-labelledby="data-heading"><h2 id="data-heading">Data</h2><hr></section>'
    assert join_parts(None, Markup("a"), Markup("b")) == "ab"


def test_a_table_scrolls_within_the_page_also_by_keyboard() -> None:
    assert render_scrolling_table("<table></table>", "Models").startswith(
        '<div class="c-scroll" tabindex="0" role="group" aria'
    )
