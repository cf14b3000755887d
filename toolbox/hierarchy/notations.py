"""The notations in which people keep hierarchies as text: which one a file is in, its rows, and outlines as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from toolbox.errors import ConfigurationError, Fault, quote, suggest_notation
from toolbox.hierarchy.builders.texts import Tree, find_parents
from toolbox.hierarchy.hierarchy import ROOT
from toolbox.hierarchy.outline import Outline
from toolbox.hierarchy.rows import Row, is_header, read_text, require_table, split_rows
from toolbox.messages import choose_setting_name, mark, say, say_count

Notation = Literal["arx", "utd", "rules", "child-parent"]
NOTATIONS: Final[tuple[Notation, ...]] = get_args(Notation)
UTD: Final = "utd"
"""The notation in which the XML of a configuration writes a hierarchy."""
_NEEDS_QUOTES = re.compile(r'[;,"\t\r\n]|^\s|\s$')
_MARK = "\ufeff"
"""A file that begins with it loses it, as it may be the mark of UTF-8; so it is written twice."""
_WIDTH = 2
ARROW: Final = "=>"
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_BREAKS = re.compile(r"[\r\n]")


class ReadRows(NamedTuple):
    """What a file holds."""

    rows: list[Row]
    note: str
    """What its author should know of how it was read; may be empty."""


def guess_notation(path: Path) -> Notation:
    """Guess the notation of a file from its content.

    Raises
    ------
    ConfigurationError
        If it cannot be read as text.
    """
    text = read_text(path)
    if text.lstrip().startswith("<"):
        return UTD
    if _is_rules(text):
        return "rules"
    return "child-parent" if _is_child_parent(split_rows(text, str(path))) else "arx"


def read_notation(
    paths: Sequence[Path], notation: Notation, *, header: bool | None = None, name: str | None = None
) -> ReadRows:
    """Read rows of a value and its labels, in any notation except XML.

    Parameters
    ----------
    paths : sequence of Path, length >= 1
        Several only for rules, a level each.
    header : bool, optional
        Whether the first line names columns.
    name : str, optional
        Of the column, with which a header may begin.

    Raises
    ------
    ConfigurationError
        With all faults of the file, by line.
    """
    source = str(paths[0])
    if notation == "rules":
        files = [RuleFile(str(path), read_text(path)) for path in paths]
        return ReadRows(parse_rules(files, " and ".join(map(str, paths))), "")
    rows = split_rows(read_text(paths[0]), source)
    if notation == "child-parent":
        found = _convert_pairs(rows, source, header=header)
        is_added = found[0].fields[-1] not in {row.fields[-1] for row in rows}
        return ReadRows(found, say("Several texts have no parent: a root * is put above them.") if is_added else "")
    rows = require_table(rows, source)
    told = choose_setting_name("Write --header yes or --header no.", python="Write header=True or header=False.")
    skips_first = is_header(rows, source, name, told) if header is None else header
    if not skips_first:
        return ReadRows(rows, "")
    if len(rows) == 1:
        problem = say("The file has a header, and no row.")
        raise ConfigurationError(source, [Fault(rows[0].line, problem, say("Write a row per value."))])
    otherwise = choose_setting_name("--header no", python="header=False")
    note = mark("Line %(line)s is taken for a header, and left out. %(setting)s takes it for a row.")
    told_so = "" if header else say(note, line=str(rows[0].line), setting=otherwise)
    return ReadRows(require_table(rows[1:], source), told_so)


def format_outline_table(outline: Outline) -> str:
    r"""Write an outline as a table, the root last.

    Examples
    --------
    >>> format_outline_table(Outline("*", (Outline("Styria", values=("Graz", "Bad Aussee; Altaussee")),)))
    'Graz;Styria;*\n"Bad Aussee; Altaussee";Styria;*\n'
    """
    return join_rows(outline.paths())


def join_rows(rows: Iterable[Sequence[str]]) -> str:
    """Write rows between semicolons, with quotes where a text needs them."""
    text = "".join(f"{';'.join(map(_quote_text, row))}\n" for row in rows)
    return _MARK + text if text.startswith(_MARK) else text


def _quote_text(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def _is_child_parent(rows: Sequence[Row]) -> bool:
    """Return whether rows look like children and parents: some parent is a child itself, and none its own."""
    if not rows or any(len(row.fields) != _WIDTH or row.fields[0] == row.fields[1] for row in rows):
        return False
    return not {row.fields[0] for row in rows}.isdisjoint(row.fields[1] for row in rows)


def _convert_pairs(pairs: Sequence[Row], source: str, *, header: bool | None = None) -> list[Row]:
    """Turn children and their parents into rows of a value and its labels, as the builder ``tree`` does.

    A value is a child that is no parent. Where it lies less deep than others, it stands on the levels between as it is.
    Several texts without a parent get one, ``*``.

    Parameters
    ----------
    header : bool, optional
        Whether the first row is left out; without it, if it says child and parent.

    Raises
    ------
    ConfigurationError
        If a row has no two fields, a child has two parents, or is its own parent by any way; with all faults.

    Examples
    --------
    >>> pairs = [("Graz", "Styria"), ("Styria", "Austria"), ("Wien", "Austria")]
    >>> for row in _convert_pairs([Row(line, pair) for line, pair in enumerate(pairs, start=1)], "places"):
    ...     print(row)
    Row(line=1, fields=('Graz', 'Styria', 'Austria'))
    Row(line=3, fields=('Wien', 'Wien', 'Austria'))
    """
    parents = find_parents(pairs, source, header=header)
    lines = {row.fields[0]: row.line for row in reversed(pairs)}
    paths = Tree(parents=parents).paths({})
    return [Row(lines[value], (value, *labels)) for value, labels in paths.items()]


def format_outline_pairs(outline: Outline, source: str) -> str:
    r"""Write an outline as rows of a child and its parent, parents last.

    Where a label stands on several levels one above the other, it is one node.

    Raises
    ------
    ConfigurationError
        With each text that stands for two nodes, as no row could tell which one is meant.

    Examples
    --------
    >>> styria, vienna = Outline("Styria", values=("Graz",)), Outline("Wien", values=("Wien",))
    >>> format_outline_pairs(Outline("Austria", (styria, vienna)), "places")
    'Graz;Styria\nStyria;Austria\nWien;Austria\n'
    """
    parents: dict[str, str] = {}
    faults: dict[str, Fault] = {}
    for path in outline.paths():
        names = [name for name, above in zip(path, (*path[1:], None), strict=True) if name != above]
        for child, parent in pairwise(names):
            if parents.setdefault(child, parent) != parent or child == outline.label:
                faults[child] = _make_ambiguity_fault(child)
        if len(names) == 1:
            faults[names[0]] = _make_ambiguity_fault(names[0])
        for blank in (name for name in names[:-1] if not name.strip()):
            problem = say("A blank text is no child, with which a row of a child and its parent begins.")
            faults[blank] = Fault(0, problem, suggest_notation("arx or utd"))
    labels = set(parents.values())
    faults |= {value: _make_ambiguity_fault(value) for value in outline.list_all_values() if value in labels}
    if faults:
        raise ConfigurationError(source, list(faults.values()))
    return join_rows(parents.items())


def _make_ambiguity_fault(name: str) -> Fault:
    problem = mark("%(name)s stands for two nodes, which rows of a child and its parent cannot tell apart.")
    return Fault(0, say(problem, name=quote(name)), suggest_notation("arx, utd or rules"))


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


def _is_rules(text: str) -> bool:
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
        faults.append(Fault(0, say("There is no rule."), say("Write a rule in each line: 17,18,19 => 15-19.")))
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
    example = say("Write values, an arrow and their label: 17,18,19 => 15-19.")
    if not arrow or ARROW in right:
        found = say("The rule has several arrows =>.") if arrow else say("The rule has no arrow =>.")
        faults.append(Fault(line, found, example, file))
    elif not all(names) and right.strip():
        faults.append(Fault(line, say("An empty value stands on the left of the arrow."), example, file))
    elif not right.strip():
        faults.append(Fault(line, say("No label stands on the right of the arrow."), example, file))
    elif "\0" in text:
        found = say("The rule holds the control character U+0000.")
        faults.append(Fault(line, found, say("Remove it."), file))
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
                problem = mark("%(name)s has a rule in line %(line)s already.")
                found = say(problem, name=quote(name), line=str(lines[name]))
                faults.append(rule.fault(found, say("Keep one of them.")))
            elif name in labels and name != rule.label:
                problem = mark("%(name)s is the label of line %(line)s, on the same level.")
                found = say(problem, name=quote(name), line=str(labels[name].line))
                faults.append(rule.fault(found, say("Put an empty line before the rules of the next level.")))
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
                problem = say(
                    "%(name)s is neither a value, which a rule of level 1 has, nor a label of level %(level)s.",
                    name=quote(name),
                    level=number - 1,
                )
                remedy = say("Correct it; or remove the empty line above, if one level is meant.")
                faults.append(rule.fault(problem, remedy))
            for index in indices:
                first = found.setdefault(index, rule)
                if first is not rule:
                    again = mark("%(name)s has a rule of level %(level)s in line %(line)s already.")
                    problem = say(again, name=quote(name), level=number, line=str(first.line))
                    faults.append(rule.fault(problem, say("Keep one of them.")))
    missing = [rows[index][1][0] for index in range(len(rows)) if index not in found]
    if missing:
        problem = say_count(
            "%(name)s has no rule on level %(level)s.",
            "%(name)s and %(more)s more have no rule on level %(level)s.",
            len(missing),
            **{"name": quote(missing[0]), "more": len(missing) - 1, "level": number},
        )
        remedy = say("Write one, or give them their label of the level below again.")
        faults.append(level[0].fault(problem, remedy))
    for index, (_, fields) in enumerate(rows):
        fields.append(found[index].label if index in found else "")


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
    if outline.label == ROOT and width > 1 and len({path[width - 1] for path in paths}) > 1:
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
            problem = mark("Rules cannot say %(text)s, which is a value, and the label of others on level 1.")
            yield Fault(0, say(problem, text=quote(text)), remedy)
    for text in dict.fromkeys(text for path in paths for text in path):
        reasons = [say("an arrow =>")] if ARROW in text else []
        reasons += [say("a comma")] if "," in text and text in values else []
        reasons += [say("a line break")] if _BREAKS.search(text) else []
        reasons += [say("a blank at its end")] if text != text.strip() else []
        if reasons:
            problem = mark("Rules cannot say %(text)s, which has %(reasons)s.")
            told = reduce(lambda one, other: say("%(one)s and %(other)s", one=one, other=other), reasons)
            yield Fault(0, say(problem, text=quote(text), reasons=told), remedy)
