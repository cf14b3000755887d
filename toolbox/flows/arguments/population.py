"""The population of a run: named in a configuration or given by a caller, and read only if a model compares with it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from toolbox.config.model import Config, Input
from toolbox.errors import InputError, UsageError
from toolbox.flows.arguments.checks import TABLE, SampleDesign, make_text_input
from toolbox.messages import choose_setting_name
from toolbox.methods.anonymizer import Anonymizer, require_weight_support
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.models.k_map import KMap
from toolbox.release.returned import prepare_for_engine
from toolbox.store.engine.store import Store
from toolbox.store.input.files import InputFiles
from toolbox.store.input.memory import as_arrow
from toolbox.store.input.source import Source, open_arrow_source
from toolbox.store.input.text_file import choose_fitting_input
from toolbox.store.load.loading import Loaded, Loading

if TYPE_CHECKING:
    import pyarrow as pa

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
    is_estimated : bool
        Whether the records of the table stand for them, which is a sample.
    """

    config: Config
    table: Input | pa.Table | None
    is_asked_for: bool = True
    is_estimated: bool = False

    def require_for_models(self, models: Sequence[PrivacyModel], method: type[Anonymizer]) -> Self:
        """Return it for models that may compare with it, or may not, and for the method that honours them.

        Raises
        ------
        UsageError
            If one does, and nobody names it, and it cannot be estimated either.
        """
        if self.table is None and SampleDesign.of(self.config).is_declared:
            asking = [model for model in models if model.needs_population]
            if asking and all(isinstance(model, KMap) for model in asking):
                require_weight_support(method)
                return replace(self, is_estimated=True)
        return replace(self, is_asked_for=require_population(models, is_named=self.table is not None, may_weigh=True))

    @property
    def is_remote(self) -> bool:
        """Whether it is a table of an engine, and asked for."""
        return self.is_asked_for and isinstance(self.table, Input) and self.table.remote is not None

    @property
    def weights(self) -> tuple[str, ...]:
        """The column of the table by which they are estimated, if there is one."""
        return SampleDesign.of(self.config).columns if self.is_estimated else ()

    def expect(self, store: Store) -> None:
        """Register the files that will be read with the store, before anything is read."""
        if self.is_asked_for and isinstance(self.table, Input) and not self.is_remote:
            with suppress(InputError):  # which opening them reports
                for path in InputFiles(self.table).paths:
                    store.gate.expect(path)

    def source(self, store: Store, own: Source | None = None) -> Source | None:
        """Open it; None if it is not asked for, and the table itself if its records stand for people."""
        if self.is_estimated:
            return own
        if not self.is_asked_for or self.table is None:
            return None
        if isinstance(self.table, Input):
            return InputFiles(self.table).source(store)
        source = open_arrow_source(store, prepare_for_engine(self.table, self.config.column_names), added=1)
        source.name = "the population"
        return source

    def loaded(self, loader: Loading, store: Store, own: Source) -> Loaded:
        """Load a table beside it; its files must not change meanwhile."""
        files = self.table if self.is_asked_for and isinstance(self.table, Input) else None
        with nullcontext() if files is None else InputFiles(files).watch_reading():
            loaded = loader.load(self.source(store, own), asks=True)
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


def require_population(
    models: Sequence[PrivacyModel], *, is_named: bool, may_weigh: bool = False, of_session: Config | None = None
) -> bool:
    """Return whether a model compares with a population.

    Parameters
    ----------
    may_weigh : bool
        Whether weights of the records could say it as well.
    of_session : Config, optional
        What a session runs, which sums up no weights.

    Raises
    ------
    UsageError
        If one does, and nobody names the population.
    """
    asking = [model for model in models if model.needs_population]
    if asking and not is_named:
        remedy = choose_setting_name("<population filename='..'/>", options="--population FILE", python="population=")
        if may_weigh and isinstance(asking[0], KMap):
            weight = choose_setting_name("sampleWeight='NAME'", options="--sample-weight NAME", python="sample_weight=")
            remedy = f"{remedy}, or {weight} if the records are a sample"
        if of_session is not None and (sample := SampleDesign.of(of_session)).is_declared:
            raise UsageError(
                f"A session does not estimate {asking[0]} {sample.basis}: it compares with a register. Write {remedy}, "
                "or make the release: toolbox.anonymize estimates it."
            )
        raise UsageError(f"{asking[0]} compares with a population, and none is named. Write {remedy}.")
    return bool(asking)
