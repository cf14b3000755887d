"""Attributes: the ``att`` elements below ``id``, ``qid`` and ``sens``, with the column that each names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar, cast, get_args

from lxml import etree

from toolbox.config import values
from toolbox.config.built_columns import declare_builder, find_unfit_kind
from toolbox.config.model import Attribute, Column, Kind, MethodFacts, QuasiIdentifier, find_levels_fault
from toolbox.config.reading.hierarchies import TreeReader, read_built, read_categories, read_file
from toolbox.config.xml.document import find_line, read_attribute
from toolbox.errors import Findings, quote
from toolbox.hierarchy.builders.builder import Other
from toolbox.hierarchy.date_formats import Period
from toolbox.hierarchy.faults import find_depth_faults
from toolbox.hierarchy.hierarchy import ROOT, CodeBook, Hierarchy
from toolbox.messages import choose_setting_name

# Columns: which one an ``att`` names, and that none is declared twice.


def read_column(att: etree._Element, *, has_names: bool, findings: Findings) -> Column:
    """Return the column of one ``att``.

    Parameters
    ----------
    att : element
    has_names : bool
        Whether the input names its columns, so that a name alone finds one.
    findings : Findings
        A column without index and name comes with a fault.
    """
    index = read_attribute(att, "index")
    name = att.get("name")
    line = find_line(att)
    if name is not None and not name.strip():
        findings.fault(line, f"name={quote(name)} is empty.", "Write the column's header, or remove name=.")
        name = None
    elif index is None and name is None:
        findings.fault(line, "<att> names no column.", "Add index='...', the column's position from 0, or name='...'.")
    if index is None and name is not None and not has_names:
        problem = f"The column {quote(name)} is named by its header, but the input has none."
        findings.fault(line, problem, "Add index='...', or header='true' to <input> if its first line holds the names.")
    position = findings.read(index, partial(values.parse_integer, minimum=0), None)
    return Column(index=position, name=name, line=line)


def check_distinct(sections: Iterable[tuple[str, Column]], findings: Findings) -> None:
    """Note each column that an earlier ``att`` of any section has declared already."""
    seen: dict[int | str, tuple[str, Column]] = {}
    for section, column in sections:
        # A column without a name is called by its index, which no other may have for a name.
        for key in (column.index, str(column)):
            if key is None:
                continue
            before, first = seen.setdefault(key, (section, column))
            if first is not column:
                what = f"name {quote(key)}" if isinstance(key, str) else f"column {key}"
                problem = (
                    f"The {what} is declared twice: in line {first.line} ({before}) and line {column.line} ({section})."
                )
                findings.fault(column.line, problem, "Keep one of the two.")
                break


# Attributes: the ``att`` elements below ``id``, ``qid`` and ``sens``, with their maps and hierarchies.

_Attribute = TypeVar("_Attribute", bound=Attribute)

PASS = "pass"
"""The treatment of a released column that names none."""
_OF_QUASI_IDENTIFIERS = ("hierarchy", "priority", "weight", "minLevel", "maxLevel")


@dataclass(frozen=True)
class Sections:
    """The declared columns, in the order of the file."""

    identifiers: tuple[Column, ...]
    """With those of the person."""
    person: tuple[Column, ...]
    quasi_identifiers: tuple[QuasiIdentifier, ...]
    sensitive: tuple[Attribute, ...]
    treated: tuple[tuple[Column, str], ...] = ()
    """Columns that are released record by record, each with the text of its treatment."""

    def columns(self) -> list[tuple[str, Column]]:
        """List all columns, each with the element that it stands in."""
        return [
            *(("person" if column in self.person else "id", column) for column in self.identifiers),
            *(("qid", attribute.column) for attribute in self.quasi_identifiers),
            *(("sens", attribute.column) for attribute in self.sensitive),
            *(("released", column) for column, _ in self.treated if column not in self.identifiers),
        ]


@dataclass(frozen=True)
class AttributeReader:
    """Reads attributes; the findings take what is wrong with them."""

    folder: Path
    """Where relative paths start."""
    has_names: bool
    """Whether the input names its columns."""
    method: MethodFacts | None
    """None if it is unknown."""
    findings: Findings

    def read_sections(self, root: etree._Element) -> Sections:
        """Return all columns of a configuration."""
        identifiers, person = self._read_identifiers(root)
        self._refuse_treatments(root)
        return Sections(
            identifiers=identifiers,
            person=person,
            quasi_identifiers=tuple(self.quasi_identifier(att) for att in root.iterfind("qid/att")),
            sensitive=tuple(self.sensitive(att) for att in root.iterfind("sens/att")),
            treated=self._read_treated(root, identifiers),
        )

    def _read_treated(self, root: etree._Element, identifiers: Sequence[Column]) -> tuple[tuple[Column, str], ...]:
        """Return the columns that are released record by record, with those identifiers that are treated."""
        known = {(column.index, column.name): column for column in identifiers}
        treated: dict[Column, str] = {}
        for att in (*root.iterfind("id/att[@treat]"), *root.iterfind("person/att[@treat]")):
            column = self._find_column(att)
            column = known.get((column.index, column.name), column)
            text = att.get("treat", PASS)
            if treated.setdefault(column, text) != text:
                problem = f"{column} has two treatments, in <id> and in <person>."
                self.findings.fault(find_line(att), problem, "Write one of them.")
        return (
            *treated.items(),
            *((self.identifier(att), att.get("treat", PASS)) for att in root.iterfind("released/att")),
        )

    def _find_column(self, att: etree._Element) -> Column:
        """Return the column of an ``att`` that was read before, whose faults are noted."""
        return read_column(att, has_names=self.has_names, findings=Findings())

    def _refuse_treatments(self, root: etree._Element) -> None:
        """Note treatments of columns that are judged: the proof is about what was read or generalised, nothing else."""
        generalised = root.findall("qid/att[@treat]")
        for att in (*generalised, *root.iterfind("sens/att[@treat]")):
            column = self._find_column(att)
            if att in generalised:
                problem = f"{column} is a quasi-identifier, which is generalised and judged as it is released."
                remedy = choose_setting_name(
                    "Remove treat=, and write a <vgh> that makes it wider: build='intervals' or 'prefix', say.",
                    options=f"Leave out --treat, and write --hierarchy {column}=intervals:1000 or prefix:3,1, say.",
                )
            else:
                problem = f"{column} is sensitive, and the proof counts its values as they were read."
                remedy = choose_setting_name(
                    "Remove treat=, or move the <att> to <released>, where nothing protects it.",
                    options="Leave out --treat, or do not name it in --sensitive.",
                )
            self.findings.fault(find_line(att), f"{read_attribute(att, 'treat')} is not possible: {problem}", remedy)

    def _read_identifiers(self, root: etree._Element) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
        """Return the columns that are dropped, and those of them that tell persons apart, which may stand in both."""
        listed = [self.identifier(att) for att in root.iterfind("id/att")]
        known = {(column.index, column.name): column for column in listed}
        told = [self.identifier(att) for att in root.iterfind("person/att")]
        person = tuple(known.get((column.index, column.name), column) for column in told)
        return (*listed, *(column for column in person if column not in listed)), person

    def identifier(self, att: etree._Element) -> Column:
        """Return a column that is dropped; its other attributes are checked and ignored."""
        unused = [name for name in ("type", "format", *_OF_QUASI_IDENTIFIERS) if name in att.attrib]
        self._warn_unused(att, unused + ["map"] * (att.find("map") is not None))
        self._rank(att)
        return self._attribute(att).column

    def sensitive(self, att: etree._Element) -> Attribute:
        """Return a sensitive attribute with its hierarchy, by which distances are measured."""
        self._warn_unused(att, [name for name in _OF_QUASI_IDENTIFIERS if name in att.attrib])
        self._rank(att)
        return self._add_hierarchy(self._attribute(att), att)

    def quasi_identifier(self, att: etree._Element) -> QuasiIdentifier:
        """Return a quasi-identifier with its hierarchy."""
        plain = self._attribute(att)
        priority, weight = self._rank(att)
        bare = QuasiIdentifier(
            column=plain.column,
            kind=plain.kind,
            format=plain.format,
            categories=plain.categories,
            ordered=plain.ordered,
            priority=priority,
            weight=weight,
            periods=self._periods(plain, att),
        )
        if att.find("vgh") is None:
            self._require_hierarchy(bare)
            return self._add_levels(bare, att)
        complete = self._add_levels(self._add_hierarchy(bare, att), att)
        if complete.hierarchy is not None and self.method is not None and self.method.full_domain:
            self.findings.faults += find_depth_faults(complete.hierarchy, self.method.name)
        return complete

    def _attribute(self, att: etree._Element) -> Attribute:
        column = read_column(att, has_names=self.has_names, findings=self.findings)
        setting = read_attribute(att, "type")
        kind = self.findings.read(setting, partial(values.parse_word, known=get_args(Kind)), None)
        form = self._format(att, kind)
        mapping = att.find("map")
        if mapping is None:
            return Attribute(column=column, kind=cast("Kind | None", kind), format=form)
        if kind not in (None, "category"):
            has = choose_setting_name("a map", options="an order (--ordered)")
            self.findings.fault(find_line(mapping), f"{column} has {setting}, and {has}.", "Remove one of them.")
        ordered = self.findings.read(read_attribute(mapping, "ordered"), values.parse_boolean, False)
        categories = read_categories(mapping, self.findings)
        return Attribute(column=column, kind="category", categories=categories, ordered=ordered)

    def _format(self, att: etree._Element, kind: str | None) -> str | None:
        """Return how dates are written."""
        setting = read_attribute(att, "format")
        if setting is not None and kind not in ("date", "timestamp"):
            self.findings.fault(setting.line, f"{setting} is only for dates.", "Write type='date' or 'timestamp'.")
            return None
        return self.findings.read(setting, partial(values.parse_date_format, with_time=kind == "timestamp"), None)

    def _periods(self, plain: Attribute, att: etree._Element) -> tuple[Period, ...]:
        """Return to what dates are generalised."""
        setting = read_attribute(att, "hierarchy")
        if setting is None:
            return ()
        if plain.kind in ("number", "category") or att.find("vgh") is not None:
            beside = "a <vgh>" if att.find("vgh") is not None else f"values that are no dates, but of type {plain.kind}"
            remedy = choose_setting_name(
                "Write a <vgh> for other values, and type='date' or 'timestamp' for dates.",
                options=f"Write --kind {plain.column}=date for dates, and another builder for other values.",
            )
            self.findings.fault(setting.line, f"{setting} cannot be combined with {beside}.", remedy)
        return self.findings.read(setting, values.parse_periods, ())

    def _rank(self, att: etree._Element) -> tuple[int | None, float | None]:
        priority = self.findings.read(read_attribute(att, "priority"), partial(values.parse_integer, minimum=1), None)
        return priority, self.findings.read(read_attribute(att, "weight"), values.parse_positive_real, None)

    def _add_levels(self, plain: QuasiIdentifier, att: etree._Element) -> QuasiIdentifier:
        """Return a quasi-identifier with the lowest and the highest level that a release may have of it."""
        lowest, highest = read_attribute(att, "minLevel"), read_attribute(att, "maxLevel")
        from_zero = partial(values.parse_integer, minimum=0)
        bounded = replace(
            plain,
            min_level=self.findings.read(lowest, from_zero, 0),
            max_level=self.findings.read(highest, from_zero, None),
        )
        said = highest or lowest
        if said is None:
            return plain
        if self.method is not None and not self.method.bounds_levels:
            remedy = "Leave it out, or choose Flash, OLA, MinGen, Incognito or Datafly."
            self.findings.fault(said.line, f"{said} means nothing to {self.method.name}.", remedy)
        if (fault := find_levels_fault(bounded)) is not None:
            self.findings.fault(said.line, *fault)
        return bounded

    def _add_hierarchy(self, bare: _Attribute, att: etree._Element) -> _Attribute:
        vgh = att.find("vgh")
        if vgh is None:
            return bare
        if "build" in vgh.attrib:
            return self._add_builder(bare, vgh, att)
        if bare.kind in ("date", "timestamp"):
            unfit = choose_setting_name("a <vgh>", options="a hierarchy of other values")
            problem = f"{bare.column} is a {bare.kind}, and has {unfit}."
            remedy = choose_setting_name(
                "Write hierarchy='month,year,decade' on <att> instead.",
                options=f"Write --hierarchy {bare.column}=dates:month,year,decade instead.",
            )
            self.findings.fault(find_line(vgh), problem, remedy)
            return bare
        other = self.findings.read(
            read_attribute(vgh, "other"), partial(values.parse_word, known=get_args(Other)), "error"
        )
        bare = replace(bare, other=cast("Other", other))
        return self._add_hierarchy_file(bare, vgh, att) if "file" in vgh.attrib else self._add_tree(bare, vgh, att)

    def _add_builder(self, bare: _Attribute, vgh: etree._Element, att: etree._Element) -> _Attribute:
        builder = read_built(vgh, self.folder, self.findings)
        if att.find("map") is not None:
            has = choose_setting_name("a map, and a <vgh> with build=", options="an order (--ordered), and a builder")
            problem = f"{bare.column} has {has}, which numbers the categories itself."
            self.findings.fault(
                find_line(vgh), problem, choose_setting_name("Remove one of them.", options="Leave one of the two out.")
            )
            return bare
        if builder is None:
            return bare
        if (unfit := find_unfit_kind(builder, bare.kind)) is not None:
            problem = f"{bare.column} is of type {bare.kind}, and build={quote(builder.name)} takes {builder.takes}."
            remedy = choose_setting_name(
                f"Write {unfit}, or another build=.",
                options=f"Choose another builder for --hierarchy {bare.column}, or write another --kind.",
            )
            self.findings.fault(find_line(vgh), problem, remedy)
            return bare
        return declare_builder(bare, builder)

    def _add_tree(self, bare: _Attribute, vgh: etree._Element, att: etree._Element) -> _Attribute:
        line = find_line(vgh)
        has_map = att.find("map") is not None
        if "header" in vgh.attrib:
            problem = "<vgh> has header=, and no file= that could have one."
            self.findings.fault(line, problem, "Remove it, or name a hierarchy file: file='...'.")
        if "value" not in vgh.attrib:
            self.findings.fault(
                line, "<vgh> has none of value=, file= and build=.", "Write value='[a:b]', file='...' or build='...'."
            )
        if bare.kind == "category" and not has_map:
            problem = f"{bare.column} is a category without a map, so that no interval can stand for its values."
            self.findings.fault(line, problem, "Add a <map>, or name a hierarchy file: <vgh file='...'/>.")
            return bare
        book = None if bare.categories is None else CodeBook.of(bare.categories)
        judges = book is not None or not has_map
        reader = TreeReader(book, judges, self.findings, has_gaps=bare.other == "root")
        tree = reader.read(vgh)
        if tree is not None and bare.other == "root" and "label" not in vgh.attrib:
            # What its author wrote does not take in what goes there from outside.
            tree = Hierarchy(replace(tree.root, label=ROOT))
        return replace(bare, kind=bare.kind or "number", hierarchy=tree)

    def _add_hierarchy_file(self, bare: _Attribute, vgh: etree._Element, att: etree._Element) -> _Attribute:
        setting = read_attribute(vgh, "file")
        beside = [f"{name}=" for name in ("value", "label") if name in vgh.attrib]
        beside += ["<node>"] * (vgh.find("node") is not None)
        if beside:
            problem = f"<vgh> has file=, and {' and '.join(beside)} as well."
            self.findings.fault(find_line(vgh), problem, "Keep the file or the hierarchy written here, not both.")
        if att.find("map") is not None:
            has = choose_setting_name("a map", options="an order (--ordered)")
            problem = f"{bare.column} has {has}, and a hierarchy file, which numbers the categories itself."
            remedy = choose_setting_name("Remove the <map>.", options="Leave one of the two out.")
            self.findings.fault(find_line(vgh), problem, remedy)
            return bare
        header, name = read_attribute(vgh, "header"), bare.column.name
        read = None
        if setting is not None:
            read = read_file(setting, self.folder, bare.kind, self.findings, header=header, name=name)
        if read is None:
            return bare
        return replace(bare, kind=read.kind, hierarchy=read.hierarchy, categories=read.categories, listed=read.listed)

    def _require_hierarchy(self, attribute_: QuasiIdentifier) -> None:
        is_date = attribute_.kind in ("date", "timestamp") or attribute_.periods
        if self.method is not None and self.method.full_domain and not is_date:
            problem = f"{attribute_.column} has no hierarchy, which {self.method.name} needs to generalise it."
            name = attribute_.column
            remedy = choose_setting_name(
                "Add a <vgh>, or use Mondrian, which needs none. Dates have one with type='date'.",
                options=f"Write --hierarchy {name}=FILE or {name}=auto, or use Mondrian, which needs none. "
                f"Dates have one with --kind {name}=date.",
            )
            self.findings.fault(attribute_.column.line, problem, remedy)

    def _warn_unused(self, att: etree._Element, names: Sequence[str]) -> None:
        if names:
            self.findings.warn(find_line(att), f"{', '.join(names)} means nothing here, and is ignored.")
