"""The flow of Python calls with a saved recoding: a table of the caller, or a file, is generalised as it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolbox.config.model import Config, Limits, Order
from toolbox.config.reading.overrides import parse_limits
from toolbox.config.reading.recoding import SavedRecoding
from toolbox.config.settings import SMALL_CLASSES
from toolbox.errors import SettingError
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
from toolbox.flows.arguments.tables import read_file
from toolbox.flows.release.python import Result, list_dropped_names, list_read_names, run_on_table
from toolbox.messages import name_python_arguments
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.recodings.applying import LEAVE
from toolbox.recodings.saving import read_declaration
from toolbox.store.input.memory import build_callers_table

if TYPE_CHECKING:
    import pyarrow as pa


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
            config = replace(_configure(recoding, self), earlier=list_earlier_tables(self.earlier))
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
            config = _configure(recoding, self)
            others = MappingProxyType({**config.others, SMALL_CLASSES.field: LEAVE})
            output = replace(config.output, order="input", suppressed="keep")
            # One record is enough for a class: no row depends on others.
            config = replace(config, others=others, output=output, requirements=(), rows_are_people=True, person=())
            return _run(config, source, self, models=(KAnonymity(k=1),)).tables[0]


def _configure(recoding: SavedRecoding, how: Application) -> Config:
    """Return the configuration of a run on a table of the caller."""
    config = read_declaration(recoding)
    others = dict(config.others)
    if how.small_classes is not None:
        others[SMALL_CLASSES.field] = how.small_classes
    if how.key is not None:
        others["key"] = check_path("key", how.key)
    others |= name_earlier(how.earlier_key, how.earlier_repair)
    source = config.input
    assert source is not None, "a recoding says how its input is read"
    return replace(
        config,
        input=replace(source, path=TABLE, missing="", header=False),
        limits=parse_limits(how.limits) or Limits(),
        others=MappingProxyType(others),
    )


def _run(config: Config, source: Any, how: Application, models: tuple[KAnonymity, ...] = ()) -> Result:
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
