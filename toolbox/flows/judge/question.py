"""The question about a table: its columns, from a configuration or from the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toolbox.config.built_columns import add_missing_category
from toolbox.config.file_names import add_suffix_to_stem, find_copies, has_types, list_existing_pieces, list_input_files
from toolbox.config.model import Attribute, Column, Config, Input, Limits, Output, QuasiIdentifier
from toolbox.config.reading.overrides import parse_limits
from toolbox.errors import InputError, UsageError, quote
from toolbox.flows.arguments.anonymize import add_ranks, declare_columns
from toolbox.flows.arguments.checks import (
    AS_SAID,
    Reading,
    SampleDesign,
    as_tuple,
    freeze_arguments,
    make_text_input,
    name_column_position,
)
from toolbox.flows.arguments.models import check_models, find_smallest_class, list_call_models
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.messages import choose_setting_name
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.registry import make_models, parse_requirement
from toolbox.queries.scales import Figures
from toolbox.store.input.layout import Layout, MissingValues
from toolbox.store.input.text_file import choose_wider_input, find_separator, guess_input, is_utf_8

# The question about a table: its quasi-identifiers and sensitive attributes, and how its files are read.


@dataclass(frozen=True, kw_only=True)
class Question:
    """The columns of a table that is judged, and what is known about them.

    Parameters
    ----------
    config : Config
        Declares the columns of the original table.
    models : tuple of PrivacyModel
        What the release claims to satisfy; may be empty.
    by_name : bool
        Whether columns have names only, which hold in every table.
    identifiers : tuple of str
        Columns by which records of one person are found, in the release or in the original records.
    """

    config: Config
    models: tuple[PrivacyModel, ...] = ()
    by_name: bool = False
    identifiers: tuple[str, ...] = ()
    """Names of columns that name people, where a table of the question has them."""
    person: tuple[str, ...] = ()
    """Names of the columns that tell persons apart, who are counted then where the release has these columns."""
    mark: str = ""
    """Without a configuration: the text of a missing value besides an empty one."""
    sample: SampleDesign = field(default_factory=SampleDesign)
    """How the records were drawn from a population, if that is known."""
    counts_roots: bool = False
    """Whether a record of roots is in a class like any other: of a child table none is shown as suppressed."""
    description: TableDescription | None = None
    """What a call says of the columns of all tables, and of child tables beside a configuration."""

    @property
    def quasi_identifiers(self) -> tuple[QuasiIdentifier, ...]:
        """Columns that an attacker may know."""
        return self.config.quasi_identifiers

    @property
    def sensitive(self) -> tuple[Attribute, ...]:
        """Columns that nobody shall learn."""
        return self.config.sensitive

    @property
    def unnamed_persons(self) -> tuple[str, ...]:
        """What to know where the configuration finds persons by a position, which is another one in a release."""
        if not self.config.person or self.person or self.by_name:
            return ()
        told = "so that records are counted here. Whoever has made the release has counted persons."
        return (f"{self.config.source} finds who the records are about by position, without a name, {told}",)

    def tell_unjudged_tables(self, judged: Collection[str]) -> Iterator[str]:
        """Say of which child tables of the configuration nothing is counted, and why.

        Parameters
        ----------
        judged : collection of str
            The names of those that are read.
        """
        for name, child in self.config.child_tables.items():
            known = ", ".join(str(each.column) for each in child.quasi_identifiers)
            called = f"The table {quote(name)} of {self.config.source}"
            naming = choose_setting_name(f"--table {name}=FILE", python=f"tables={{{name!r}: ..}}")
            if not known:
                yield f"{called} has no quasi-identifiers: nobody judges what its rows tell, and how many a person has."
            elif name not in judged:
                yield f"{called} is not read here ({known}). Name its release, {naming}, and it is judged as well."

    @property
    def roots(self) -> dict[str, tuple[str, ...]]:
        """The labels of the root of each hierarchy, also where it lists a missing value."""
        kept, declared = self.missing.kept, self.quasi_identifiers
        return {
            str(attribute.column): _list_root_labels(
                attribute, attribute if kept is None else add_missing_category(attribute, kept)
            )
            for attribute in declared
        }

    @property
    def missing(self) -> MissingValues:
        """How missing values of original records are read; without a configuration, as a value like any other."""
        return MissingValues(self.mark, "skip") if self.by_name else MissingValues.of(self.config)

    @property
    def figures(self) -> Figures:
        """How the original records write numbers where they are text."""
        declared = self.config.input
        return Figures() if declared is None else Figures(declared.decimal, declared.thousands)

    def set_number_notation(self, figures: Figures) -> Question:
        """Return the same question about records that write numbers so."""
        declared = self.config.input
        if declared is None:
            return self
        read = replace(declared, decimal=figures.decimal, thousands=figures.thousands, guesses_figures=False)
        return replace(self, config=replace(self.config, input=read))

    @property
    def smallest_class(self) -> int | None:
        """The k of the release, where it claims one."""
        return find_smallest_class(self.models, None)

    def require_k(self, k: int) -> Question:
        """Return the same question about a release that also claims k-anonymity."""
        named = make_models([parse_requirement(f"k-anonymity:k={k}")])
        return replace(self, models=tuple(dict.fromkeys((*named, *self.models))))

    @property
    def original(self) -> Input | None:
        """All files of the original records; None where no configuration names them."""
        declared = None if self.by_name else self.config.input
        return None if declared is None or declared.remote is not None else declared

    @property
    def is_anatomy(self) -> bool:
        """Whether the release consists of two tables, which only groups connect."""
        chosen = self.config.output.format
        return chosen.has_groups and self.config.compatibility.can_judge(chosen) and not self.by_name

    @property
    def release(self) -> Input | None:
        """The files of the release; for anatomy, those with the quasi-identifiers.

        None where no configuration names them.
        """
        return self.table(self.config.output.format.suffixes[0] if self.is_anatomy else "")

    def table(self, suffix: str) -> Input | None:
        """Return the files of one table of the release."""
        output = self.config.output
        if output.path is None:
            return None
        path = add_suffix_to_stem(output.path, suffix)
        pieces = list_existing_pieces(path) if output.split_size is not None else []
        first, *more = pieces or [path]
        return replace(self.input_of(first, is_release=True), more=tuple(more), table=None)

    def input_of(self, path: Path, *, is_release: bool = False) -> Input:
        """Return how a file is read that holds the original records, others of their kind, or a release."""
        declared, names = self.config.input, [str(attribute.column) for attribute in self.quasi_identifiers]
        file = find_copies(replace(declared or make_text_input(None, None), path=path, more=()))
        path = file.path
        if is_release and self.by_name and is_utf_8(path):
            file = replace(file, encoding="utf-8")
        elif is_release and declared is not None and not self.by_name:
            separator, has_header = self.config.release_separator, _has_header(declared)
            file = replace(file, separator=separator, encoding="utf-8", header=has_header)
            # Another program may have made it.
            return choose_wider_input(file, names) if has_header and path.is_file() else file
        return guess_input(file, names) if file.guesses_separator else file

    def add_sample(self, weight: str | None, fraction: float | None, household: str | None) -> Question:
        """Say how the records were drawn; what is said already stands where nothing else is said."""
        if weight is None and fraction is None and household is None:
            return self
        said = self.sample if weight is None and fraction is None else SampleDesign(weight=weight, fraction=fraction)
        sample = SampleDesign(weight=said.weight, fraction=said.fraction, household=household)
        if sample.is_declared and self.is_anatomy:
            raise UsageError(
                "The two tables of an anatomy show everybody by exact values, so that no class hides anybody in a "
                "population. Leave the sample out."
            )
        return replace(self, sample=sample)

    def add_sensitive(self, name: str) -> Question:
        """Add a sensitive attribute, unless it is declared already."""
        if name in {str(attribute.column) for attribute in self.sensitive}:
            return self
        more = Attribute(column=Column(index=None, name=name), kind=None)
        return replace(self, config=replace(self.config, sensitive=(*self.sensitive, more)))


def _list_root_labels(*forms: QuasiIdentifier) -> tuple[str, ...]:
    built = [form.builder.root for form in forms if form.builder]
    return tuple(dict.fromkeys([*built, *(form.hierarchy.root.label for form in forms if form.hierarchy)]))


def _has_header(original: Input) -> bool:
    """Return whether a release of these records has a header: a table with types always names its columns."""
    try:
        return original.header or has_types(list_input_files(original)[0])
    except InputError:
        return original.header or has_types(original.path)


# From a configuration, or from the arguments of a call, to the `Question` about a table.


@dataclass(frozen=True, kw_only=True)
class TableDescription:
    """The columns of a table and the format of its file, as a call describes them instead of a configuration.

    Parameters
    ----------
    weights : mapping of quasi-identifier to float, optional
        Share of each in weighted measures; 1 where nothing is said.
    models : sequence of PrivacyModel, optional
        What the release claims to satisfy.
    reading : Reading
        How files are read. A release that is UTF-8 is read so in any case: ours are.
    identifiers : sequence of str
        Columns that name people, by which records of one person are found.
    person : str or sequence of str
        Columns that tell persons apart, whom classes count.
    tables : mapping of str to table or dict
        Releases of child tables, whose columns are called after them.
    """

    quasi_identifiers: Sequence[object] = ()
    sensitive: Sequence[object] = ()
    hierarchies: Mapping[Any, Any] = field(default_factory=dict)
    kinds: Mapping[Any, str] = field(default_factory=dict)
    weights: Mapping[Any, float] = field(default_factory=dict)
    models: Sequence[PrivacyModel] = ()
    reading: Reading = AS_SAID
    identifiers: Sequence[object] = ()
    person: str | Sequence[object] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "person", as_tuple(self.person))
        freeze_arguments(
            self, ("quasi_identifiers", "sensitive", "identifiers"), ("hierarchies", "kinds", "weights", "tables")
        )
        object.__setattr__(self, "models", list_call_models(self.models))

    @property
    def said(self) -> list[str]:
        """The names of the arguments that are set."""
        own = [name for name, value in vars(self).items() if name not in ("reading", "tables") and value]
        return [*own, *self.reading.said]

    def in_file(self) -> TableDescription:
        """Return the same with the columns by their positions, if a file without a header is read."""
        if self.reading.header is not False:
            return self
        lists: dict[str, Any] = {
            name: [name_column_position(each) for each in getattr(self, name)]
            for name in ("quasi_identifiers", "sensitive")
        }
        dicts: dict[str, Any] = {
            name: {name_column_position(key): value for key, value in getattr(self, name).items()}
            for name in ("hierarchies", "kinds", "weights")
        }
        models = [
            replace(model, attribute=name_column_position(model.attribute)) if model.attribute is not None else model
            for model in self.models
        ]
        return replace(self, **lists, **dicts, models=models)

    def of_table(self, name: str, key: Sequence[object]) -> TableDescription:
        """Return what is said of a child table, whose columns are called after it: of ``visits.ward`` as ``ward``."""
        start = f"{name}."
        own = self._select(lambda column: column[len(start) :] if column.startswith(start) else None)
        return replace(own, identifiers=(), person=key, tables={})

    def without_tables(self) -> TableDescription:
        """Return what is said of the table of persons alone, without the columns of child tables."""
        starts = tuple(f"{name}." for name in self.tables)
        return self._select(lambda column: None if column.startswith(starts) else column) if starts else self

    def _select(self, rename: Callable[[str], str | None]) -> TableDescription:
        """Return what is said of some columns, by their new names; a column without one is left out."""
        lists: dict[str, Any] = {
            name: [new for each in getattr(self, name) if (new := rename(str(each))) is not None]
            for name in ("quasi_identifiers", "sensitive")
        }
        dicts: dict[str, Any] = {
            name: {new: value for each, value in getattr(self, name).items() if (new := rename(str(each))) is not None}
            for name in ("hierarchies", "kinds", "weights")
        }
        models = []
        for model in self.models:
            new = rename(model.attribute or "")
            if new is not None:
                models.append(model if model.attribute is None else replace(model, attribute=new))
        return replace(self, **lists, **dicts, models=models)


def make_question(
    source: str, config: Config | None, description: TableDescription, limits: Limits | str | None
) -> Question:
    """Return the question of a call, from a configuration or else from a description; limits may stand beside either.

    Parameters
    ----------
    source : str
        What messages call the question.

    Raises
    ------
    UsageError
        If both are given, or one is wrong.
    """
    if config is None:
        return make_described_question(source, description, limits)
    if not isinstance(config, Config):
        raise make_configuration_error(config)
    bounds = parse_limits(limits)
    if description.said:
        raise UsageError(
            f"A configuration says everything itself, so {description.said[0]}= cannot be combined with it."
        )
    question = replace(make_configured_question(config), description=description)
    return question if bounds is None else replace(question, config=replace(config, limits=bounds))


def make_described_question(source: str, description: TableDescription, limits: Limits | str | None = None) -> Question:
    """Return the question about columns with these names.

    Parameters
    ----------
    source : str
        What messages call the question.

    Raises
    ------
    UsageError
        If the description contradicts itself, or a hierarchy is wrong.
    """
    reading, whole = description.reading.input(), description
    description = description.without_tables().in_file()
    declared, protected = declare_columns(
        description.quasi_identifiers, description.sensitive, description.hierarchies, description.kinds
    )
    check_models(description.models, protected)
    config = Config(
        source=source,
        path=None,
        input=reading,
        output=Output(path=None),
        limits=parse_limits(limits) or Limits(),
        quasi_identifiers=add_ranks(declared, {}, description.weights),
        sensitive=protected,
    )
    if not reading.header:
        config = _number_columns(config)
    mark = description.reading.missing or ""
    identifiers = tuple(map(str, description.identifiers))
    models = tuple(description.models)
    person = tuple(map(str, description.person))
    if both := [name for name in person if name in {str(each.column) for each in (*declared, *protected)}]:
        raise UsageError(
            f"{both[0]} tells persons apart ({choose_setting_name('--person', python='person=')}), and is a "
            "quasi-identifier or sensitive attribute as well. Name it once."
        )
    return Question(
        config=config,
        models=models,
        by_name=True,
        identifiers=identifiers,
        person=person,
        mark=mark,
        description=whole,
    )


def _number_columns(config: Config) -> Config:
    """Return a configuration whose columns are found by their positions, which their names say."""

    def placed(column: Column) -> Column:
        return Column(index=int(str(column.name).removeprefix("column ")), name=None)

    return replace(
        config,
        quasi_identifiers=tuple(replace(each, column=placed(each.column)) for each in config.quasi_identifiers),
        sensitive=tuple(replace(each, column=placed(each.column)) for each in config.sensitive),
    )


def make_configuration_error(given: object) -> UsageError:
    """Return what somebody is told who gives something else as a configuration."""
    return UsageError(
        f"config= is of type {type(given).__name__}. Write config=toolbox.load_config('census.xml'), say."
    )


def make_configured_question(config: Config, more: Sequence[PrivacyModel] = ()) -> Question:
    """Return the question about the columns that a configuration declares.

    Parameters
    ----------
    more : sequence of PrivacyModel, optional
        Privacy models to judge besides those that the configuration requires.

    Raises
    ------
    UsageError
        If it is none.
    """
    if not isinstance(config, Config):
        raise make_configuration_error(config)
    config = find_separator(config)
    if config.compatibility.names_by_code:
        config = replace(config, quasi_identifiers=tuple(map(_rename_nodes_2010, config.quasi_identifiers)))
    named = () if config.rows_are_people else tuple(column.name for column in config.identifiers if column.name)
    person = tuple(column.name for column in config.person if column.name)
    models = (*make_models(config.requirements), *more)
    return Question(config=config, models=models, identifiers=named, person=person, sample=SampleDesign.of(config))


def _rename_nodes_2010(attribute: QuasiIdentifier) -> QuasiIdentifier:
    """Rename the nodes of a hierarchy as such a release does: to their intervals, as the author wrote them."""

    def named(node: Node) -> Node:
        return replace(node, label=node.text or node.label, children=tuple(map(named, node.children)))

    hierarchy = attribute.hierarchy
    return attribute if hierarchy is None else replace(attribute, hierarchy=Hierarchy(named(hierarchy.root)))


# The positions of the columns of a release, from a question that declares the columns of the original.


def declare_released_columns(question: Question, original: Layout | None) -> Config:
    """Declare the columns of a release: the original ones without identifiers, by name if they have one.

    Parameters
    ----------
    original : Layout, optional
        Where the columns of the original are, if it can be read.

    Raises
    ------
    UsageError
        If the configuration releases a format whose columns cannot be judged.
    """
    config = question.config
    if question.by_name:
        return config
    if question.is_anatomy:
        return _declare_anatomy_columns(config)
    if not config.compatibility.can_judge(config.output.format):
        setting = choose_setting_name("--qi NAMES", python="quasi_identifiers=")
        raise UsageError(
            f"The configuration releases {config.output.format.name}, whose values are not generalised ones. "
            f"Judge a table with {setting}, or a release in the format "
            f"{' or '.join(config.compatibility.list_judged_formats())}."
        )
    columns = _find_columns(config, original)
    quasi = [
        replace(attribute, column=column) for attribute, column in zip(config.quasi_identifiers, columns, strict=False)
    ]
    sensitive_columns = columns[len(quasi) :]
    sensitive = [
        replace(attribute, column=column) for attribute, column in zip(config.sensitive, sensitive_columns, strict=True)
    ]
    return replace(config, identifiers=(), quasi_identifiers=tuple(quasi), sensitive=tuple(sensitive))


def _declare_anatomy_columns(config: Config) -> Config:
    """Declare the columns of the table with the quasi-identifiers, which stand first, as they were declared."""
    placed = [
        replace(attribute, column=replace(attribute.column, index=position))
        for position, attribute in enumerate(config.quasi_identifiers)
    ]
    return replace(config, identifiers=(), quasi_identifiers=tuple(placed), sensitive=())


def _find_columns(config: Config, original: Layout | None) -> list[Column]:
    """Find the columns of the release: first the quasi-identifiers, then the sensitive ones."""
    declared = [attribute.column for attribute in (*config.quasi_identifiers, *config.sensitive)]
    if original is None:
        positions = [column.index for column in declared]
        gone = [column.index for column in config.identifiers]
    else:
        positions, gone = [*original.quasi_identifiers, *original.sensitive], list(original.identifiers)
    # Behind each quasi-identifier stand its statistics.
    extra = positions[: len(config.quasi_identifiers)] if config.output.format.has_statistics else []
    return [
        replace(column, index=None, name=original.names[position])
        if original is not None and position is not None and _has_name_of_its_own(original, position)
        else _find_shifted_position(column, position, gone, extra)
        for column, position in zip(declared, positions, strict=True)
    ]


def _find_shifted_position(
    column: Column, position: int | None, gone: Sequence[int | None], extra: Sequence[int | None]
) -> Column:
    """Return the new position of a column without a name: earlier columns may be dropped, or have statistics."""
    if position is None:
        return column
    before = sum(other is not None and other < position for other in gone)
    more = sum(other is not None and other < position for other in extra)
    return replace(column, index=position - before + more)


def _has_name_of_its_own(original: Layout, position: int) -> bool:
    """Return whether the header of a column also finds it in a release, which may have renamed equal headers."""
    names = [name.casefold() for name in original.names]
    return original.has_header and bool(names[position]) and names.count(names[position]) == 1


# The columns of a release with the statistics of classes, behind those of the quasi-identifiers.

StatisticsKind = Literal["moments", "distribution"]

_ENDS: dict[str, StatisticsKind] = {"mean:variance": "moments", "distribution": "distribution"}
"""What is behind the name of a column, and an underscore, in the name of its statistics."""


class StatisticsColumn(NamedTuple):
    """The statistics of one quasi-identifier."""

    number: int
    """Which one, from 0."""
    position: int
    """Of the column in the release."""
    kind: StatisticsKind

    @classmethod
    def find_all(cls, config: Config, layout: Layout, headers: Sequence[str] | None) -> list[StatisticsColumn]:
        """Find the columns with statistics: by their names, or without a header behind each quasi-identifier.

        Parameters
        ----------
        config : Config
            Declares the columns of the release.
        headers : sequence of str, optional
            Of the release, where it has some.
        """
        if headers is None:
            return _find_columns_by_position(config, layout) if config.output.format.has_statistics else []
        found, places = [], {header: place for place, header in enumerate(headers)}
        for index, position in enumerate(layout.quasi_identifiers):
            for end, kind in _ENDS.items():
                place = places.get(f"{headers[position]}_{end}")
                if place is not None and place not in layout.quasi_identifiers:
                    found.append(cls(index, place, kind))
        return found

    @staticmethod
    def find_names(names: Iterable[str], columns: Sequence[str]) -> set[str]:
        """Return those of the columns of a table that are named as statistics of some others."""
        return {f"{name}_{end}" for name in names for end in _ENDS} & set(columns)


def _find_columns_by_position(config: Config, layout: Layout) -> list[StatisticsColumn]:
    """Trust the format; what a column holds must be declared then."""
    columns = zip(config.quasi_identifiers, layout.quasi_identifiers, strict=True)
    return [
        StatisticsColumn(index, position + 1, "moments" if attribute.kind == "number" else "distribution")
        for index, (attribute, position) in enumerate(columns)
        if attribute.kind in ("number", "category") and position + 1 < len(layout.names)
    ]
