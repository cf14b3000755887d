"""The models, the method and the loss metrics that a call names, and the population that models compare with."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from toolbox.config.model import Attribute, Config, Input
from toolbox.errors import InputError, UnknownColumnError, UsageError, name_option
from toolbox.flows.arguments.checks import TABLE, make_text_input, require_list
from toolbox.messages import choose_setting_name
from toolbox.methods.anonymizer import (
    Anonymizer,
    find_method,
    require_person_support,
    require_support,
)
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.registry import check_hierarchies, make_models
from toolbox.release.returned import prepare_for_engine
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.memory import as_arrow
from toolbox.store.input.source import Source, open_arrow_source
from toolbox.store.input.text_file import choose_fitting_input
from toolbox.store.load.loading import Loaded, Loading

if TYPE_CHECKING:
    import pyarrow as pa


# The privacy models and the method of a call: that they fit the declared columns, and each other.

_Default = TypeVar("_Default", int, None)


def list_call_models(models: Sequence[PrivacyModel] | None) -> tuple[PrivacyModel, ...]:
    """Return the models of a call; None is none.

    Raises
    ------
    UsageError
        If it is no list.
    """
    if isinstance(models, PrivacyModel):
        raise UsageError("models= is one model. Write a list, such as [KAnonymity(k=5)].")
    return require_list("models", models, "of models")


def add_k_anonymity(models: Sequence[PrivacyModel], k: int) -> tuple[PrivacyModel, ...]:
    """Return models with k-anonymity as one more, unless it is there."""
    return tuple(dict.fromkeys((*models, KAnonymity(k=k))))


def check_models(models: Sequence[PrivacyModel], protected: Sequence[Attribute]) -> None:
    """Stop where an argument is no model, or a model protects a column that is not declared as sensitive.

    Raises
    ------
    UsageError
    """
    known = [str(attribute.column) for attribute in protected]
    for model in list_call_models(models):
        if not isinstance(model, PrivacyModel):
            name = getattr(model, "__name__", type(model).__name__)
            raise UsageError(f"models= holds {name}, which is no privacy model. Write [KAnonymity(k=5)], say.")
        if model.attribute is not None and model.attribute not in known:
            place = choose_setting_name("The command line, in --sensitive,", python="The call, in sensitive=,")
            raise UnknownColumnError(model.attribute, place, known)


def find_smallest_class(models: Sequence[PrivacyModel], default: _Default) -> int | _Default:
    """Return the largest k of the models that require classes of k records; the default if none does."""
    return max((int(model.parameters()["k"]) for model in models if model.k_is_class_size), default=default)


def models_of(config: Config, models: Sequence[PrivacyModel] = ()) -> tuple[PrivacyModel, ...]:
    """Return the models of the caller, or else those of the configuration.

    Raises
    ------
    UsageError
        If a model needs a hierarchy that its attribute has not.
    """
    judges = tuple(models) or make_models(config.requirements)
    check_hierarchies(judges, config.sensitive)
    return judges


def find_judged_attributes(models: Sequence[PrivacyModel]) -> dict[str, bool]:
    """Return the sensitive attributes that are judged, and whether one of their models must know their values."""
    needs = [(model.attribute, model.needs_kind) for model in models if model.attribute is not None]
    return {name: any(kind for other, kind in needs if other == name) for name, _ in needs}


def make_method(config: Config, judges: tuple[PrivacyModel, ...], method: type[Anonymizer] | None = None) -> Anonymizer:
    """Return the method with its settings; the one that the configuration names, unless it is given.

    Raises
    ------
    UsageError
        If its classes cannot be released in the format, or it cannot list the nodes that are asked for.
    """
    chosen = method or find_method(config.method)
    only = chosen.only_format
    if only not in (None, config.output.format.name):
        raise UsageError(f"{config.method} releases only {only}. Write output_format='{only}'.")
    if config.output.lattice is not None and not chosen.lists_nodes:
        raise UsageError(
            f"{name_option('lattice')}: {chosen.name} lists no nodes. Leave it out, or choose Flash, OLA or MinGen."
        )
    require_support(chosen, judges)
    if config.person:
        require_person_support(chosen, judges, by_profile=config.attacker == "profile")
    return chosen.configured(config, judges)


# The population of a run: named in a configuration or given by a caller, and read only if a model compares with it.

_NOT_READ: Final = "The population was not read: no required model compares with it, as k-map does."


@dataclass(frozen=True)
class Population:
    """The people who could be in a table.

    Parameters
    ----------
    config : Config
    table : Input or pyarrow.Table, optional
        Where they are; None: nobody names them.
    is_asked_for : bool
        Whether a model may compare with them; otherwise they are not read.
    """

    config: Config
    table: Input | pa.Table | None
    is_asked_for: bool = True

    def require_for_models(self, models: Sequence[PrivacyModel]) -> Self:
        """Return it for models that may compare with it, or may not.

        Raises
        ------
        UsageError
            If one does, and nobody names it.
        """
        return replace(self, is_asked_for=require_population(models, is_named=self.table is not None))

    def expect(self, store: Store) -> None:
        """Register the files that will be read with the store, before anything is read."""
        if self.is_asked_for and isinstance(self.table, Input):
            with suppress(InputError):  # which opening them reports
                for path in InputFiles(self.table).paths:
                    store.gate.expect(path)

    def source(self, store: Store) -> Source | None:
        """Open it; None if it is not asked for."""
        if not self.is_asked_for or self.table is None:
            return None
        if isinstance(self.table, Input):
            return InputFiles(self.table).source(store)
        source = open_arrow_source(store, prepare_for_engine(self.table, self.config.column_names), added=1)
        source.name = "the population"
        return source

    def loaded(self, loader: Loading, store: Store) -> Loaded:
        """Load a table beside it; its files must not change meanwhile."""
        files = self.table if self.is_asked_for and isinstance(self.table, Input) else None
        with nullcontext() if files is None else InputFiles(files).watch_reading():
            loaded = loader.load(self.source(store), asks=True)
        is_idle = self.table is not None and not self.is_asked_for
        return replace(loaded, notes=(*loaded.notes, _NOT_READ)) if is_idle else loaded


def find_population(config: Config, given: Any = None) -> Population:
    """Return the population of a run.

    Parameters
    ----------
    config : Config
        May name it.
    given : path or table, optional
        What a caller says instead.

    Raises
    ------
    InputError
        If it is no table.
    """
    table: Input | pa.Table | None
    if given is None or isinstance(given, (str, Path)):
        table = find_population_input(config, None if given is None else Path(given))
    else:
        declared = {str(attribute.column) for attribute in config.quasi_identifiers}
        table = as_arrow(given, declared=declared, mixed_as_texts=True)
    return Population(config, table)


def find_named_population(config: Config, named: Any) -> Any:
    """Return the population that is named, a path as its files are read, or else that of the configuration."""
    return find_population_input(config, named) if named is None or isinstance(named, Path) else named


def find_population_input(config: Config, path: Path | None) -> Input | None:
    """Return how the files of a population are read, those of the configuration where no path is given.

    Its separator is that of the input, or another one with which more of the quasi-identifiers are found, unless the
    configuration names it.
    """
    declared = config.input
    # A table of a caller says nothing of files.
    base = declared if declared and (declared.header or declared.path != TABLE) else make_text_input(None, None)
    files = config.population if path is None else base.copy_for_table(path)
    if files is None or not files.guesses_separator:
        return files
    files = replace(files, separator=base.separator)
    return choose_fitting_input(files, [str(one.column) for one in config.quasi_identifiers]) if files.header else files


def require_population(models: Sequence[PrivacyModel], *, is_named: bool) -> bool:
    """Return whether a model compares with a population.

    Raises
    ------
    UsageError
        If one does, and nobody names the population.
    """
    asking = [model for model in models if model.needs_population]
    if asking and not is_named:
        remedy = choose_setting_name("<population filename='..'/>", options="--population FILE", python="population=")
        raise UsageError(f"{asking[0]} compares with a population, and none is named. Write {remedy}.")
    return bool(asking)


def require_counted_alone(models: Sequence[PrivacyModel], why: str) -> None:
    """Stop where a model asks for more than the counts of each class: for a population, or for other classes.

    Raises
    ------
    UsageError
    """
    if comparing := [model for model in models if model.needs_columns or model.of_release]:
        elsewhere = "Read the records here: toolbox anonymize people.csv, or toolbox.anonymize; or require k-anonymity."
        raise UsageError(f"{comparing[0]} is not counted where {why}. {elsewhere}")
    asking = [model for model in models if model.needs_population]
    if asking:
        elsewhere = "Read the records here: toolbox anonymize people.csv --population FILE, or toolbox.anonymize."
        raise UsageError(f"{asking[0]} compares with a population, which is not read where {why}. {elsewhere}")
