"""The notation of PrioPrivacy: rules such as ``17,18,19 => 15-19``, those of one level together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from toolbox.errors import ConfigurationError, Fault, quote, suggest_notation
from toolbox.hierarchy.outline import Outline
from toolbox.hierarchy.rows import Row

ARROW: Final = "=>"
SUPPRESSED: Final = "*"
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_BREAKS = re.compile(r"[\r\n]")


class RuleFile(NamedTuple):
    """The text of a file of rules."""

    name: str
    text: str


@dataclass(frozen=True)
class _Rule:
    file: str
    line: int
    names: tuple[str, ...]
    label: str

    def fault(self, found: str, remedy: str) -> Fault:
        return Fault(self.line, found, remedy, self.file)


def is_rules(text: str) -> bool:
    """Return whether a text is written as rules: most of its lines have an arrow."""
    lines = [line for line in _LINE_BREAK.split(text) if line.strip()]
    return 2 * sum(ARROW in line for line in lines) > len(lines)


def parse_rules(files: Sequence[RuleFile], source: str) -> list[Row]:
    r"""Read rules into rows of a value and its labels.

    Several files hold a level each, the narrowest first, as PrioPrivacy has them. In one file an empty line ends a
    level. The rules of the first level name the values. Those above name them again, or the labels of the level below.

    Raises
    ------
    ConfigurationError
        With all faults of the rules, by file and line.

    Examples
    --------
    >>> ages = RuleFile("age.txt", "17,18 => 15-19\n21 => 20-24\n\n15-19,20-24 => 15-24")
    >>> for row in parse_rules([ages], "age.txt"):
    ...     print(row)
    Row(line=1, fields=('17', '15-19', '15-24'))
    Row(line=1, fields=('18', '15-19', '15-24'))
    Row(line=2, fields=('21', '20-24', '15-24'))
    """
    faults: list[Fault] = []
    several = len(files) > 1
    levels = [
        level for file in files for level in _parse_levels(file, file.name if several else "", faults, whole=several)
    ]
    if not levels and not faults:
        faults.append(Fault(0, "There is no rule.", "Write a rule in each line: 17,18,19 => 15-19."))
    rows: list[tuple[int, list[str]]] = []
    if levels:
        rows = _collect_ground(levels[0], faults)
        for number, level in enumerate(levels[1:], start=2):
            _add_level(rows, level, number, faults)
    if faults:
        raise ConfigurationError(source, faults)
    return [Row(line, tuple(fields)) for line, fields in rows]


def _parse_levels(file: RuleFile, name: str, faults: list[Fault], *, whole: bool) -> Iterator[list[_Rule]]:
    """Yield the rules of each level."""
    level: list[_Rule] = []
    for line, text in enumerate(_LINE_BREAK.split(file.text), start=1):
        if text.strip():
            level += _parse_rule_line(text, line, name, faults)
        elif level and not whole:
            yield level
            level = []
    if level:
        yield level


def _parse_rule_line(text: str, line: int, file: str, faults: list[Fault]) -> Iterator[_Rule]:
    left, arrow, right = text.partition(ARROW)
    names = tuple(name.strip() for name in left.split(","))
    example = "Write values, an arrow and their label: 17,18,19 => 15-19."
    if not arrow or ARROW in right:
        faults.append(Fault(line, f"The rule has {'several arrows' if arrow else 'no arrow'} =>.", example, file))
    elif not right.strip() or not all(names):
        side = "An empty value stands on the left" if right.strip() else "No label stands on the right"
        faults.append(Fault(line, f"{side} of the arrow.", example, file))
    elif "\0" in text:
        faults.append(Fault(line, "The rule holds the control character U+0000.", "Remove it.", file))
    else:
        yield _Rule(file, line, names, right.strip())


def _collect_ground(level: Sequence[_Rule], faults: list[Fault]) -> list[tuple[int, list[str]]]:
    """Return the values of the first level, each with its line and its label."""
    lines: dict[str, int] = {}
    rows = []
    labels = {rule.label: rule for rule in level if rule.names != (rule.label,)}
    for rule in level:
        for name in rule.names:
            if name in lines:
                faults.append(
                    rule.fault(f"{quote(name)} has a rule in line {lines[name]} already.", "Keep one of them.")
                )
            elif name in labels and name != rule.label:
                problem = f"{quote(name)} is the label of line {labels[name].line}, on the same level."
                faults.append(rule.fault(problem, "Put an empty line before the rules of the next level."))
            else:
                lines[name] = rule.line
                rows.append((rule.line, [name, rule.label]))
    return rows


def _add_level(rows: list[tuple[int, list[str]]], level: Sequence[_Rule], number: int, faults: list[Fault]) -> None:
    """Add the labels of one more level to all rows."""
    values = {fields[0]: index for index, (_, fields) in enumerate(rows)}
    below: dict[str, list[int]] = {}
    for index, (_, fields) in enumerate(rows):
        below.setdefault(fields[-1], []).append(index)
    found: dict[int, _Rule] = {}
    for rule in level:
        for name in rule.names:
            indices = [values[name]] if name in values else below.get(name, [])
            if not indices:
                problem = (
                    f"{quote(name)} is neither a value, which a rule of level 1 has, nor a label of level {number - 1}."
                )
                faults.append(rule.fault(problem, "Correct it; or remove the empty line above, if one level is meant."))
            for index in indices:
                first = found.setdefault(index, rule)
                if first is not rule:
                    problem = f"{quote(name)} has a rule of level {number} in line {first.line} already."
                    faults.append(rule.fault(problem, "Keep one of them."))
    missing = [rows[index][1][0] for index in range(len(rows)) if index not in found]
    if missing:
        problem = f"{_format_subject(missing)} no rule on level {number}."
        faults.append(level[0].fault(problem, "Write one, or give them their label of the level below again."))
    for index, (_, fields) in enumerate(rows):
        fields.append(found[index].label if index in found else "")


def _format_subject(values: Sequence[str]) -> str:
    if len(values) == 1:
        return f"{quote(values[0])} has"
    return f"{quote(values[0])} and {len(values) - 1:,} more have"


def format_rules(outline: Outline, source: str) -> str:
    r"""Write an outline as rules, an empty line between levels, with the values on the left of each.

    A root ``*`` above several labels is left out: PrioPrivacy suppresses instead.

    Raises
    ------
    ConfigurationError
        With each value and label that rules cannot say.

    Examples
    --------
    >>> young, old = Outline("young", values=("17", "18")), Outline("old", values=("90",))
    >>> format_rules(Outline("*", (young, old)), "age.csv")
    '17,18 => young\n90 => old\n'
    """
    return "\n".join(format_level_rules(outline, source))


def format_level_rules(outline: Outline, source: str, *, of_labels: bool = False) -> list[str]:
    """Write an outline as rules, a text for each level, as `format_rules` does.

    Parameters
    ----------
    of_labels : bool
        Whether labels of the level below stand on the left above the first level, where they mean nothing else.

    Raises
    ------
    ConfigurationError
        With each value and label that rules cannot say.
    """
    paths = list(outline.paths())
    faults = list(_find_unwritable_texts(paths))
    if faults:
        raise ConfigurationError(source, faults)
    width = outline.height
    if outline.label == SUPPRESSED and width > 1 and len({path[width - 1] for path in paths}) > 1:
        width -= 1
    values = {path[0] for path in paths}
    levels = []
    for level in range(1, width + 1):
        names: dict[str, dict[str, None]] = {}
        for path in paths:
            below = path[level - 1] if of_labels else path[0]
            # A value is read as itself, also where it is a label as well.
            name = path[0] if below in values or "," in below else below
            names.setdefault(path[level], {})[name] = None
        levels.append("".join(f"{','.join(left)} {ARROW} {label}\n" for label, left in names.items()))
    return levels


def _find_unwritable_texts(paths: Sequence[tuple[str, ...]]) -> Iterator[Fault]:
    """Yield a fault for each text that would be read as something else."""
    remedy = suggest_notation("arx, utd or child-parent")
    values = {path[0]: path[1] for path in paths}
    labels = {path[1] for path in paths}
    for text, label in values.items():
        if text in labels and text != label:
            problem = f"Rules cannot say {quote(text)}, which is a value, and the label of others on level 1."
            yield Fault(0, problem, remedy)
    for text in dict.fromkeys(text for path in paths for text in path):
        reasons = [f"an arrow {ARROW}"] if ARROW in text else []
        reasons += ["a comma"] if "," in text and text in values else []
        reasons += ["a line break"] if _BREAKS.search(text) else []
        reasons += ["a blank at its end"] if text != text.strip() else []
        if reasons:
            yield Fault(0, f"Rules cannot say {quote(text)}, which has {' and '.join(reasons)}.", remedy)
