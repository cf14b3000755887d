"""The check of a hierarchy that can be read: labels, levels and depths that are not what their author meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolbox.errors import quote
from toolbox.hierarchy.finding import Finding, remark
from toolbox.hierarchy.outline import Outline
from toolbox.messages import counted


def outline_findings(
    outline: Outline,
    full_domain: Sequence[str] = (),
    *,
    quotes_values: bool = True,
) -> list[Finding]:
    """Check an outline.

    Parameters
    ----------
    outline : Outline
    full_domain : sequence of str
        The names of methods that generalise whole columns.
    quotes_values : bool
        Whether the values are those of the hierarchy, and not of somebody's data, so that a message may quote them.

    Returns
    -------
    list of Finding

    Examples
    --------
    >>> tree = Outline("*", (Outline("Styria", values=("Graz",)), Outline("Vienna", values=("Wien",))))
    >>> for finding in outline_findings(tree):
    ...     print(finding.kind, finding.text)
    level Level 1 joins nothing: each of its 2 labels stands for one value.
    """
    return [
        *_depths(outline, full_domain),
        *_levels(outline),
        *_two_meanings(outline, quotes_values=quotes_values),
        *_blanks(outline),
    ]


def _depths(outline: Outline, full_domain: Sequence[str]) -> Iterator[Finding]:
    height = outline.height
    shallow = [node for node, depth in outline.walk() if not node.children and depth + 1 < height]
    if shallow:
        labels = f"The label {quote(shallow[0].label)}" + (
            f" and {len(shallow) - 1:,} more" if len(shallow) > 1 else ""
        )
        refuse = f" Methods that generalise whole columns refuse that: {', '.join(full_domain)}." if full_domain else ""
        text = (
            f"{labels} {'have' if len(shallow) > 1 else 'has'} values directly below, others have labels there.{refuse}"
        )
        yield remark("depth", shallow[0].line, text)


def _levels(outline: Outline) -> Iterator[Finding]:
    """Yield a remark for each level that joins no two labels of the level below."""
    if not outline.is_uniform:
        return
    if not outline.children:
        yield remark(
            "root", 0, f"There is no level below the root {quote(outline.label)}: values stay, or are suppressed."
        )
        return
    for number, nodes in enumerate(outline.levels(), start=1):
        below = [len(node.children) + len(node.values) for node in nodes]
        if max(below) > 1 or not sum(below):
            continue
        names = [node.values[0] if node.values else node.children[0].label for node in nodes]
        what = "value" if number == 1 else f"label of level {number - 1}"
        if names == [node.label for node in nodes]:
            yield remark("level", 0, f"Level {number} changes nothing: it is as level {number - 1}. Leave it out.")
        elif len(nodes) == 1:
            yield remark("level", 0, f"Level {number} has one label, as level {number - 1} has. Leave one out.")
        else:
            yield remark(
                "level", 0, f"Level {number} joins nothing: each of its {len(nodes):,} labels stands for one {what}."
            )


def _two_meanings(outline: Outline, *, quotes_values: bool) -> Iterator[Finding]:
    """Yield a remark for each text that is a label of different sets of values, or a value and a label of more."""
    first: dict[str, Outline] = {}
    told: set[str] = set()
    for node, _ in outline.walk():
        same = first.setdefault(node.label, node)
        if node.label not in told and _bottom(same) is not _bottom(node):
            told.add(node.label)
            text = f"The label {quote(node.label)} stands for different values on two levels. Give one another name."
            yield remark("label", node.line, text)
    for node, _ in outline.walk() if quotes_values else ():
        for value in node.values:
            wider = first.get(value)
            if wider is None or value in told or (not wider.children and wider.values == (value,)):
                continue
            bottom = _bottom(wider)
            if bottom.children or bottom.values != (value,):
                told.add(value)
                text = f"{quote(value)} is a value, and a label of others: a release does not tell which it shows."
                yield remark("label", wider.line, f"{text} Give the label another name.")


def _bottom(node: Outline) -> Outline:
    """Return the lowest node that covers the same as a node."""
    while len(node.children) == 1 and not node.values:
        node = node.children[0]
    return node


def _blanks(outline: Outline) -> Iterator[Finding]:
    count = sum(value != value.strip() for value in outline.all_values())
    if count:
        begins = counted(count, "value begins or ends", "values begin or end")
        yield remark(
            "blank", 0, f"{begins} with a blank, and {'is' if count == 1 else 'are'} another value without it."
        )
    for label in dict.fromkeys(node.label for node, _ in outline.walk() if node.label != node.label.strip()):
        yield remark("blank", 0, f"The label {quote(label)} begins or ends with a blank.")
