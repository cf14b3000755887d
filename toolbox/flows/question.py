"""What is asked of a release: its quasi-identifiers and sensitive columns, by a configuration or by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from toolbox.config import values
from toolbox.config.given import BadValueError
from toolbox.config.inputs import input_files
from toolbox.config.kept_missing import with_missing
from toolbox.config.limits import limits_of
from toolbox.config.model import Attribute, Column, Config, Input, Limits, Output, QuasiIdentifier, is_parquet
from toolbox.config.outputs import existing_pieces, with_suffix_to_stem
from toolbox.errors import InputError, SettingError, UsageError
from toolbox.flows.description import check_models, described_attributes, ranked, smallest_class
from toolbox.hierarchy.hierarchy import Hierarchy, Node
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.requirements import make_models
from toolbox.queries.numbers import Figures
from toolbox.store.layout import Layout
from toolbox.store.missing import MissingValues
from toolbox.store.separators import guessed_input, with_separator
from toolbox.store.text_file import is_utf_8
from toolbox.wording import either

_NO_FILE = Path("the table")


@dataclass(frozen=True, kw_only=True)
class Question:
    """The columns of a table that is to be judged, and what is known of them.

    Parameters
    ----------
    config : Config
        Declares the columns of the original table.
    models : tuple of PrivacyModel
        What the release claims to satisfy; may be empty.
    by_name : bool
        Whether columns have names only, which hold in every table.
    """

    config: Config
    models: tuple[PrivacyModel, ...] = ()
    by_name: bool = False

    @property
    def quasi_identifiers(self) -> tuple[QuasiIdentifier, ...]:
        """What an attacker may know."""
        return self.config.quasi_identifiers

    @property
    def sensitive(self) -> tuple[Attribute, ...]:
        """What nobody shall learn."""
        return self.config.sensitive

    @property
    def roots(self) -> dict[str, tuple[str, ...]]:
        """What the root of each hierarchy is called, also where it lists a missing value."""
        kept, declared = self.missing.kept, self.quasi_identifiers
        forms = [(one, one if kept is None else with_missing(one, kept)) for one in declared]
        return {
            str(one.column): tuple(dict.fromkeys(form.hierarchy.root.label for form in both if form.hierarchy))
            for one, both in zip(declared, forms, strict=True)
        }

    @property
    def missing(self) -> MissingValues:
        """What becomes of original records that lack a value; without a configuration that is a value as any other."""
        return MissingValues("", "skip") if self.by_name else MissingValues.of(self.config)

    @property
    def figures(self) -> Figures:
        """How the original records write numbers where they are text."""
        given = self.config.input
        return Figures() if given is None else Figures(given.decimal, given.thousands)

    @property
    def smallest_class(self) -> int | None:
        """The k of the release, where it claims one."""
        return smallest_class(self.models, None)

    @property
    def original(self) -> Input | None:
        """The files of the original records, all of them; None where no configuration says which."""
        return None if self.by_name else self.config.input

    @property
    def is_anatomy(self) -> bool:
        """Whether the release consists of two tables, which only groups connect."""
        release_format = self.config.output.format
        can_be_judged = release_format in self.config.compatibility.judged_formats
        return release_format.has_groups and can_be_judged and not self.by_name

    @property
    def release(self) -> Input | None:
        """The files of the release, of anatomy those with the quasi-identifiers; None where no configuration says."""
        return self.table(self.config.output.format.suffixes[0] if self.is_anatomy else "")

    def table(self, suffix: str) -> Input | None:
        """Return the files of one table of the release."""
        output = self.config.output
        if output.path is None:
            return None
        path = with_suffix_to_stem(output.path, suffix)
        pieces = existing_pieces(path) if output.split_size is not None else []
        first, *more = pieces or [path]
        return replace(self.input_of(first, is_release=True), more=tuple(more))

    def input_of(self, path: Path, *, is_release: bool = False) -> Input:
        """Describe a file that holds the original records, or others of their kind, or a release."""
        declared = self.config.input
        given = replace(declared or read_as(None, None), path=path, more=())
        if is_release and self.by_name and is_utf_8(path):
            given = replace(given, encoding="utf-8")
        elif is_release and declared is not None and not self.by_name:
            separator, has_header = self.config.release_separator, _is_headed(declared)
            given = replace(given, separator=separator, encoding="utf-8", header=has_header)
        if given.guesses_separator:
            return guessed_input(given, [str(one.column) for one in self.quasi_identifiers])
        return given

    def with_sensitive(self, name: str) -> Question:
        """Add a sensitive column, unless it is declared already."""
        if name in {str(one.column) for one in self.sensitive}:
            return self
        more = Attribute(column=Column(index=None, name=name), kind=None)
        return replace(self, config=replace(self.config, sensitive=(*self.sensitive, more)))

    def released(self, original: Layout | None) -> Config:
        """Declare the columns of the release: the original ones without identifiers, by name where they have one.

        Parameters
        ----------
        original : Layout, optional
            Where the columns of the original are, if it can be read.
        """
        config = self.config
        if self.by_name:
            return config
        if self.is_anatomy:
            # The table with the quasi-identifiers has them first, as they were declared.
            columns = [replace(one.column, index=place) for place, one in enumerate(config.quasi_identifiers)]
            placed = [replace(one, column=new) for one, new in zip(config.quasi_identifiers, columns, strict=True)]
            return replace(config, identifiers=(), quasi_identifiers=tuple(placed), sensitive=())
        judged_formats = config.compatibility.judged_formats
        if config.output.format not in judged_formats:
            raise UsageError(
                f"The configuration releases {config.output.format}, whose values are not generalised ones. "
                f"Judge a table with {either('--qi NAMES', python='quasi_identifiers=')}, or a release in the format "
                f"{' or '.join(map(str, judged_formats))}."
            )
        declared = [one.column for one in (*config.quasi_identifiers, *config.sensitive)]
        if original is None:
            places = [column.index for column in declared]
            gone = [column.index for column in config.identifiers]
        else:
            places, gone = [*original.quasi_identifiers, *original.sensitive], list(original.identifiers)
        # Behind each quasi-identifier stand its statistics.
        extra = places[: len(config.quasi_identifiers)] if config.output.format.has_statistics else []
        columns = [
            _placed(column, original.names[place])
            if original is not None and place is not None and _names_one(original, place)
            else _shifted(column, place, gone, extra)
            for column, place in zip(declared, places, strict=True)
        ]
        quasi = [replace(one, column=column) for one, column in zip(config.quasi_identifiers, columns, strict=False)]
        others = columns[len(quasi) :]
        sensitive = [replace(one, column=column) for one, column in zip(config.sensitive, others, strict=True)]
        return replace(config, identifiers=(), quasi_identifiers=tuple(quasi), sensitive=tuple(sensitive))


def _shifted(column: Column, place: int | None, gone: Sequence[int | None], extra: Sequence[int | None]) -> Column:
    """Find a column without a name where some before it are gone, and others have one more behind them."""
    if place is None:
        return column
    before = sum(one is not None and one < place for one in gone)
    more = sum(one is not None and one < place for one in extra)
    return replace(column, index=place - before + more)


def _names_one(original: Layout, place: int) -> bool:
    """Tell whether the header of a column finds it in a release, too, which may have had to tell equal ones apart."""
    names = [name.casefold() for name in original.names]
    return original.has_header and bool(names[place]) and names.count(names[place]) == 1


def _is_headed(given: Input) -> bool:
    """Tell whether a release of these records has a header: Parquet always names its columns."""
    try:
        return given.header or is_parquet(input_files(given)[0])
    except InputError:
        return given.header or is_parquet(given.path)


def _placed(column: Column, name: str) -> Column:
    return replace(column, index=None, name=name)


def of_config(config: Config, more: Sequence[PrivacyModel] = ()) -> Question:
    """Ask what a configuration declares; it may be asked for more privacy models than it requires.

    Raises
    ------
    UsageError
        If it is none.
    """
    if not isinstance(config, Config):
        raise UsageError(f"config= is a {type(config).__name__}. Write config=toolbox.load_config('census.xml'), say.")
    config = with_separator(config)
    if config.compatibility.names_by_code:
        config = replace(config, quasi_identifiers=tuple(map(_named_as_in_2010, config.quasi_identifiers)))
    return Question(config=config, models=(*make_models(config.requirements), *more))


def _named_as_in_2010(attribute: QuasiIdentifier) -> QuasiIdentifier:
    """Call the nodes of a hierarchy what such a release calls them: the intervals, as their author wrote them."""

    def named(node: Node) -> Node:
        return replace(node, label=node.text or node.label, children=tuple(map(named, node.children)))

    given = attribute.hierarchy
    return attribute if given is None else replace(attribute, hierarchy=Hierarchy(named(given.root)))


def read_as(
    separator: str | None, encoding: str | None, decimal: str | None = None, thousands: str | None = None
) -> Input:
    """Say how text with a header is read, of which no configuration tells: its separator is guessed if not said.

    Raises
    ------
    UsageError
        If there is no such encoding, or no number is written so.
    """
    try:
        known = values.encoding(encoding or "utf-8")
    except BadValueError:
        raise SettingError("encoding", encoding, "the name of an encoding, such as 'latin-1'") from None
    try:
        figures = values.decimal(decimal or "."), values.thousands(thousands or "")
    except BadValueError as error:
        raise UsageError(f"decimal={decimal!r} or thousands={thousands!r} {error.args[0]}. {error.args[1]}") from None
    if figures[0] == figures[1]:
        raise UsageError(f"thousands={thousands!r} stands before the decimals as well. Write another character.")
    return Input(
        path=_NO_FILE,
        separator=separator or ",",
        guesses_separator=separator is None,
        encoding=known,
        decimal=figures[0],
        thousands=figures[1],
        header=True,
    )


def by_names(
    source: str,
    *,
    quasi_identifiers: Sequence[object],
    sensitive: Sequence[object] = (),
    hierarchies: Mapping[Any, Any] = MappingProxyType({}),
    kinds: Mapping[Any, str] = MappingProxyType({}),
    weights: Mapping[Any, float] = MappingProxyType({}),
    models: Sequence[PrivacyModel] = (),
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    limits: Limits | str | None = None,
) -> Question:
    """Ask about columns with these names.

    Parameters
    ----------
    source : str
        What messages call the question.
    separator, encoding : str, optional
        Of the files; guessed, and UTF-8. A release that is UTF-8 is read so in any case: ours are.
    decimal, thousands : str, optional
        What stands before the decimals of numbers in texts, a point, and between their thousands, nothing.
    weights : mapping of quasi-identifier to float, optional
        Share of each in weighted measures; 1 where nothing is said.

    Raises
    ------
    UsageError
        If the arguments contradict each other, or a hierarchy is wrong.
    """
    declared, protected = described_attributes(quasi_identifiers, sensitive, hierarchies, kinds)
    check_models(models, protected)
    config = Config(
        source=source,
        path=None,
        input=read_as(separator, encoding, decimal, thousands),
        output=Output(path=None),
        limits=limits_of(limits) or Limits(),
        quasi_identifiers=ranked(declared, {}, weights),
        sensitive=protected,
    )
    return Question(config=config, models=tuple(models), by_name=True)


def by_arguments(source: str, config: Config | None, arguments: Mapping[str, Any]) -> Question:
    """Ask by a configuration or by names, not by both; limits may stand beside either.

    Parameters
    ----------
    source : str
        What messages call the question.
    arguments : mapping
        Those of a call; of these the ones that declare columns, and ``limits``, are taken.

    Raises
    ------
    UsageError
        If both are given, or one is wrong.
    """
    names = (
        "quasi_identifiers",
        "sensitive",
        "hierarchies",
        "kinds",
        "weights",
        "models",
        "separator",
        "encoding",
        "decimal",
        "thousands",
        "limits",
    )
    given = {name: arguments[name] for name in names if name in arguments}
    if config is None:
        return by_names(source, **given)
    limits = limits_of(given.pop("limits"))
    if extra := [name for name, value in given.items() if value is not None and len(value) > 0]:
        raise UsageError(f"A configuration says everything itself, so {extra[0]}= has no place beside it.")
    question = of_config(config)
    return question if limits is None else replace(question, config=replace(config, limits=limits))
