"""The style sheet knows every class that a chart uses, and both themes."""

import re

from toolbox.charts import (
    Point,
    draw_bars,
    draw_before_after,
    draw_class_sizes,
    draw_risk_loss,
    draw_safe_at_risk,
    read_style,
    render_figure,
    render_table,
)

_CLASS = re.compile(r'class="([^"]+)"')
_VARIABLE = re.compile(r"(--[\w-]+):")


def test_every_class_has_a_style() -> None:
    rows = [("a", 1, 1)]
    drawn = [
        render_figure(draw_bars(rows, key="a", title="b"), render_table(["a", "b"], rows), caption="c"),
        draw_safe_at_risk(rows, key="a", title="b", upright=True, focusable=True),
        draw_class_sizes([("2", 0, 1)], key="a", title="b"),
        draw_before_after([("a", 1)], [("b", 1)], key="a", title="b"),
        draw_risk_loss([Point("a", 0.5, 0.5), Point("b", 0.5, 0.5, is_chosen=True)], key="a"),
    ]
    used = {name for chart in drawn for names in _CLASS.findall(chart) for name in names.split()}
    assert {name for name in used if f".{name}" not in read_style()} <= {"c-mark"}
    assert 'style="' not in "".join(drawn)


def test_the_dark_theme_sets_what_the_light_one_sets() -> None:
    light, dark = read_style().split("@media (prefers-color-scheme: dark)")
    assert set(_VARIABLE.findall(light)) == set(_VARIABLE.findall(dark.split("}\n}")[0]))
