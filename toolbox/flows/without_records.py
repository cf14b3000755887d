"""What two flows share that never see a record: from counted combinations to what becomes of each."""

from __future__ import annotations

from dataclasses import dataclass, replace

from toolbox.config.model import Config
from toolbox.flows.beside import asked_for_nodes
from toolbox.methods.anonymizer import Anonymization, Anonymizer
from toolbox.privacy.model import PrivacyModel
from toolbox.release.formats.one_table import statistics_header
from toolbox.release.mapping import Mapping, mapping_of
from toolbox.report.solved import SolvedResult
from toolbox.report.summarising import WrittenRelease, summarise
from toolbox.report.summary import Summary
from toolbox.risks.passing.columns import PassedColumn
from toolbox.steps import Steps
from toolbox.store.loading import Loaded, Loading
from toolbox.store.tables import Tables


@dataclass(frozen=True)
class Made:
    """A release without its records."""

    loaded: Loaded
    anonymization: Anonymization
    mapping: Mapping
    headers: tuple[str, ...]
    """What a release calls the columns `Mapping.shown` of its classes."""
    models: tuple[PrivacyModel, ...]
    """What every class satisfies."""

    def summary(
        self,
        config: Config,
        method: Anonymizer,
        steps: Steps,
        *,
        passed: tuple[PassedColumn, ...] = (),
        release: tuple[str, ...] = (),
    ) -> Summary:
        """Summarise the run.

        Parameters
        ----------
        passed : tuple of PassedColumn
            The columns that are released as they are.
        release : tuple of str
            The places of the release.
        """
        written = WrittenRelease(
            files=release,
            leftovers=(),
            digests={"input": None, "configuration": None, "release": {}},
            formulas=(),
            solved=tuple(SolvedResult(*column) for column in self.mapping.solved),
        )
        # No records are put into an order here, which a seed could betray.
        unordered = replace(config, seed=None)
        timings = steps.timings()
        summary = summarise(unordered, method, self.loaded, self.anonymization, written, passed=passed, timings=timings)
        return replace(summary, knows_people=config.rows_are_people or not config.identifiers)


def made_of(loading: Loading, method: Anonymizer, config: Config, steps: Steps) -> Made:
    """Load combinations, anonymise and prove them, and find out what becomes of each.

    Raises
    ------
    ToolboxError
        Whatever is wrong.
    """
    with steps.step("read"):
        loaded = loading.load()
    with steps.step(method.name):
        finished = method.rewrite(asked_for_nodes(replace(loaded.tables, report=steps.say), config))
    with steps.step("prove"):
        shows = config.output.format.tells_classes_apart
        anonymization = method.prove(loaded.tables, finished, tells_classes_apart=shows)
    mapping = mapping_of(anonymization.tables, config)
    headers = _headers(anonymization.tables, has_statistics=config.output.format.has_statistics)
    return Made(loaded, anonymization, mapping, headers, method.models)


def _headers(tables: Tables, *, has_statistics: bool) -> tuple[str, ...]:
    statistics = [statistics_header(attribute.name, attribute) for attribute in tables.quasi_identifiers]
    return (*(attribute.name for attribute in tables.quasi_identifiers), *(statistics if has_statistics else ()))
