"""The same as a table."""

from toolbox.charts.rows import render_figure, render_table


def test_the_first_cell_names_the_row_and_numbers_stand_to_the_right() -> None:
    shown = render_table(["town", "records", "note"], [("<Graz>", 1200, "a"), (None, 2, None)], caption="Towns")
    assert "<caption>Towns</caption>" in shown
    assert '<tr><th scope="row">&lt;Graz&gt;</th><td class="c-number">1,200</td><td>a</td></tr>' in shown
    assert '<tr><th scope="row">missing</th><td class="c-number">2</td><td></td></tr>' in shown


def test_the_table_is_below_the_chart_and_both_may_have_a_shorter_name_than_the_caption() -> None:
    shown = render_figure("<svg></svg>", "<table></table>", caption="a & b", label="c")
    assert "<figcaption>a &amp; b</figcaption>" in shown
    assert 'aria-label="Chart: c"' in shown
    assert "<details><summary>As a table" in shown


def test_what_scrolls_sideways_is_reached_by_keyboard() -> None:
    shown = render_figure("<svg></svg>", "<table></table>", caption="a & b")
    assert shown.count('tabindex="0"') == 2
    assert 'aria-label="Chart: a &amp; b"' in shown
