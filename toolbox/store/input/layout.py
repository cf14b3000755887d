"""Where the input has the configuration's columns, which of their values are missing, and what completes them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import String, case, cast, false, func, literal, or_, select
from sqlalchemy.sql.elements import ColumnElement

from toolbox.config.model import DEFAULT_MISSING, Attribute, Column, Config, Kind, OnMissing, QuasiIdentifier
from toolbox.config.settings import KEY, SAME_DOMAIN, SETTINGS, value_of
from toolbox.errors import (
    ConfigurationError,
    Fault,
    MissingColumn,
    ProofError,
    UnknownColumnError,
    UsageError,
    did_you_mean,
    name_option,
    quote,
)
from toolbox.hierarchy.builders.texts import TextBuilder
from toolbox.messages import choose_setting_name, format_count
from toolbox.queries.scales import PLAIN, Figures
from toolbox.store.engine.store import Store
from toolbox.store.input.source import Source
from toolbox.treatments.pseudonym import PROBE, Pseudonym, PseudonymDomain
from toolbox.treatments.treatment import (
    DROP,
    PASS,
    ReleasedColumn,
    RunFacts,
    Treatment,
    TreatmentError,
    parse_treatment,
)

# Finding the configuration's columns in the input, by position or by header.

MOST_QUASI_IDENTIFIERS = 64
"""Beyond this no class of several records is left that is worth releasing, and statements grow too long."""


@dataclass(frozen=True)
class Layout:
    """Positions of the declared columns, in configuration order, and the names of all."""

    names: tuple[str, ...]
    """Header of each column of the input, or a name of our own."""
    has_header: bool
    quasi_identifiers: tuple[int, ...]
    quasi_identifier_kinds: tuple[Kind, ...]
    sensitive: tuple[int, ...]
    sensitive_kinds: tuple[Kind | None, ...]
    identifiers: tuple[int, ...]
    """With the columns that nobody declared, where these are left out; one that a treatment hides is released."""
    undeclared: tuple[int, ...] = ()
    """Columns that nobody declared, be they released or left out."""
    treatments: Mapping[int, Treatment] = field(default_factory=lambda: MappingProxyType({}))
    """What is done to the values of a column where it is something else than pass, by its place."""

    @property
    def released(self) -> tuple[int, ...]:
        """Columns of the release, in the order of the input: all except the identifiers that no treatment hides."""
        dropped = {position for position in self.identifiers if not self.find_treatment_of(position).releases}
        return tuple(position for position in range(len(self.names)) if position not in dropped)

    @property
    def treated(self) -> Mapping[int, ReleasedColumn]:
        """Columns whose values a release shows record by record, by their places: all but the quasi-identifiers."""
        generalised = set(self.quasi_identifiers)
        return {
            position: ReleasedColumn(
                self.names[position],
                source=self.names[position],
                position=position,
                treatment=self.treatments.get(position, PASS),
            )
            for position in self.released
            if position not in generalised
        }

    def find_persons(self, config: Config) -> dict[int, Column]:
        """Return the columns that tell persons apart, by their positions."""
        places = dict(zip(config.identifiers, self.identifiers, strict=False))
        return {places[column]: column for column in config.person}

    def find_treatment_of(self, position: int) -> Treatment:
        """Return what is done to the values of a column that is not generalised."""
        return self.treatments.get(position, DROP if position in self.identifiers else PASS)

    def find_linking_text(self, position: int, text: ColumnElement[str]) -> ColumnElement[str]:
        """Return the text by which rows of a column are linked: a pseudonym where that is released, or as it was."""
        treatment = self.find_treatment_of(position)
        return cast(treatment.treat(text), String) if treatment.changes and treatment.joins_rows else text

    def describe_treatments(self, config: Config) -> tuple[Mapping[str, Any], ...]:
        """Say of each released column that is treated what is done, what is promised, and what is not true any more."""
        said = {str(column): text for column, text in config.treated}
        return tuple(
            {
                "column": column.header,
                "treatment": said.get(column.header, column.treatment.name),
                "does": column.treatment.words,
                "promise": column.treatment.promise,
                "is_true": column.treatment.is_true,
                "not_true": column.treatment.untrue,
                "joins_rows": column.treatment.joins_rows,
            }
            for column in self.treated.values()
            if column.treatment.changes
        )

    @property
    def writes_plain(self) -> bool:
        """Whether all that is released needs quotes only where what was read needs them."""
        return all(
            not treatment.changes or (treatment.writes_plain and treatment.facts.figures.is_plain)
            for treatment in self.treatments.values()
        )

    @property
    def needs_key(self) -> bool:
        """Whether a treatment needs the key of pseudonyms."""
        return any(treatment.needs_key for treatment in self.treatments.values())

    def joins_rows_by(self, columns: Collection[int]) -> bool:
        """Return whether a reader can join rows by one column, and by no other one of these: that of the person.

        A pseudonym of a member of a household, or of a household of which persons are members, joins other rows.
        """
        return len(columns) == 1 and all(self.find_treatment_of(column).joins_rows for column in columns)

    @property
    def needs_persons(self) -> bool:
        """Whether a treatment must know which records are of one person."""
        return any(treatment.needs_persons and treatment.facts.persons for treatment in self.treatments.values())

    @property
    def needs_person_draw(self) -> bool:
        """Whether a treatment does the same to all records of a person."""
        return any(treatment.requires_person for treatment in self.treatments.values())


def find_columns(config: Config, source: Source) -> Layout:
    """Find every declared column in the input.

    Raises
    ------
    ConfigurationError
        With one fault for each column that the input lacks or that is declared twice.
    """
    faults: list[Fault] = []
    if (count := len(config.quasi_identifiers)) > MOST_QUASI_IDENTIFIERS:
        remedy = "Declare those that an attacker may know; the others pass through or are identifiers."
        faults.append(Fault(0, f"{count} quasi-identifiers are more than {MOST_QUASI_IDENTIFIERS}.", remedy))
    attributes = [*config.quasi_identifiers, *config.sensitive]
    treated = _find_treatments(config, faults)
    columns = [*config.identifiers, *(attribute.column for attribute in attributes), *(column for column, _ in treated)]
    names = [column.name for column in columns if column.index is None and column.name is not None]
    positions = [_find_position(column, source, faults, names) for column in columns]
    faults += _find_repeated(columns, positions, source)
    if None in positions and set(names).isdisjoint(source.headers or ()):
        least = 1 + max((column.index for column in columns if column.index is not None), default=-1)
        if (wrong := source.explain_misreading(names, least)) is not None:
            faults = [Fault(0, *wrong)]
    if faults:
        raise ConfigurationError(config.source, faults)
    found_positions = [position for position in positions if position is not None]
    places = iter(found_positions)
    split = [
        list(islice(places, len(part))) for part in (config.identifiers, config.quasi_identifiers, config.sensitive)
    ]
    treatments = dict(zip(places, (treatment for _, treatment in treated), strict=True))
    facts = _tell_treatments(config, dict(zip(columns, found_positions, strict=True)))
    treatments = {position: each.told(facts.at(position, source.kinds)) for position, each in treatments.items()}
    known = set(positions)
    undeclared = tuple(position for position in range(source.width - source.added) if position not in known)
    return Layout(
        names=_list_names(source, columns, found_positions),
        has_header=source.headers is not None,
        quasi_identifiers=tuple(split[1]),
        quasi_identifier_kinds=tuple(
            _choose_kind(attribute, source.kinds[position]) or "number"
            for attribute, position in zip(config.quasi_identifiers, split[1], strict=True)
        ),
        sensitive=tuple(split[2]),
        sensitive_kinds=tuple(
            _choose_kind(attribute, source.kinds[position])
            for attribute, position in zip(config.sensitive, split[2], strict=True)
        ),
        identifiers=(
            *split[0],
            *(undeclared if config.undeclared == "drop" else ()),
            *(position for position, treatment in treatments.items() if not treatment.releases),
        ),
        undeclared=undeclared,
        treatments=MappingProxyType(treatments),
    )


def _find_repeated(columns: Sequence[Column], positions: Sequence[int | None], source: Source) -> Iterator[Fault]:
    first: dict[int, Column] = {}
    for column, position in zip(columns, positions, strict=True):
        if position is not None and first.setdefault(position, column) is not column:
            named = str(column), str(first[position])
            both = f"{named[0]} and {named[1]} are the same column {position} of {source.name}."
            once = f"{named[0]} is declared twice, and is one column of {source.name}."
            problem = once if named[0] == named[1] else both
            yield Fault(column.line, problem, "Declare it once.")


def _find_treatments(config: Config, faults: list[Fault]) -> list[tuple[Column, Treatment]]:
    """Find the treatment of each column that a configuration treats."""
    identifiers = {column: column for column in config.identifiers}
    found = []
    for column, text in config.treated:
        try:
            treatment = parse_treatment(text)
        except TreatmentError as error:
            problem, remedy = error.args
            faults.append(Fault(column.line, f"{column}: {problem}", remedy))
            continue
        if treatment.requires_person and not config.person:
            problem = f"{column}: the treatment {quote(treatment.name)} is by person, and none is declared."
            person = choose_setting_name("<person>", options="--person NAME", python="person=..")
            faults.append(Fault(column.line, problem, f"Declare it: {person}."))
        if column in identifiers and treatment.releases and not treatment.hides_identity:
            problem = f"{column} names a person, and the treatment {quote(treatment.name)} does not hide who that is."
            remedy = "Write redact, mask without a number, or pseudonym; or leave the treatment out."
            faults.append(Fault(column.line, problem, remedy))
        found.append((identifiers.get(column, column), treatment))
    return found


def _tell_treatments(config: Config, places: Mapping[Column, int]) -> RunFacts:
    """Return what the treatments of a run must know of it."""
    source = config.input
    return RunFacts(
        missing=tuple(dict.fromkeys(("", source.missing))) if source else ("",),
        figures=Figures(source.decimal, source.thousands) if source else PLAIN,
        k=config.k,
        # A release that is judged may have left them out.
        persons=tuple(places[column] for column in config.person if column in places),
        secret=token_hex(16) if config.seed is None else f"treatments {config.seed}",
    )


def make_column_error(name: str, source: Source, known: Sequence[str], names: Sequence[str]) -> UsageError:
    """Return the error that a table has no such column.

    A first line that is no header holds values, which no message may show. So the known columns are listed only if one
    of `names` is among them, or if the columns have types. If another separator yields them all, that is said instead.

    Parameters
    ----------
    known : sequence of str
        Names of the columns.
    names : sequence of str
        All names that are looked for.
    """
    if set(names).isdisjoint(known) and (wrong := source.explain_misreading(names, len(names))) is not None:
        return UsageError(" ".join(wrong))
    if source.headers is None or any(source.kinds) or not set(names).isdisjoint(known):
        # What was added to a table is none of its columns.
        return UnknownColumnError(name, source.name, known[: source.width - source.added])
    return UsageError(
        f"{source.name} has no column {quote(name)}.{did_you_mean(name, known)} {_format_no_header(source)}"
    )


def _format_no_header(source: Source) -> str:
    return f"None of the names is among the {format_count(source.width, 'value')} of its first line: is that a header?"


def _make_missing_fault(column: Column, source: Source, names: Sequence[str]) -> Fault:
    """Return the fault that a table has no column of this name, with what others say of their columns as well."""
    assert column.name is not None and source.headers is not None
    error = make_column_error(column.name, source, source.headers, names)
    known = error.known if isinstance(error, UnknownColumnError) else _format_no_header(source)
    told = str(error)
    missing = MissingColumn(source.name, column.name, known) if known and told.endswith(known) else None
    return Fault(column.line, told, "", missing=missing)


def require_weights(config: Config, source: Source) -> None:
    """Stop where records are said to have weights, which a run does not read, in a column that is not there.

    Raises
    ------
    UsageError
    """
    name, headers = value_of(config, SETTINGS["sample_weight"]), source.own_headers
    if name is not None and name not in headers:
        names = [name, *(str(attribute.column) for attribute in config.quasi_identifiers)]
        raise make_column_error(name, source, headers, names)


def _choose_kind(attribute: Attribute, of_input: Kind | None) -> Kind | None:
    return attribute.kind or of_input


def _find_position(column: Column, source: Source, faults: list[Fault], names: Sequence[str]) -> int | None:
    if column.index is not None:
        if column.index < source.width:
            return column.index
        width = format_count(source.width, "column")
        problem = f"{column} has index {column.index}, but {source.name} has {width}, numbered from 0."
        hint = "Is the separator right?" if source.width == 1 else f"Write an index of at most {source.width - 1}."
        faults.append(Fault(column.line, problem, hint))
        return None
    assert column.name is not None
    if source.headers is None:
        problem = f"{source.name} has no header that could name {column.name!r}."
        remedy = choose_setting_name(
            "Write index=, or header='true' on input.",
            python="Write its position, such as 0, or leave out header=False.",
            options="Write its position, such as 0, or leave out --header no.",
        )
        faults.append(Fault(column.line, problem, remedy))
    elif (times := source.headers.count(column.name)) == 1:
        return source.headers.index(column.name)
    elif times:
        problem = f"{source.name} has {times} columns named {column.name!r}."
        own = "Give each column a name of its own."
        remedy = choose_setting_name("Write index= to say which is meant.", python=own, options=own)
        faults.append(Fault(column.line, problem, remedy))
    else:
        faults.append(_make_missing_fault(column, source, names))
    return None


def _list_names(source: Source, columns: Sequence[Column], positions: Sequence[int]) -> tuple[str, ...]:
    if source.headers is not None:
        return source.headers
    declared = {position: column.name for column, position in zip(columns, positions, strict=True)}
    return tuple(declared.get(position) or f"column_{position}" for position in range(source.width))


# Which values count as missing, and what happens to a record that has one.

MOST_SKIPPED: Final = 0.01
"""The share of the records that is left out for a missing value although nobody has said so."""


@dataclass(frozen=True)
class MissingValues:
    """The policy of one input: nulls, empty fields and the declared mark are missing."""

    mark: str
    policy: OnMissing
    strips_blanks: bool = False
    """Whether blanks around a value are no part of it."""
    looks_everywhere: bool = False
    """Whether a missing value in a column that is not declared disqualifies a record, too."""
    is_chosen: bool = True
    """Whether somebody has said what becomes of records that lack a value, or nobody need say it."""

    @classmethod
    def of(cls, config: Config) -> MissingValues:
        """Return the policy of the input of a configuration; without an input only nulls are missing."""
        declared, mode = config.input, config.compatibility
        if declared is None:
            return cls("", "skip")
        return cls(
            declared.missing,
            declared.on_missing or "skip",
            mode.strips_blanks,
            mode.looks_for_missing_everywhere,
            is_chosen=declared.on_missing is not None or mode.skips_unasked,
        )

    def needs_choice(self, read: int, lacking: int) -> bool:
        """Return whether so many records lack a value that somebody must say what becomes of them."""
        return not self.is_chosen and lacking > MOST_SKIPPED * read

    def test(self, attribute: Attribute, text: ColumnElement[str]) -> ColumnElement[bool]:
        """Test for a missing value; a text that the configuration declares as a category is none."""
        return or_(text.is_(None), self._strip_blanks(text).in_(self.marks(attribute)))

    def marks(self, attribute: Attribute) -> tuple[str, ...]:
        """Return the texts that stand for a missing value of an attribute."""
        # What the values are made into is not known yet where a builder lists some of them.
        listed = attribute.builder.listed if isinstance(attribute.builder, TextBuilder) else ()
        declared = attribute.categories or listed
        return tuple(mark for mark in dict.fromkeys(("", self.mark)) if mark not in declared)

    def _strip_blanks(self, text: ColumnElement[str]) -> ColumnElement[str]:
        return func.trim(text) if self.strips_blanks else text

    def is_disqualifying(self, values: Sequence[tuple[Attribute, ColumnElement[str]]]) -> ColumnElement[bool]:
        """Test whether a record cannot be used because one of its values is missing."""
        if self.policy == "keep":
            return false()
        return or_(false(), *(self.test(attribute, text) for attribute, text in values))

    def marked(self, texts: Sequence[ColumnElement[str]]) -> ColumnElement[bool]:
        """Test whether a missing value in a column that is not declared makes a record unusable, as it did in 2010."""
        if self.policy == "keep" or not self.looks_everywhere:
            return false()
        # An empty field of another column is a null, which marks nothing.
        return or_(false(), *(func.coalesce(self._strip_blanks(text) == self.mark, false()) for text in texts))

    @property
    def rewrites(self) -> bool:
        """Whether different texts may be one value, because of how missing values and blanks are read."""
        return self.strips_blanks or self.kept is not None

    @property
    def kept(self) -> str | None:
        """The text of missing values where they are a category; None where they are none."""
        return (self.mark or DEFAULT_MISSING) if self.policy == "keep" else None

    def value(self, attribute: Attribute, text: ColumnElement[str]) -> ColumnElement[str]:
        """Return the text of a value; all missing values have the same text."""
        stripped = self._strip_blanks(text)
        return stripped if self.kept is None else case((self.test(attribute, text), self.kept), else_=stripped)


# The declared quasi-identifiers, completed by what the method needs and what the input itself says.


def complete_quasi_identifiers(config: Config, source: Source, positions: Sequence[int]) -> list[QuasiIdentifier]:
    """Complete the quasi-identifiers: dates by their usual periods, ordered categories by their order.

    Parameters
    ----------
    positions : sequence of int
        The column of each in the input.
    """
    pairs = zip(config.quasi_identifiers, positions, strict=True)
    return [
        _add_order(replace(attribute, usual_periods=config.periods), source.orders[position])
        for attribute, position in pairs
    ]


def _add_order(attribute: QuasiIdentifier, order: Sequence[str] | None) -> QuasiIdentifier:
    is_open = attribute.kind is None and attribute.categories is None and not attribute.has_hierarchy
    if order is None or not is_open:
        return attribute
    categories = MappingProxyType({text: code for code, text in enumerate(order)})
    return replace(attribute, kind="category", categories=categories, ordered=True)


# The key of pseudonyms.


def open_pseudonyms(config: Config, layouts: Sequence[Layout], store: Store) -> Mapping[str, str] | None:
    """Open the domain of the pseudonyms of a run, and let the store make them; return what reports say of it.

    Parameters
    ----------
    layouts : sequence of Layout
        Of all tables that are released together.

    Raises
    ------
    UsageError
        If a key lacks, or is named for nothing.
    InputError
        If a file cannot be read.
    ProofError
        If the store makes another token than Python does.
    """
    key, same_as = value_of(config, KEY), value_of(config, SAME_DOMAIN)
    if not any(layout.needs_key for layout in layouts):
        for setting, value in ((KEY, key), (SAME_DOMAIN, same_as)):
            if value is not None:
                problem = f"{name_option(setting.name)} is for pseudonyms and shifts, and no column is treated so."
                raise UsageError(f"{problem} Leave it out, or treat a column by pseudonym.", setting=setting.name)
        return None
    if key is None:
        raise UsageError(
            f"A pseudonym, or a shift, needs a key file, and {name_option('key')} names none. "
            "Make one: toolbox key new FILE",
            setting=KEY.name,
        )
    domain = PseudonymDomain.open(key, same_as)
    store.keep_secrets(domain.list_pads())
    if store.scalar(select(Pseudonym().treat(literal(PROBE)))) != domain.make_token(PROBE):
        raise ProofError("The store makes other pseudonyms than HMAC-SHA-256 does. Nothing was released.")
    return domain.document()
