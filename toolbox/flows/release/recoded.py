"""The flows of a saved recoding: it is made of a configuration, and a table of the caller is generalised as it says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolbox.config.model import Config, Limits, Order
from toolbox.config.reading.overrides import parse_limits
from toolbox.config.reading.recoding import SavedRecoding, read_recoding
from toolbox.config.settings import DELTA, EPSILON, LEAVE, SMALL_CLASSES
from toolbox.errors import SettingError, UsageError
from toolbox.flows.arguments.anonymize import AnonymizeArguments, ColumnArguments, Index
from toolbox.flows.arguments.checks import (
    AS_SAID,
    TABLE,
    Reading,
    check_path,
    check_word,
    list_earlier_tables,
    name_earlier,
    parse_threshold,
)
from toolbox.flows.arguments.tables import read_file, read_header
from toolbox.flows.release.anonymize import run
from toolbox.flows.release.databases import draw_private_records
from toolbox.flows.release.python import Result, list_dropped_names, list_read_names, run_on_table
from toolbox.messages import name_python_arguments
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.recodings.saving import read_declaration
from toolbox.store.input.memory import as_arrow, build_callers_table

if TYPE_CHECKING:
    import pyarrow as pa


def fit_recoding(config: Config) -> SavedRecoding:
    """Make the recoding of a configuration: its release is made and proved, and thrown away.

    A configuration that applies a recoding has that one.

    Raises
    ------
    ToolboxError
        Whatever is wrong, or if what the method finds cannot be saved.
    """
    if config.recoding is not None:
        return config.recoding
    if config.engine is not None:
        raise UsageError(
            f"{config.source}: its records stay in {config.engine.name}. Write --save-recoding in its run."
        )
    with TemporaryDirectory() as folder:
        name = "release.csv" if config.output.path is None else config.output.path.name
        beside: dict[str, Any] = dict.fromkeys(
            ("remote", "rejects", "report", "html", "codebook", "lattice", "configuration")
        )
        file = Path(folder) / "recoding.json"
        output = replace(config.output, **beside, path=Path(folder) / name, recoding=file)
        # A child table has a file of its own. Those that would change the search are refused.
        children = {name: child for name, child in config.child_tables.items() if child.quasi_identifiers}
        run(replace(config, output=output, child_tables=children, limits=replace(config.limits, store=None)))
        return replace(read_recoding(file), source=config.source)


def list_declared_columns(config: Config) -> list[str]:
    """List the names of the columns without which a recoding cannot be applied."""
    protected = (attribute.column for attribute in (*config.quasi_identifiers, *config.sensitive))
    columns = (*config.identifiers, *config.person, *protected, *(column for column, _ in config.treated))
    return list(dict.fromkeys(column.name for column in columns if column.name is not None))


def open_table(
    recoding: SavedRecoding, source: Any, limits: Limits | None
) -> tuple[Config, pa.Table | None, Sequence[str]]:
    """Return the configuration by which a table is looked at, the table where it is no file, and its columns."""
    if isinstance(source, (str, Path)):
        config = read_declaration(recoding, check_path("source", source))
        assert config.input is not None, "it was named"
        names = read_header([Path(source)], encoding=config.input.encoding) if config.input.header else ()
        return replace(config, limits=limits or config.limits), None, names
    config = Application(limits=limits).configure(recoding)
    declared = list_declared_columns(config)
    table = build_callers_table(source, declared, declared).arrow
    return config, table, table.column_names


@dataclass(frozen=True, kw_only=True)
class Application:
    """How a recoding is applied."""

    small_classes: str | None = None
    suppression_threshold: int | str | None = None
    order: Order | None = None
    index: Index | None = None
    key: str | Path | None = None
    earlier: Any = None
    earlier_key: str | None = None
    earlier_repair: bool | None = None
    limits: Limits | str | None = None
    epsilon: float | None = None
    delta: float | None = None
    reading: Reading = AS_SAID

    def release(self, recoding: SavedRecoding, source: Any) -> Result:
        """Make the release of a table by a recoding; `toolbox.Recoding.transform` explains the arguments.

        Raises
        ------
        ToolboxError
            Whatever is wrong.
        """
        with name_python_arguments():
            if self.small_classes not in (None, *SMALL_CLASSES.choices):
                expected = " or ".join(map(repr, SMALL_CLASSES.choices))
                raise SettingError("small_classes", self.small_classes, expected)
            config = replace(self.configure(recoding), earlier=list_earlier_tables(self.earlier))
            threshold = parse_threshold(self.suppression_threshold)
            if threshold is not None:
                config = replace(config, suppression_threshold=threshold)
            if self.order is not None:
                order = check_word("order", self.order, Order)
                config = replace(config, output=replace(config.output, order=order))
            return _run(config, source, self)

    def generalise(self, recoding: SavedRecoding, source: Any) -> Any:
        """Return a table with the generalised values that a recoding says, row by row: no release, and no proof.

        Returns
        -------
        DataFrame or table
            As `source` is, in its order.
        """
        with name_python_arguments():
            config = self.configure(recoding)
            others = MappingProxyType({**config.others, SMALL_CLASSES.field: LEAVE})
            output = replace(config.output, order="input", suppressed="keep")
            # One record is enough for a class: no row depends on others.
            config = replace(config, others=others, output=output, requirements=(), rows_are_people=True, person=())
            return _run(config, source, self, models=(KAnonymity(k=1),)).tables[0]

    def configure(self, recoding: SavedRecoding) -> Config:
        """Return the configuration of a run on a table of the caller."""
        config = read_declaration(recoding)
        others = dict(config.others)
        if self.small_classes is not None:
            others[SMALL_CLASSES.field] = self.small_classes
        if self.key is not None:
            others["key"] = check_path("key", self.key)
        given = {EPSILON.field: self.epsilon, DELTA.field: self.delta}
        others |= {name: number for name, number in given.items() if number is not None}
        others |= name_earlier(self.earlier_key, self.earlier_repair)
        source = config.input
        assert source is not None, "a recoding says how its input is read"
        return replace(
            config,
            input=replace(source, path=TABLE, missing="", header=False),
            limits=parse_limits(self.limits) or Limits(),
            others=MappingProxyType(others),
        )


def _run(
    config: Config,
    source: Any,
    how: Application,
    models: tuple[KAnonymity, ...] = (),
) -> Result:
    columns = ColumnArguments(
        [str(each.column) for each in config.quasi_identifiers],
        [str(each.column) for each in config.sensitive],
        [str(column) for column in config.identifiers if column not in config.person],
        person=[str(column) for column in config.person],
    )
    arguments = AnonymizeArguments.of_nothing(columns, "transform", index=how.index, models=models)
    names, dropped = list_read_names(arguments), list_dropped_names(arguments)

    def read() -> pa.Table:
        return read_file(source, names, config.limits, how.reading).table

    again: Callable[[], pa.Table] = read
    if how.epsilon is not None or how.delta is not None:
        if how.index == "keep":
            raise UsageError(
                "index='keep' tells which records were drawn: then a release is not differentially private."
            )
        given = source if isinstance(source, (str, Path)) else as_arrow(source)
        whole = read_file(given, names, config.limits, how.reading).table if given is source else given
        # From here on nothing knows the others.
        config, source = draw_private_records(config, whole)
    if isinstance(source, (str, Path)):
        source = check_path("source", source)
        file = read_file(source, names, config.limits, how.reading)
        table = build_callers_table(file.table, names, dropped)
        named = file.name_input(config)
    else:
        how.reading.require_file()
        table, named = build_callers_table(source, names, dropped), config
        again = lambda: build_callers_table(source, names, dropped).arrow  # noqa: E731 - the two go together
    return run_on_table(table, named, arguments, again)
