"""What `toolbox hierarchy` says: a hierarchy with its levels, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from rich.console import Console
from rich.markup import escape

from toolbox.errors import choose_first_by_kind, shorten_text
from toolbox.hierarchy.checking import Coverage, Finding
from toolbox.hierarchy.outline import Outline
from toolbox.messages import format_count
from toolbox.report.console import ConsoleReport, ResultTable, make_table, print_notes

# What `toolbox hierarchy` says: a hierarchy with its levels, and what is wrong with one.


@dataclass(frozen=True, kw_only=True, repr=False)
class HierarchyReport(ConsoleReport):
    """A hierarchy to look at."""

    name: str
    """Its file, or the configuration and the column."""
    kind: Literal["number", "category"]
    outline: Outline
    coverage: Coverage | None = None
    """What the data say of it; None where none are named."""
    shows_values: bool = True
    """Whether its values are shown, and not only counted."""
    notes: tuple[str, ...] = ()
    """What its author should know of how it was read."""

    def records(self) -> dict[int, int] | None:
        """Return the records below each label, by the `id` of its outline; None without data."""
        if self.coverage is None:
            return None
        found: dict[int, int] = {}
        _add_records(self.outline, self.coverage.records, found)
        return found

    def headline(self) -> str:
        """Return the most important facts in one line."""
        return f"{self.name}: {_format_size(self.outline)}"

    def show_on(self, console: Any, *, depth: int | None = None, whole: bool = False) -> None:
        """Print the levels and the picture of the tree on a console of rich.

        Parameters
        ----------
        depth : int, optional
            How many levels below the root to draw; by default as many as fit on a screen or two.
        whole : bool
            Whether to leave nothing out.
        """
        picture = choose_depth(self.outline)
        if depth is not None:
            picture = Picture(depth)
        if whole:
            picture = Picture(self.outline.height if depth is None else depth, None)
        picture = replace(picture, lists_values=self.shows_values)
        print_hierarchy(
            console,
            headline=self.headline(),
            outline=self.outline,
            picture=picture,
            coverage=self.coverage,
            records=self.records(),
            notes=self.notes,
        )

    def document(self) -> dict[str, Any]:
        """Return the JSON document of ``hierarchy show``; its names are stable."""
        return {
            "name": self.name,
            "kind": self.kind,
            "values": len(self.outline.list_all_values()),
            "levels": [len(nodes) for nodes in self.outline.levels()],
            "is_uniform": self.outline.is_uniform,
            "tree": _build_tree_document(self.outline, self.records(), shows_values=self.shows_values),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, kw_only=True, repr=False)
class HierarchyCheck(ConsoleReport):
    """What is wrong with a hierarchy, and what is worth knowing of it."""

    name: str
    outline: Outline | None
    """None if it could not be read."""
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether it has no fault."""
        return not any(finding.is_fault for finding in self.findings)

    def headline(self) -> str:
        """Return the most important facts in one line."""
        faults = sum(finding.is_fault for finding in self.findings)
        size = "" if self.outline is None else f"{_format_size(self.outline)}; "
        return f"{self.name}: {size}{format_count(faults, 'fault') if faults else 'no fault'}"

    def show_on(self, console: Any) -> None:
        """Print the findings on a console of rich, faults first."""
        print_hierarchy_check(console, self.headline(), self.findings)

    def document(self) -> dict[str, Any]:
        """Return the JSON document of ``hierarchy check``; its names are stable."""
        return {
            "name": self.name,
            "holds": self.holds,
            "values": None if self.outline is None else len(self.outline.list_all_values()),
            "levels": None if self.outline is None else [len(nodes) for nodes in self.outline.levels()],
            "findings": [asdict(finding) for finding in self.findings],
        }


def _format_size(outline: Outline) -> str:
    levels = format_count(outline.height, "level")
    values = len(outline.list_all_values())
    return f"{format_count(values, 'value')} below {levels}" if values else levels


def _add_records(node: Outline, by_value: Mapping[str, int], found: dict[int, int]) -> int:
    own = sum(by_value.get(value, 0) for value in node.values)
    found[id(node)] = own + sum(_add_records(child, by_value, found) for child in node.children)
    return found[id(node)]


def _build_tree_document(node: Outline, records: dict[int, int] | None, *, shows_values: bool) -> dict[str, Any]:
    own: dict[str, Any] = {"label": node.label}
    if records is not None:
        own["records"] = records[id(node)]
    if node.children:
        own["children"] = [_build_tree_document(child, records, shows_values=shows_values) for child in node.children]
    if node.values and shows_values:
        own["values"] = list(node.values)
    return own


# The tables of `toolbox hierarchy`: the levels, the picture of the tree, and the findings of a check.

_MOST_LABELS = 3


def print_hierarchy(
    console: Console,
    *,
    headline: str,
    outline: Outline,
    picture: Picture,
    coverage: Coverage | None,
    records: dict[int, int] | None,
    notes: Sequence[str],
) -> None:
    """Print the levels and the picture of the tree; `HierarchyReport` explains the figures."""
    console.print(f"[bold]hierarchy[/]  {escape(headline)}", soft_wrap=True)
    if coverage and coverage.uncovered:
        lacking = format_count(len(coverage.uncovered), "value")
        of = format_count(sum(coverage.uncovered.values()), "record")
        console.print(f"[bold]lacking[/]    {lacking} of {of}")
    console.print()
    console.print(_make_levels_table(outline, shows_values=picture.lists_values))
    for line in picture.lines(outline, records):
        console.print(escape(line), soft_wrap=True)
    console.print()
    print_notes(console, (*notes, *_list_left_out(outline, picture)))


def _list_left_out(outline: Outline, picture: Picture) -> list[str]:
    deepest = outline.height - (0 if outline.list_all_values() and picture.lists_values else 1)
    if picture.depth >= deepest:
        return []
    shown = format_count(picture.depth, "level")
    return [f"The picture shows {shown} below the root, of {deepest}. --depth N shows more, --all everything."]


def _make_levels_table(outline: Outline, *, shows_values: bool) -> ResultTable:
    table = make_table("levels", "level", "labels", "such as", numbers=frozenset({0, 1}))
    values = outline.list_all_values()
    if values:
        table.add_row("0", f"{len(values):,}", _format_examples(values if shows_values else []))
    for level, nodes in enumerate(outline.levels(), start=1):
        table.add_row(f"{level}", f"{len(nodes):,}", _format_examples([node.label for node in nodes]))
    return table


def _format_examples(labels: list[str]) -> str:
    return ", ".join(map(escape_label, labels[:_MOST_LABELS])) + (", .." if len(labels) > _MOST_LABELS else "")


def print_hierarchy_check(console: Console, headline: str, findings: Sequence[Finding]) -> None:
    """Print the findings, faults first; `HierarchyCheck` explains them."""
    console.print(f"[bold]hierarchy[/]  {escape(headline)}", soft_wrap=True)
    ordered = sorted(findings, key=lambda finding: not finding.is_fault)
    for finding, more in choose_first_by_kind(ordered, lambda finding: f"{finding.kind} {finding.is_fault}"):
        title = "[red]fault[/]  " if finding.is_fault else "[yellow]remark[/] "
        console.print(f"{title}{escape(str(finding))}", soft_wrap=True)
        if more:
            console.print(f"       {more}")


# The picture of a hierarchy in lines of text; what is left out of a wide one is counted.

WIDEST = 8
"""Labels or values of one label that are shown, unless all are wanted."""
_MOST_LINES = 60


@dataclass(frozen=True)
class Picture:
    r"""How much of an outline is drawn.

    Parameters
    ----------
    depth : int
        How many levels below the root.
    widest : int, optional
        How many labels or values below one label; None: all.
    lists_values : bool
        Whether values are shown, or counted only.

    Examples
    --------
    >>> styria = Outline("Styria", values=("Graz", "Leoben"))
    >>> tree = Outline("Austria", (styria, Outline("Vienna", values=("Wien",))))
    >>> print("\n".join(Picture(depth=1).lines(tree)))
    Austria  3 values
    ├── Styria  2 values
    └── Vienna  1 value
    >>> print("\n".join(Picture(depth=2, widest=1).lines(tree)))
    Austria  3 values
    ├── Styria  2 values: Graz and 1 more
    └── and 1 more: 1 value
    """

    depth: int
    widest: int | None = WIDEST
    lists_values: bool = True

    def lines(self, outline: Outline, records: dict[int, int] | None = None) -> list[str]:
        """Draw an outline.

        Parameters
        ----------
        records : dict, optional
            The records below each label, by its `id`.
        """
        sizes = dict(_count_values_below(outline))
        return list(self._lines(outline, self.depth, ("", ""), sizes, records))

    def _lines(
        self, node: Outline, depth: int, lead: tuple[str, str], sizes: dict[int, int], records: dict[int, int] | None
    ) -> Iterator[str]:
        first, rest = lead
        values = f": {self._listed(node.values)}" if depth and node.values and self.lists_values else ""
        yield f"{first}{escape_label(node.label)}{_format_amount([node], sizes, records)}{values}"
        if not depth:
            return
        shown, more = self._cut(node.children)
        for position, child in enumerate(shown, start=1):
            is_last = position == len(shown) and not more
            here, below = ("└── ", "    ") if is_last else ("├── ", "│   ")
            yield from self._lines(child, depth - 1, (rest + here, rest + below), sizes, records)
        if more:
            amount = _format_amount(more, sizes, records).strip()
            yield f"{rest}└── and {len(more):,} more{': ' if amount else ''}{amount}"

    def _cut(self, children: Sequence[Outline]) -> tuple[Sequence[Outline], Sequence[Outline]]:
        most = len(children) if self.widest is None else self.widest
        return children[:most], children[most:]

    def _listed(self, values: Sequence[str]) -> str:
        most = len(values) if self.widest is None else self.widest
        more = len(values) - most
        return ", ".join(map(escape_label, values[:most])) + (f" and {more:,} more" if more > 0 else "")


def choose_depth(outline: Outline) -> Picture:
    """Return the deepest picture that fits on a screen or two; one level is always shown."""
    for depth in range(outline.height, 1, -1):
        picture = Picture(depth)
        if len(picture.lines(outline)) <= _MOST_LINES:
            return picture
    return Picture(1)


def escape_label(text: str) -> str:
    """Escape texts that a terminal would run as commands, and cut very long ones."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in shorten_text(text))


def _count_values_below(outline: Outline) -> Iterator[tuple[int, int]]:
    """Yield the `id` of each label, with the values below it."""

    def size(node: Outline) -> int:
        found[id(node)] = len(node.values) + sum(map(size, node.children))
        return found[id(node)]

    found: dict[int, int] = {}
    size(outline)
    yield from found.items()


def _format_amount(nodes: Sequence[Outline], sizes: dict[int, int], records: dict[int, int] | None) -> str:
    """Say how many values, and how many records, are below labels; nothing where values are not listed."""
    values = sum(sizes[id(node)] for node in nodes)
    parts = [format_count(values, "value")] if values else []
    if records is not None:
        parts.append(format_count(sum(records[id(node)] for node in nodes), "record"))
    return "  " + ", ".join(parts) if parts else ""
