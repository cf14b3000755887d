"""A data set of a study, read once: runs on it, and who became what."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from secrets import token_bytes
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from toolbox.config.file_names import list_input_files
from toolbox.config.model import Config, Input, Limits, Output
from toolbox.config.reading.overrides import Overrides
from toolbox.errors import InputError, UnknownColumnError
from toolbox.experiments.plan.plan import DataSet
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments
from toolbox.flows.arguments.checks import AS_SAID, Reading
from toolbox.flows.arguments.configuration import read_configuration
from toolbox.flows.explore.compare import find_compared_methods
from toolbox.flows.session.loads import Load, OpenedTable
from toolbox.flows.session.opening import open_table
from toolbox.flows.session.run import Cancelling, RequestedFigures, preview_release
from toolbox.flows.session.variants import KeptVariants, load_original, make_run_request
from toolbox.hierarchy.builders.words import parse_builder_words
from toolbox.privacy.model import PrivacyModel
from toolbox.queries.dialect import find_row_place
from toolbox.report.runs.compare import Variant
from toolbox.steps import Steps
from toolbox.store.input.formats.first_bytes import require_regular
from toolbox.store.input.source import column_text

if TYPE_CHECKING:
    import pandas as pd

_TABLES = ("hierarchies", "kinds", "priorities", "weights")


@dataclass(eq=False)
class OpenedData:
    """A data set whose combinations are kept.

    Parameters
    ----------
    table : OpenedTable
        With records, if learners are to see them.
    """

    data: DataSet
    table: OpenedTable
    variants: KeptVariants = field(init=False)

    def __post_init__(self) -> None:
        self.variants = KeptVariants(self.table)

    @classmethod
    def of(cls, stack: ExitStack, data: DataSet, limits: Limits, *, with_records: bool) -> OpenedData:
        """Read a data set.

        Raises
        ------
        ToolboxError
            Whatever is wrong with it, also a label or a feature that is none of its columns.
        """
        source, columns = load_configuration(data), _make_column_arguments(data)
        reading = AS_SAID if source is not None else Reading(separator=data.separator, encoding=data.encoding)
        opened = AnonymizeArguments.of_nothing(columns, "experiment", on_missing=data.on_missing, limits=limits)
        also = [name for name in (data.label, *data.features) if name is not None]
        table = open_table(stack, source or data.table, opened, Steps(), reading, with_records=with_records, also=also)
        opened_data = cls(data, table)
        opened_data.require_columns(also)
        return opened_data

    def require_columns(self, names: Sequence[str]) -> None:
        """Raise an error for a name that is not a column of the input."""
        known = self._list_known_columns()
        for name in names:
            if name not in known:
                raise UnknownColumnError(name, f"The data set {self.data.name!r}", known)

    def _list_known_columns(self) -> list[str]:
        source = self.table.source
        return list(source.headers or [f"{position}" for position in range(source.width)])

    def original(self) -> Load:
        """Return the classes that the records form as they are."""
        with self.table.temporary_scope():
            return load_original(self.table)

    def run(
        self,
        method: str,
        models: tuple[PrivacyModel, ...],
        suppression: int | str | None,
        seed: int,
        wanted: RequestedFigures,
    ) -> Variant:
        """Run a method, prove and measure what it has made.

        Raises
        ------
        ToolboxError
            If it cannot be done.
        """
        (chosen,) = find_compared_methods([method])
        arguments = AnonymizeArguments.of_nothing(
            ColumnArguments(),
            "experiment",
            method=chosen.method,
            models=models,
            settings=chosen.settings,
            suppression_threshold=suppression,
            seed=seed,
        )
        asked = make_run_request(self.table.declared, arguments)
        return preview_release(self.table, asked, wanted, Steps(), Cancelling(None), arguments={})

    def drop(self, variant: Variant) -> None:
        """Forget a variant that was kept."""
        with self.table.temporary_scope():
            self.variants.drop(variant)

    def texts(self, names: Sequence[str]) -> pd.DataFrame:
        """Return columns of the input as texts, all records in their order; what is missing is None.

        Raises
        ------
        UnknownColumnError
            If there is no such column.
        """
        source, store = self.table.source, self.table.store
        self.require_columns(names)
        known, read = self._list_known_columns(), source.input()
        texts = [column_text(read, known.index(name)).label(f"text_{place}") for place, name in enumerate(names)]
        with store.scope():
            # Made as the keys of the records are, so that both stand in the order of the input.
            kept = store.create("texts", select(*texts))
            frame: pd.DataFrame = store.arrow(select(*kept.c).order_by(find_row_place(kept))).to_pandas()
        frame.columns = list(names)
        declared = self.table.declared.config.input
        missing = "" if declared is None else declared.missing
        filled: pd.DataFrame = frame.mask(frame.isin(["", missing]), None)
        return filled


def load_configuration(data: DataSet) -> Config | None:
    """Return the configuration of a data set; None if it has none."""
    if data.configuration is None:
        return None
    # Of a name that is too long, whoever reads it tells.
    with suppress(OSError):
        require_regular(data.configuration)
    overrides = Overrides() if data.table is None else Overrides(input=(str(data.table),))
    return read_configuration(data.configuration, overrides, is_run=False)


def compute_data_digest(data: DataSet) -> str:
    """Return the digest of a data set: what is declared of it, and the bytes of its files.

    Raises
    ------
    InputError
        If one of them cannot be read.
    """
    config = load_configuration(data)
    trees = {name: _split_hierarchy_place(tree) for name, tree in sorted(data.columns.get("hierarchies", {}).items())}
    digest = hashlib.sha256(
        repr((_order_columns(data.columns, trees), data.on_missing, data.separator, data.encoding)).encode()
    )
    if config is not None:
        digest.update(repr(_remove_config_places(config)).encode())
        tables = [table for table in (config.input, config.population) if table is not None]
        if any(table.remote is not None for table in tables):
            # Nothing tells whether a table of a database is what it was, so that no result of it is used again.
            digest.update(token_bytes())
        files = [[] if table.remote is not None else list_input_files(table) for table in tables]
    else:
        assert data.table is not None, "the reader of plans has asked for it"
        files = [list_input_files(Input(path=data.table)), [path for _, path in trees.values() if path is not None]]
    digest.update(repr([len(of) for of in files]).encode())
    for file in chain.from_iterable(files):
        try:
            require_regular(file)
            with file.open("rb") as opened:
                digest.update(hashlib.file_digest(opened, "sha256").digest())
        except OSError as error:
            raise InputError(f"The data set {data.name!r}: {file} cannot be read ({error.strerror}).") from None
    return digest.hexdigest()


def _order_columns(columns: Mapping[str, Any], trees: Mapping[str, tuple[Any, Path | None]]) -> dict[str, Any]:
    """Return what is declared of columns; in tables the columns have no order that would mean anything."""
    tables = {name: dict(sorted(columns.get(name, {}).items())) for name in _TABLES}
    return {**columns, **tables, "hierarchies": {name: tree for name, (tree, _) in trees.items()}}


def _remove_config_places(config: Config) -> Config:
    """Return a configuration, its hierarchies among it, without where its files lie and what no result depends on."""

    def somewhere(table: Input | None) -> Input | None:
        return None if table is None else replace(table, path=Path(), more=())

    read, people = somewhere(config.input), somewhere(config.population)
    nowhere = replace(config, source="", path=None, output=Output(path=None), limits=Limits(), warnings=())
    return replace(nowhere, input=read, population=people)


def _split_hierarchy_place(tree: Any) -> tuple[Any, Path | None]:
    """Return a hierarchy without where its file lies, and that file if it has one."""
    if isinstance(tree, str):
        attributes = parse_builder_words(tree)
        path = Path(tree if attributes is None else attributes.get("file", ""))
        with suppress(OSError):
            if path.is_file():
                return "a file" if attributes is None else {**attributes, "file": ""}, path
    return tree, None


def _make_column_arguments(data: DataSet) -> ColumnArguments:
    return ColumnArguments(**data.columns)
