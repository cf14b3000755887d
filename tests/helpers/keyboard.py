"""Somebody at a browser who has no mouse: each place is reached by Tab, and is seen when it has the focus."""

from __future__ import annotations

from typing import Any

_MOST = 200
"""Presses of Tab, at most, to anything on a page."""
_SEEN = """element => {
    const figure = element.querySelector(":scope.c-mark > .c-value");
    if (figure) {
        return [true, getComputedStyle(figure).visibility === "visible" ? "a figure" : "none"];
    }
    const shown = element.matches("[role=treeitem]") ? element.querySelector(".branch") : element;
    const {left, right, top, bottom} = shown.getBoundingClientRect();
    const points = [[(left + right) / 2, (top + bottom) / 2], [left + 3, top + 3], [right - 3, bottom - 3]];
    const isThere = points.some(([x, y]) => shown.contains(document.elementFromPoint(x, y)));
    return [isThere, getComputedStyle(shown).outlineStyle];
}"""


class Keyboard:
    """The keys of a page.

    Parameters
    ----------
    page : Page
        Of playwright.
    """

    def __init__(self, page: Any) -> None:
        self._page = page

    def go_to(self, target: Any) -> None:
        """Press Tab until a control has the focus; then it shows that it has, and nothing covers it."""
        target.wait_for()
        self._page.wait_for_load_state("load")
        for _ in range(_MOST):
            self._page.keyboard.press("Tab")
            if self.is_at(target):
                is_there, outline = target.evaluate(_SEEN)
                assert is_there, f"something covers {target}"
                assert outline != "none", f"nobody sees that {target} has the focus"
                return
        raise AssertionError(f"no Tab leads to {target}")

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, wherever the focus is."""
        for key in keys:
            self._page.keyboard.press(key)

    def write(self, text: str) -> None:
        """Write over what the field with the focus has."""
        self.press("Control+a")
        self._page.keyboard.type(text)

    def follow(self, name: str) -> None:
        """Go to a link, and along it."""
        self.go_to(self._page.get_by_role("link", name=name))
        self.press("Enter")

    def push(self, name: str, **how: Any) -> None:
        """Go to a button, and press it."""
        self.go_to(self._page.get_by_role("button", name=name, **how))
        self.press("Enter")

    @staticmethod
    def is_at(target: Any) -> bool:
        """Whether a control has the focus."""
        return bool(target.evaluate("element => element === document.activeElement"))
