"""The population of a run: named in a configuration or given by a caller, and read only if a model compares with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolbox.config.model import Config, Input
from toolbox.errors import InputError, UsageError
from toolbox.flows.tables import TableSource
from toolbox.flows.text_input import TABLE, text_input
from toolbox.messages import either
from toolbox.privacy.model import PrivacyModel
from toolbox.release.in_memory import for_engine
from toolbox.store.caller import as_arrow
from toolbox.store.inputs import InputFiles
from toolbox.store.separators import fitting_input
from toolbox.store.source import Source, arrow_source
from toolbox.store.store import Store


@dataclass(frozen=True)
class Population:
    """Opens the people who could be in a table.

    Parameters
    ----------
    config : Config
    table : Input or pyarrow.Table, optional
        Where they are; None: nobody names them.
    """

    config: Config
    table: TableSource | None

    def known_for(self, models: Sequence[PrivacyModel]) -> Population | None:
        """Return the population if a model compares with it.

        Raises
        ------
        UsageError
            If one does, and nobody names the population.
        """
        return self if require_population(models, is_named=self.table is not None) else None

    def notes_for(self, models: Sequence[PrivacyModel]) -> tuple[str, ...]:
        """Return a note if it is named for nothing."""
        if self.table is None or any(model.needs_population for model in models):
            return ()
        return ("The population was not read: no required model compares with it, as k-map does.",)

    def source(self, store: Store) -> Source:
        """Open it. Name it to the store before anything is read: `expect`."""
        if isinstance(self.table, Input):
            return InputFiles(self.table).source(store)
        source = arrow_source(store, for_engine(self.table, self.config.column_names), added=1)
        source.name = "the population"
        return source

    def expect(self, store: Store) -> None:
        """Tell the store that these files will be read."""
        if isinstance(self.table, Input):
            with suppress(InputError):  # which opening them reports
                for path in InputFiles(self.table).paths:
                    store.gate.expect(path)


def population_of(config: Config, given: Any = None) -> Population:
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
    if given is None or isinstance(given, (str, Path)):
        return Population(config, population_files(config, None if given is None else Path(given)))
    declared = {str(attribute.column) for attribute in config.quasi_identifiers}
    return Population(config, as_arrow(given, declared=declared, mixed_as_texts=True))


def population_files(config: Config, path: Path | None) -> Input | None:
    """Return how the files of a population are read, those of the configuration where no path is given.

    Its separator is that with which most of the quasi-identifiers are found, unless the configuration names it.
    """
    if path is None:
        files = config.population
    else:
        declared = config.input
        # A table of a caller says nothing of files.
        is_file = declared is not None and (declared.header or declared.path != TABLE)
        files = (declared if declared and is_file else text_input(None, None)).of_another_table(path)
    if files is None or not (files.guesses_separator and files.header):
        return files
    return fitting_input(files, [str(attribute.column) for attribute in config.quasi_identifiers])


@contextmanager
def opened(population: Population | None, store: Store) -> Iterator[Source | None]:
    """Open a population for a block, if there is one; its files must not change meanwhile."""
    table = None if population is None else population.table
    with InputFiles(table).being_read() if isinstance(table, Input) else nullcontext():
        yield None if population is None else population.source(store)


def require_population(models: Sequence[PrivacyModel], *, is_named: bool) -> bool:
    """Return whether a model compares with a population.

    Raises
    ------
    UsageError
        If one does, and nobody names the population.
    """
    asking = [model for model in models if model.needs_population]
    if asking and not is_named:
        remedy = either("<population filename='..'/>", options="--population FILE", python="population=")
        raise UsageError(f"{asking[0]} compares with a population, and none is named. Write {remedy}.")
    return bool(asking)


def require_no_population(models: Sequence[PrivacyModel], why: str) -> None:
    """Stop where a model compares with a population, which is not read.

    Raises
    ------
    UsageError
    """
    asking = [model for model in models if model.needs_population]
    if asking:
        elsewhere = "Read the records here: toolbox anonymize people.csv --population FILE, or toolbox.anonymize."
        raise UsageError(f"{asking[0]} compares with a population, which is not read where {why}. {elsewhere}")
