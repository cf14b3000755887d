"""The forms of the screen *Hierarchies*: edits of rows, with the words that Undo shows, and the rules of builders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Final, Literal

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
    >>> format_labels(["Graz"]), format_labels(["Graz", "Linz"])
    ('Graz', '2 together')
    """
    return shorten_label(labels[0]) if len(labels) == 1 else f"{len(labels):,} together"


# The rules that make hierarchies, as forms: what each asks, and the words that its answers are.

Kind = Literal["number", "category", "date"]
_KINDS: Final[Mapping[str, tuple[Kind, ...]]] = {
    "numbers": ("number",),
    "texts": ("category",),
    "dates": ("date",),
    "anything": ("number", "category", "date"),
}
"""What a column holds for which a builder is meant, by what it takes."""


@dataclass(frozen=True)
class WizardField:
    """One field of a form."""

    name: str
    """Of the setting."""
    label: str
    hint: str
    first: str
    """What stands in the field at first."""
    wants: str
    is_main: bool
    """Whether the words have it without its name."""


@dataclass(frozen=True)
class Wizard:
    """A builder that people can choose."""

    name: str
    """Of the builder."""
    title: str
    sentence: str
    kinds: tuple[Kind, ...]
    """What a column holds for which it is meant."""
    questions: tuple[WizardField, ...] = ()

    @classmethod
    def of(cls, builder: type[hierarchies.Builder]) -> Wizard:
        """Return the form of a builder, as it describes itself."""
        first_line = (builder.__doc__ or "").strip().partition("\n")[0]
        return cls(
            builder.name,
            builder.title or builder.name,
            builder.sentence or first_line,
            _KINDS[builder.takes],
            tuple(WizardField(name, *one, is_main=name == builder.main) for name, one in builder.asked().items()),
        )

    def words(self, answers: Mapping[str, str]) -> str:
        """Write the answers as the command line does.

        Examples
        --------
        >>> list_wizards()["intervals"].words({"width": "5,10", "top": "90", "bottom": ""})
        'intervals:5,10:top=90'
        """
        given = {one: answers.get(one.name, "").strip() for one in self.questions}
        main = [text for one, text in given.items() if one.is_main and text]
        others = [f"{one.name}={text}" for one, text in given.items() if not one.is_main and text]
        return ":".join([self.name, *main, *others])

    @staticmethod
    def fitting(kind: str | None) -> tuple[list[Wizard], list[Wizard]]:
        """Return the forms that are meant for what a column holds, and all others.

        Examples
        --------
        >>> [wizard.name for wizard in Wizard.fitting("date %d.%m.%Y")[0]]
        ['dates', 'ages', 'auto']
        """
        every = list_wizards().values()
        meant = [wizard for wizard in every if _find_plain_kind(kind or "category") in wizard.kinds]
        return meant, [wizard for wizard in every if wizard not in meant]

    def find_needed_kind(self, kind: str | None, looks: str | None) -> str | None:
        """Return what a column must be declared to hold for the builder; None: that may stay as it is.

        Examples
        --------
        >>> prefix, dates = list_wizards()["prefix"], list_wizards()["dates"]
        >>> prefix.find_needed_kind("number", "number"), dates.find_needed_kind("category", "date %d.%m.%Y")
        ('category', 'date %d.%m.%Y')
        """
        if kind is None or _find_plain_kind(kind) in self.kinds:
            return None
        return looks if looks is not None and _find_plain_kind(looks) in self.kinds else self.kinds[0]


def list_wizards() -> Mapping[str, Wizard]:
    """Return the forms of all builders that are installed and have one, those of other people behind ours."""
    offered = [builder for builder in hierarchies.builders().values() if builder.has_form]
    return _list_forms(tuple(sorted(offered, key=lambda builder: (builder.rank, builder.name))))


@cache
def _list_forms(builders: tuple[type[hierarchies.Builder], ...]) -> Mapping[str, Wizard]:
    return {builder.name: Wizard.of(builder) for builder in builders}


def _find_plain_kind(kind: str) -> str:
    found = kind.partition(" ")[0]
    return {"timestamp": "date"}.get(found, found)


def parse_answers(words: str) -> tuple[str, dict[str, str]]:
    """Read the words of a builder back into the answers of its form.

    Examples
    --------
    >>> parse_answers("intervals:5,10:top=90")
    ('intervals', {'width': '5,10', 'top': '90'})
    """
    name, *parts = words.split(":")
    questions = list_wizards()[name].questions if name in list_wizards() else ()
    known = {one.name for one in questions}
    main = next((one.name for one in questions if one.is_main), "")
    answers: dict[str, str] = {}
    last = main
    for part in parts:
        option, is_option, text = part.partition("=")
        if is_option and option in known:
            answers[option], last = text, option
        elif last:
            answers[last] = f"{answers[last]}:{part}" if last in answers else part
    return name, answers
