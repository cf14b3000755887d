"""The contract of a method: a subclass rewrites the tables, the base class proves; which methods are installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import Field, dataclass, field, fields, replace
from decimal import Decimal
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, ClassVar, Self, final

from sqlalchemy import select

from toolbox.config.formats import FormatName
from toolbox.config.model import Config, MethodFacts, Parameter, Portion, find_levels_fault
from toolbox.errors import (
    BadValueError,
    EngineError,
    MethodError,
    ModelError,
    ProofError,
    SettingError,
    ToolboxError,
    UnsatisfiableError,
    UsageError,
    did_you_mean,
)
from toolbox.extensions import (
    Installed,
    KnownNames,
    find_last_line,
    is_reference,
    load_installed,
    load_reference,
    refuse_truth_values,
    require_usable,
)
from toolbox.messages import choose_setting_name, find_suppression_setting, format_count
from toolbox.privacy.classes import make_single_class
from toolbox.privacy.model import PrivacyModel, ReleaseModel
from toolbox.privacy.proof.proof import Proof, judge, prove, restore_tables
from toolbox.store.tables import Tables

# The contract of a method: a subclass rewrites the tables, the base class checks, proves and counts.


@dataclass(frozen=True)
class Anonymization:
    """The finished tables, with the proof that they satisfy the declared models."""

    tables: Tables
    proof: Proof


def setting(
    default: str, words: tuple[str, ...], meaning: str = "", *, check: Callable[[str], object] | None = None
) -> Any:
    """Declare a field of a method that users set by a word in the configuration or on the command line.

    The meaning is for the list of what is installed; without one, it is what the docstring of the method says. What is
    no word may have a check, one of `toolbox.config.values`, which raises `BadValueError`; an empty text is not set.
    """
    return field(default=default, metadata={"words": words, "meaning": meaning, "check": check})


@dataclass(frozen=True, kw_only=True)
class Anonymizer(ABC):
    """A method that rewrites the loaded tables until every class satisfies the declared models.

    A subclass is a frozen dataclass of the method's settings. It supplies `anonymize`, and an entry point under
    ``toolbox.methods``, whose name is the one users write in the XML.
    """

    name: ClassVar[str]
    parameter: ClassVar[Parameter] = "k"
    """Which of the original parameters goes with it: the privacy model, unless a configuration lists models."""
    aliases: ClassVar[Mapping[str, Parameter]] = MappingProxyType({})
    """Its other names, each with the parameter that goes with it then."""
    only_format: ClassVar[FormatName | None] = None
    """The only format in which its classes can be released; None: any."""
    reference: ClassVar[str] = ""
    """Where the method is published."""
    summary: ClassVar[str] = ""
    """What it does, in a sentence or two for people who do not study that; empty: the first one of the docstring."""
    rank: ClassVar[int] = 1000
    """Place among all methods where they are offered, the smallest first; those of one rank in the order of names."""
    full_domain: ClassVar[bool] = False
    """Whether it needs, of every quasi-identifier, a hierarchy with all leaves at one depth."""
    climbs: ClassVar[bool] = False
    """Whether it generalises by the levels of hierarchies, so that columns of dates get one that nobody declares."""

    only_numbers: ClassVar[bool] = False
    """Whether it refuses quasi-identifiers that are categories."""
    bounds_levels: ClassVar[bool] = False
    """Whether it keeps each column between two levels where these are declared."""
    lists_nodes: ClassVar[bool] = False
    """Whether it can list what it knows of every node of the lattice."""
    counts_persons: ClassVar[bool] = False
    """Whether it honours models that count persons, of whom each may have several records."""
    weighs_records: ClassVar[bool] = False
    """Whether it honours models whose people are estimated, by the weights of the records of each class."""
    judges_profiles: ClassVar[bool] = False
    """Whether it makes persons alike in all of their records together, where a reader can join these."""
    suppresses_persons: ClassVar[bool] = True
    """Whether it suppresses a person with all records where that is asked for; or nobody at all."""
    suppresses_for_any: ClassVar[bool] = False
    """Whether it may suppress records for any model, also where that helps no other class."""
    stops_at_first: ClassVar[bool] = False
    """Whether it is known to go no further than the models ask, so that a release tells that less was not enough."""

    in_compatibility: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Settings with which it does what it did in the toolbox of 2010."""
    saved_with: ClassVar[Mapping[str, str] | None] = None
    """Settings with which what it finds can be saved and applied to another table; None: it cannot, unless it
    generalises whole columns."""

    models: tuple[PrivacyModel, ...]
    """What every class must satisfy; at least one."""

    def __post_init__(self) -> None:
        refuse_truth_values(self)
        for field_ in fields(self):
            words = field_.metadata.get("words")
            if words and getattr(self, field_.name) not in (*words, field_.default):
                raise SettingError(field_.name, getattr(self, field_.name), "one of " + ", ".join(words))
            _check_setting(field_, getattr(self, field_.name))
        for model in self.models:
            if not self.supports(model):
                raise UsageError(f"{self.name} cannot honour {model}. Choose another method or model.")

    @classmethod
    def supports(cls, model: PrivacyModel) -> bool:
        """Return whether the method can honour a privacy model.

        By default one that needs no sensitive attribute, no population and no other classes beside each class.
        """
        return model.attribute is None and not model.looks_beyond_class

    @property
    def least_records(self) -> int:
        """Fewest records of a class that satisfies all models."""
        return max(model.least_records for model in self.models)

    @property
    def suppression_limit(self) -> int | Portion | None:
        """Most records that a release may suppress, or most of a hundred; None for a method that suppresses none.

        Where persons are declared, and each has one combination of quasi-identifiers, it is a number of persons.

        It is the field of `toolbox.methods.anonymizer.SuppressingAnonymizer`, or one of this name that a method
        declares itself.
        """
        limit: int | Portion | None = vars(self).get("suppression_threshold")
        return limit

    @abstractmethod
    def anonymize(self, tables: Tables) -> Tables:
        """Return the rewritten pair. Reads and writes through ``tables`` only."""

    @final
    def run(self, tables: Tables) -> Anonymization:
        """Anonymise, then prove it: `rewrite`, then `prove`."""
        return self.prove(tables, self.rewrite(tables))

    @final
    def rewrite(self, tables: Tables) -> Tables:
        """Anonymise, unless no release can satisfy the models.

        Raises
        ------
        UnsatisfiableError
            If there are fewer records than the smallest class that the models allow, or even all of them together
            are no satisfying class.
        ModelError
            If a privacy model by other people fails, or its answers are none.
        """
        if tables.persons is not None:
            require_person_support(type(self), self.models)
        tables = self._choose_attacker(tables)
        for model in self.models:
            _require_answers(tables, model)
        self._require_enough(tables)
        searched = tables.fold()
        for model in self.models:
            # What is left of the table may satisfy a model that all of it does not.
            if model.suppression_helps or not self.suppression_limit:
                _require_hope(searched, model)
        self._require_levels(tables)
        with self._raise_named_errors():
            finished = self._counting(searched).anonymize(searched)
        return tables.unfold(finished)

    def can_list_nodes(self) -> bool:
        """Return whether it lists nodes without another search than usual, so that the release is the same."""
        return self.lists_nodes

    def _choose_attacker(self, tables: Tables) -> Tables:
        """Return tables whose persons are judged by their profiles only if the method does so: else row by row."""
        if not tables.joins_rows or self.supports_profiles(self.models):
            return tables
        assert tables.persons is not None
        return replace(tables, persons=replace(tables.persons, joined=False))

    @classmethod
    def supports_profiles(cls, models: Iterable[PrivacyModel]) -> bool:
        """Return whether the method makes persons alike in all of their records together, for these models."""
        return cls.judges_profiles and not any(model.looks_beyond_class for model in models)

    def _require_enough(self, tables: Tables) -> None:
        """Stop where there are fewer records, or persons, than the smallest class that the models allow."""
        strictest = max(self.models, key=lambda model: model.least_records)
        if tables.person_count < strictest.least_records:
            needed = f"{strictest.least_records}" if strictest.required < 1e15 else f"{strictest.required:g}"
            found = format_count(tables.person_count, "record" if tables.persons is None else "person")
            by = "" if tables.persons is None else f" (by {tables.persons.name})"
            raise UnsatisfiableError(
                f"The table has {found}{by}, and a class needs at least {needed}. "
                f"Lower {' or '.join(strictest.parameters())}, or add records."
            )

    def _require_levels(self, tables: Tables) -> None:
        """Stop where levels are declared that do not exist, or that the method would not keep."""
        bounded = [column for column in tables.quasi_identifiers if column.attribute and column.attribute.has_levels]
        for column in bounded:
            if not self.bounds_levels:
                raise UsageError(
                    f"{column.name} has a lowest or highest level, which means nothing to {self.name}. "
                    "Leave it out, or choose Flash, OLA, MinGen, Incognito or Datafly."
                )
            assert column.attribute is not None
            if (fault := find_levels_fault(column.attribute, column.height)) is not None:
                raise UsageError(" ".join(fault))

    def _counting(self, tables: Tables) -> Self:
        """Return the method with a limit of records, where it has a share of them."""
        limit = self.suppression_limit
        if not isinstance(limit, Portion):
            return self
        everybody = tables.person_count if tables.suppresses_persons else tables.record_count
        counted: Mapping[str, Any] = {"suppression_threshold": limit.of(everybody)}
        return replace(self, **counted)

    @classmethod
    @contextmanager
    def _raise_named_errors(cls) -> Iterator[None]:
        """Raise an error that names the line in which other people's method fails, instead of lines of our own."""
        try:
            yield
        except (Exception, SystemExit) as error:
            is_told = isinstance(error, (ToolboxError, AssertionError)) and not isinstance(error, EngineError)
            if is_told or cls.__module__.startswith("toolbox."):
                raise
            kind = type(error.__cause__ if isinstance(error, EngineError) else error).__name__
            raise MethodError(cls.name, kind, *find_last_line(error, cls.__module__)) from error

    @final
    def prove(self, initial: Tables, finished: Tables, *, tells_classes_apart: bool = False) -> Anonymization:
        """Check the finished tables, independently of how the method made them.

        Raises
        ------
        ProofError
            If they do not hold.
        """
        if not isinstance(finished, Tables):
            raise ProofError(f"{self.name} returned {type(finished).__name__}, not Tables. Nothing was released.")
        initial = self._choose_attacker(initial)
        proof = prove(initial, finished, self.models, tells_classes_apart=tells_classes_apart)
        limit = self.suppression_limit or 0
        counted, lost, what = initial.record_count, proof.records_suppressed, "records"
        if proof.persons is not None and proof.persons.suppressed_by == "person":
            counted, lost, what = initial.person_count, proof.persons.suppressed, "persons"
        allowed = limit.of(counted) if isinstance(limit, Portion) else limit
        if lost > allowed:
            problem = f"{self.name} suppressed {lost} {what}, more than the {allowed} allowed"
            raise ProofError(f"Proof failed: {problem}. Nothing was released; this is a fault of the method.")
        return Anonymization(restore_tables(initial, finished, proof), proof)

    def measure(
        self, tables: Tables, models: Sequence[PrivacyModel], *, tells_classes_apart: bool = False
    ) -> Anonymization:
        """Anonymise, and measure what models achieve on the finished tables, be it enough or not; prove all else."""
        finished = self.rewrite(tables)
        proof = judge(tables, finished, models, tells_classes_apart=tells_classes_apart)
        return Anonymization(restore_tables(tables, finished, proof), proof)

    @final
    def settings(self) -> dict[str, str]:
        """Return the method's own settings, as text; without the seed, which would undo the shuffling."""
        names = (field_.name for field_ in fields(self) if field_.name not in ("models", "seed"))
        # What is empty is not set.
        return {name: text for name in names if (text := str(getattr(self, name)))}

    @classmethod
    @final
    def facts(cls, called: str | None = None) -> MethodFacts:
        """Return what a configuration must know of the method, under the name by which it was called."""
        settings = {field_.name: field_.metadata["words"] for field_ in fields(cls) if "words" in field_.metadata}
        checks = {field_.name: check for field_ in fields(cls) if (check := field_.metadata.get("check")) is not None}
        alias = next((alias for alias in cls.aliases if called and alias.lower() == called.lower()), None)
        return MethodFacts(
            name=alias or cls.name,
            full_domain=cls.full_domain,
            climbs=cls.climbs or cls.full_domain,
            bounds_levels=cls.bounds_levels,
            settings=settings,
            checks=checks,
            parameter=cls.parameter if alias is None else cls.aliases[alias],
            only_format=cls.only_format,
        )

    @classmethod
    @final
    def configured(cls, config: Config, models: tuple[PrivacyModel, ...]) -> Self:
        """Make the method with the settings of a configuration."""
        declared: dict[str, Any] = {name.lower(): value for name, value in config.settings.items()}
        threshold = config.k if config.suppression_threshold is None else config.suppression_threshold
        helps = all(model.suppression_helps for model in models)
        is_meant = helps or (cls.suppresses_for_any and config.suppression_threshold is not None)
        common: Mapping[str, Any] = {
            "suppression_threshold": threshold if is_meant else 0,
            "seed": config.seed,
        }
        names = {field_.name for field_ in fields(cls)}
        for name in declared:
            if name not in cls.facts().settings:
                known = sorted(cls.facts().settings)
                listed = f"It has: {', '.join(known)}." if known else "It has none."
                raise UsageError(f"{cls.name} has no setting {name!r}.{did_you_mean(name, known)} {listed}")
        usual = dict(cls.in_compatibility if config.compatibility.has_original_settings else {})
        if config.output.recoding is not None:
            usual |= cls._require_savable(declared)
        chosen = {name: value for name, value in {**common, **usual, **declared}.items() if name in names}
        with cls._raise_named_errors():
            method = cls(models=models, **chosen)
        if method.models != models:
            raise ProofError(f"{cls.name} has other privacy models than it was given. Nothing was released.")
        return method

    @classmethod
    def _require_savable(cls, declared: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the settings with which a recoding can be saved; stop where it cannot, or others are declared."""
        if cls.saved_with is None and not cls.full_domain:
            able = _list_able(lambda other: other.full_domain or other.saved_with is not None)
            raise UsageError(f"A recoding of {cls.name} cannot be saved. Those that can: {able}.")
        for name, value in (cls.saved_with or {}).items():
            if declared.get(name, value) != value:
                raise SettingError(name, declared[name], f"{value!r}, as a recoding is saved")
        return cls.saved_with or {}


def _check_setting(declared: Field[Any], value: str) -> None:
    """Stop where a setting has a check, and fails it."""
    check = declared.metadata.get("check")
    if check is None or not value.strip():
        return
    try:
        check(value)
    except BadValueError as error:
        _, remedy = error.args
        raise SettingError(declared.name, value, remedy.removeprefix("Write ").removesuffix(".")) from error


def _require_answers(tables: Tables, model: PrivacyModel) -> None:
    """Ask a model by other people about all records as one class, before a search asks it thousands of times."""
    if type(model).__module__.partition(".")[0] == "toolbox":
        return
    for name, kind, wanted in (("least_records", Integral, "a whole number"), ("required", Real, "a number")):
        with model.errors_told():
            value = getattr(model, name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ModelError(model.name, f"{name} is {type(value).__name__}", f"Return {wanted}.")
    _measure_whole_table(tables, model)


def _measure_whole_table(tables: Tables, model: PrivacyModel) -> tuple[float, bool]:
    """Return what all records achieve as one class, and whether that is enough."""
    if isinstance(model, ReleaseModel):
        return model.judge([(tables.person_count, 1)])
    measured = model.measured(make_single_class(tables, model.attribute))
    asked = select(measured.c.achieved, model.judged("holds", measured.c.achieved), measured.c.equivalence_id)
    with model.errors_told():
        rows = tables.store.rows(asked)
    problem = "" if len(rows) == 1 else f"of one class it has {format_count(len(rows), 'row')}"
    if not problem:
        (achieved, is_enough, named), *_ = rows
        if not isinstance(achieved, (Real, Decimal)) or isinstance(achieved, bool):
            problem = f"achieved is {type(achieved).__name__}, no number"
        elif not isinstance(is_enough, bool):
            problem = f"holds() is {type(is_enough).__name__}, neither true nor false"
        elif named != 0:
            problem = "its equivalence_id is that of no class"
        else:
            return float(achieved), is_enough
    remedy = "It must give each class one row: its equivalence_id, and achieved, a number that holds() can judge."
    raise ModelError(model.name, problem, remedy)


def _require_hope(tables: Tables, model: PrivacyModel) -> None:
    """Stop where all records together, as one class, do not satisfy a model: no method is sure of a release then."""
    if not model.monotone or (tables.person_pairs is not None and not model.holds_with_others):
        return
    achieved, is_enough = _measure_whole_table(tables, model)
    if not is_enough:
        remedy = f" Choose another {' or '.join(model.parameters())}." if model.parameters() else ""
        raise UnsatisfiableError(
            f"No release can satisfy {model}: even all records together achieve only {achieved:.6g}.{remedy}"
        )


# The registry of methods: the entry points of the group ``toolbox.methods``, or a class that a user names.

GROUP = "toolbox.methods"


def load_known_methods() -> Installed[Anonymizer]:
    """Load every installed method; what cannot be used is left out, and listed."""
    return load_installed(GROUP, Anonymizer, "method", _list_method_names)  # type: ignore[type-abstract]


def list_installed_methods() -> Mapping[str, type[Anonymizer]]:
    """Return every method that is installed and can be used, by its name and aliases in lower case."""
    return load_known_methods().classes


def _list_method_names(method: type[Anonymizer]) -> tuple[str, ...]:
    method.facts()
    names = method.name, *method.aliases
    for name in names:
        method.facts(name)
    return names


def find_method(given: str | type[Anonymizer]) -> type[Anonymizer]:
    """Find a method.

    Parameters
    ----------
    given : str or subclass of Anonymizer
        The name of an installed method in any case, ``package.module:Class``, or the class itself.

    Raises
    ------
    UsageError
        If there is none, or a plug-in of that name cannot be used.
    """
    if not isinstance(given, str):
        return require_usable(given, Anonymizer, f"The method {getattr(given, '__name__', given)!r}")  # type: ignore[type-abstract]
    if is_reference(given):
        return load_reference(given, Anonymizer, "method")  # type: ignore[type-abstract]
    methods, given = list_installed_methods(), given.strip()
    if given.lower() not in methods:
        load_known_methods().require_sound(given)
        known = sorted({method.name for method in methods.values()})
        raise UsageError(f"There is no method {given!r}.{did_you_mean(given, known)} Installed: {', '.join(known)}.")
    return methods[given.lower()]


def require_support(method: type[Anonymizer], models: Iterable[PrivacyModel]) -> None:
    """Stop where a method cannot compare classes with a population, or with each other, and a model asks for it.

    Raises
    ------
    UsageError
        With the methods that can.
    """
    asked = tuple(models)
    if any(model.needs_columns for model in asked) and (counting := [m for m in asked if m.counts_outside]):
        comparing = next(model for model in asked if model.needs_columns)
        raise UsageError(f"{comparing} and {counting[0]} cannot be required together. Leave one of them out.")
    for model in asked:
        if model.looks_beyond_class and not method.supports(model):
            raise UsageError(f"{method.name} cannot honour {model}. Those that can: {_list_able(models=(model,))}.")


def require_person_support(
    method: type[Anonymizer], models: Iterable[PrivacyModel], *, by_profile: bool = False, suppress_by: str = ""
) -> None:
    """Stop where a method counts records alone, and persons are declared; or rows alone, and profiles are asked for.

    Rows or persons are to be suppressed, as ``suppress_by`` says, if it says ``row`` or ``person``.

    Raises
    ------
    UsageError
        With the methods that can count persons.
    """
    asked = tuple(models)
    if method.counts_persons:
        if by_profile:
            _require_profile_support(method, asked)
        if suppress_by:
            _require_suppression(method, asked, suppress_by, by_profile=by_profile)
        return
    able = _list_able(lambda other: other.counts_persons, asked)
    raise UsageError(f"{method.name} counts records, not persons. Those that count persons: {able}.")


def require_weight_support(method: type[Anonymizer]) -> None:
    """Stop where a method cannot estimate people by the weights of records.

    Raises
    ------
    UsageError
        With the methods that can.
    """
    register = choose_setting_name("<population filename='..'/>", options="--population FILE", python="population=")
    if not method.weighs_records:
        able = _list_able(lambda other: other.weighs_records)
        raise UsageError(f"{method.name} cannot honour k-map by weights. Those that can: {able}. Or write {register}.")


def _require_profile_support(method: type[Anonymizer], asked: Sequence[PrivacyModel]) -> None:
    """Stop where a method judges each row by itself, and persons are to be alike in all of their rows together."""
    if method.supports_profiles(asked):
        return
    for model in asked:
        if model.looks_beyond_class:
            raise UsageError(f"{model} judges each row by itself, not the rows of a person together. Leave it out.")
    able = _list_able(lambda other: other.supports_profiles(asked), asked)
    raise UsageError(
        f"{method.name} judges each row by itself. Those that judge the rows of a person together: {able}."
    )


def _require_suppression(method: type[Anonymizer], asked: Sequence[PrivacyModel], by: str, *, by_profile: bool) -> None:
    """Stop where a method, or a model, cannot suppress persons with all of their records, or single ones of these."""
    said = choose_setting_name(f"suppressBy='{by}'", options=f"--suppress-by {by}", python=f"suppress_by='{by}'")
    if by == "row":
        if by_profile:
            raise UsageError(f"Persons who are judged by all of their rows are suppressed with them. Leave {said} out.")
        return
    if comparing := [model for model in asked if model.looks_beyond_class]:
        raise UsageError(f"{said}: {comparing[0]} does not judge each class by itself. Leave one of both out.")
    if not method.suppresses_persons:
        able = _list_able(lambda other: other.suppresses_persons, asked)
        raise UsageError(f"{said}: {method.name} suppresses single rows. Those that can: {able}.")


def _list_able(
    is_able: Callable[[type[Anonymizer]], bool] = lambda _: True, models: Sequence[PrivacyModel] = ()
) -> str:
    """List the names of the installed methods that can do something, and honour some models."""
    methods = (method for method in list_installed_methods().values() if is_able(method))
    return ", ".join(sorted({method.name for method in methods if all(map(method.supports, models))}))


class KnownMethods(KnownNames[MethodFacts]):
    """The installed methods by name and aliases in lower case; what is asked for as a reference is imported."""

    def __missing__(self, name: str) -> MethodFacts:
        if not is_reference(name):
            raise KeyError(name)
        return replace(find_method(name).facts(), name=name)


def collect_method_facts() -> KnownMethods:
    """Return the facts of every installed method, and of ``package.module:Class`` if it asks for one."""
    installed = load_known_methods()
    return KnownMethods({name: method.facts(name) for name, method in installed.classes.items()}, installed)


# The base of methods that may suppress records, up to a threshold that the user sets.


@dataclass(frozen=True, kw_only=True)
class SuppressingAnonymizer(Anonymizer):
    """A method that may suppress records, up to a limit.

    Parameters
    ----------
    models : tuple of PrivacyModel
    suppression_threshold : int or Portion, >= 0
        Most records that may be suppressed, or most of a hundred. Only where suppression helps all models.
    """

    suppresses_persons: ClassVar[bool] = False

    suppression_threshold: int | Portion = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_threshold(self.suppression_threshold)
        if self.suppresses_for_any:
            return
        unhelped = [model.name for model in self.models if not model.suppression_helps]
        if self.suppression_threshold and unhelped:
            raise SettingError(
                find_suppression_setting(), self.suppression_threshold, f"0: suppression does not help {unhelped[0]}"
            )


def require_threshold(threshold: int | Portion) -> None:
    """Stop where a number of records cannot be the most that may be suppressed."""
    amount = threshold.amount if isinstance(threshold, Portion) else threshold
    if amount < 0:
        raise SettingError(find_suppression_setting(), threshold, "a whole number of records, 0 or more")
