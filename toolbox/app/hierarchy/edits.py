"""What the buttons of the screen *Hierarchies* do: a form as an edit of rows, with the words that Undo shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from toolbox import hierarchies
from toolbox.app.hierarchy.tree import parse_branch_key
from toolbox.errors import UsageError

Rows = Sequence[Sequence[str]]
_MOST_LETTERS = 40


@dataclass(frozen=True)
class Edit:
    """One edit."""

    words: str
    """What it is called: "Rename Styria"."""
    make: Callable[[Rows], list[tuple[str, ...]]]
    """Returns other rows; raises a `ToolboxError` if there is no such edit of these."""
    focus: str = ""
    """The key of the branch that has the focus afterwards."""


@dataclass(frozen=True)
class EditForm:
    """What a form says."""

    action: str
    """What its button says; empty where it was sent without one, by Enter."""
    chosen: tuple[str, ...] = ()
    """Keys of branches."""
    name: str = ""
    """A new name."""
    group: str = ""
    """The name of a new label."""
    parent: str = ""
    """A label to put something below."""
    level: int = 0

    def edit(self) -> Edit:
        """Return the edit.

        Raises
        ------
        UsageError
            If it says none.
        """
        action = self.action or self._filled()
        makers: Mapping[str, Callable[[], Edit]] = {
            "rename": self._rename,
            "group": self._group,
            "move": self._move,
            "remove": self._remove,
            "add_level": lambda: Edit(f"Add level {self.level}", partial(hierarchies.add_level, level=self.level)),
            "remove_level": lambda: Edit(
                f"Remove level {self.level}", partial(hierarchies.remove_level, level=self.level)
            ),
        }
        if action not in makers:
            raise UsageError("Nothing says what to do. Fill in one of the fields, or press one of the buttons.")
        return makers[action]()

    def _filled(self) -> str:
        texts = {"rename": self.name, "group": self.group, "move": self.parent}
        filled = [action for action, text in texts.items() if text.strip()]
        return filled[0] if len(filled) == 1 else ""

    def _rename(self) -> Edit:
        level, labels = self._labels()
        if len(labels) > 1:
            raise UsageError(f"{len(labels):,} are chosen. Choose the one that gets another name, or group them.")
        edit = partial(hierarchies.rename, level=level, label=labels[0], name=self.name)
        return Edit(f"Rename {shorten_label(labels[0])}", edit, f"{level}:{self.name}")

    def _group(self) -> Edit:
        level, labels = self._labels()
        edit = partial(hierarchies.group, level=level, labels=labels, name=self.group)
        return Edit(f"Group as {shorten_label(self.group)}", edit, f"{level + 1}:{self.group}")

    def _move(self) -> Edit:
        level, labels = self._labels()
        edit = partial(hierarchies.move, level=level, labels=labels, parent=self.parent)
        return Edit(f"Move {format_labels(labels)} below {shorten_label(self.parent)}", edit, f"{level}:{labels[0]}")

    def _remove(self) -> Edit:
        level, labels = self._labels()
        if level:
            raise UsageError("Labels are chosen. Choose values to remove; a label goes with the last of its values.")
        return Edit(f"Remove {format_labels(labels)}", partial(hierarchies.remove_values, values=labels))

    def _labels(self) -> tuple[int, list[str]]:
        """Return what is chosen, and on which level it stands."""
        pairs = [parse_branch_key(key) for key in dict.fromkeys(self.chosen)]
        if not pairs:
            raise UsageError("Nothing is chosen. Choose a value or a label first.")
        levels = {level for level, _ in pairs}
        if len(levels) > 1:
            raise UsageError("What is chosen stands on several levels. Choose values, or labels of one level.")
        return levels.pop(), [label for _, label in pairs]


def shorten_label(text: str) -> str:
    """Cut a text that is too long for a button."""
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}…"


def format_labels(labels: Sequence[str]) -> str:
    """Name one, or count several.

    Examples
    --------
    >>> several(["Graz"]), several(["Graz", "Linz"])
    ('Graz', '2 together')
    """
    return shorten_label(labels[0]) if len(labels) == 1 else f"{len(labels):,} together"
