"""Hostile data: names and values that try to be markup, code, or a way to another place are shown as what they are (J11)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

NAMES = (
    *('"', "</style><script>document.title='owned'</script>", "=1+1", "a&amp;b", "\u202eright to left", "x" * 300),
    *("{{ 7 * 7 }}", "' onmouseover='x", "", "../../etc/passwd", "ünï côdé"),
)
VALUES = (
    *("<img src=x onerror=document.title='owned'>", "y" * 10_000, "\u202eevil", "=cmd|' /C calc'!A0", "</textarea>"),
    *("{% raw %}", '"; DROP TABLE records; --', "\x01\x1b[31m", "javascript:alert(1)", "%00", "🙂" * 20),
)


def write(path: Path) -> None:
    quoted = ",".join('"{}"'.format(name.replace('"', '""')) for name in NAMES)
    rows = "".join(
        ",".join('"{}"'.format(VALUES[(row + at) % len(VALUES)].replace('"', '""')) for at in range(len(NAMES))) + "\n"
        for row in range(44)
    )
    path.write_text(f"{quoted}\n{rows}", encoding="utf-8")


@pytest.mark.slow
def test_hostile_names_and_values_are_texts_on_every_screen(
    application: Callable[..., Any], enter: Callable[..., Any], assert_accessible: Callable[[Any], None], tmp_path: Path
) -> None:
    write(tmp_path / "<b>'hostile' & co.csv")
    page = enter(application())
    page.get_by_role("button", name="Open <b>'hostile' & co.csv").click()
    page.get_by_text("holds 44 records in 11 columns").wait_for()
    page.get_by_role("cell", name="=cmd|' /C calc'!A0").first.wait_for()
    assert page.locator("main img, main script, main style").count() == 0
    assert page.get_by_text("y" * 201).count() == 0, "a long value is cut"
    assert_accessible(page)
    page.get_by_role("link", name="Columns").click()
    page.get_by_role("heading", level=1, name="Columns").wait_for()
    page.wait_for_load_state("load")
    for at in (0, 2, 9):
        page.locator(f"#role-{at}").select_option("quasi-identifier")
        page.locator(f"#kind-{at}").wait_for()
    page.get_by_role("button", name="Undo: Role of ../../etc/passwd").wait_for()
    page.get_by_role("button", name="Suggest").click()
    page.get_by_role("button", name="Take all suggestions").wait_for()
    assert_accessible(page)
    for title in ("Risk now", "Hierarchies", "Protect", "Look"):
        page.get_by_role("link", name=title).first.click()
        page.get_by_role("heading", level=1, name=title).wait_for()
        assert page.locator("main img, main script, main style").count() == 0
    assert "owned" not in page.title()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved ").first.wait_for()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["<b>'hostile' & co-project", "<b>'hostile' & co.csv"]
