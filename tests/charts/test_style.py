"""The style sheet knows every class that a chart uses, and both themes."""

import re

from toolbox.charts import Point, bars, before_after, class_sizes, figure, risk_loss, safe_at_risk, style, table

_CLASS = re.compile(r'class="([^"]+)"')
_VARIABLE = re.compile(r"(--[\w-]+):")


def test_every_class_has_a_style() -> None:
    rows = [("a", 1, 1)]
    drawn = [
        figure(bars(rows, key="a", title="b"), table(["a", "b"], rows), caption="c"),
        safe_at_risk(rows, key="a", title="b", upright=True, focusable=True),
        class_sizes([("2", 0, 1)], key="a", title="b"),
        before_after([("a", 1)], [("b", 1)], key="a", title="b"),
        risk_loss([Point("a", 0.5, 0.5), Point("b", 0.5, 0.5, is_chosen=True)], key="a"),
    ]
    used = {name for chart in drawn for names in _CLASS.findall(chart) for name in names.split()}
    assert {name for name in used if f".{name}" not in style()} <= {"c-mark"}
    assert 'style="' not in "".join(drawn)


def test_the_dark_theme_sets_what_the_light_one_sets() -> None:
    light, dark = style().split("@media (prefers-color-scheme: dark)")
    assert set(_VARIABLE.findall(light)) == set(_VARIABLE.findall(dark.split("}\n}")[0]))
