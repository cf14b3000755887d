"""The flows of a saved recoding: it is made of a configuration, and a table of the caller is generalised as it says."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from toolbox.config.model import Config, Limits, Order, Portion, Requirement
from toolbox.config.reading.overrides import parse_limits
from toolbox.config.reading.recoding import SavedRecoding, read_recoding
from toolbox.config.settings import DELTA, EPSILON, SMALL_CLASSES, value_of
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
from toolbox.flows.release.python import Result, list_dropped_names, list_read_names, run_on_table
from toolbox.messages import choose_setting_name, name_python_arguments
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.recodings.applying import DRAWING, LEAVE, PrivateDrawing, make_private_drawing
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
        run(replace(config, output=output))
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


# (epsilon, delta)-differential privacy: records are drawn by lot, and generalised by a recoding that was fixed before.


def draw_private_records(config: Config, table: pa.Table | None = None) -> tuple[Config, pa.Table]:
    """Draw the records of a differentially private release, and return what makes a release of them.

    Parameters
    ----------
    config : Config
        With an epsilon and a delta.
    table : pyarrow.Table, optional
        The records, if the configuration names no input.

    Raises
    ------
    UsageError
        If differential privacy would not hold.
    InputError
        If the records cannot be read.
    """
    drawing = make_private_drawing(value_of(config, EPSILON), value_of(config, DELTA))
    _require_private(config)
    config, whole = _read_records(config) if table is None else (config, table)
    drawn = _draw_records(whole, config, drawing)
    k = max(drawing.k, *(int(one.parameters["k"]) for one in config.requirements))
    drawing = drawing._replace(k=k, records=whole.num_rows, drawn=drawn.num_rows)
    others = {name: value for name, value in config.others.items() if name not in (EPSILON.field, DELTA.field)}
    return replace(
        config,
        k=k,
        requirements=(Requirement(model=KAnonymity.name, parameters={"k": k}),),
        suppression_threshold=Portion(Decimal(100), is_percentage=True),
        undeclared="drop",
        output=replace(config.output, suppressed="drop"),
        others=MappingProxyType({**others, SMALL_CLASSES.field: "suppress", DRAWING: drawing}),
    ), drawn


def _require_private(config: Config) -> None:
    """Stop where a release of drawn records would not be differentially private.

    Raises
    ------
    UsageError
    """
    recoding, source = config.recoding, config.input
    made_of_data = [] if recoding is None else recoding.document["valuesOfData"]
    merge = choose_setting_name("--small-classes merge", python="small_classes='merge'")
    order = choose_setting_name("-order input", python="order='input'")
    other_models = any(one.model != KAnonymity.name for one in config.requirements)
    wrong_recoding = {
        "No saved recoding is applied": recoding is None,
        "The recoding is local": recoding is not None and recoding.shape != "levels",
        f"The recoding holds values of the table that it was made from: {', '.join(made_of_data)}": made_of_data,
        "The recoding declares sensitive attributes, which are released as they are": config.sensitive,
        "The recoding declares treatments": config.treated,
        "The recoding declares persons, who may have several records": config.person,
        "The recoding requires other models than k-anonymity": other_models,
    }
    wrong_run = {
        f"{merge} looks at the records": value_of(config, SMALL_CLASSES) == "merge",
        f"{order} tells which records were drawn": config.output.order == "input",
        "An earlier release looks at the records": config.earlier,
        "A child table has rows of records that are not drawn": config.child_tables,
        "An engine keeps the records, and none are drawn there": config.engine is not None,
        "A table of a database is not drawn from": source is not None and source.remote is not None,
        "Several files are not drawn from": source is not None and source.more,
        "A file without a header is not drawn from": source is not None and not source.header and source.path != TABLE,
    }
    saved = choose_setting_name(
        "toolbox anonymize .. -method Flash --save-recoding FILE", python="Recoding.fit(.., method='Flash')"
    )
    by_levels = f"Save a recoding with a level for each column, of columns that are all quasi-identifiers: {saved}."
    for reasons, remedy in ((wrong_recoding, by_levels), (wrong_run, "Leave it out, or make another release.")):
        if reason := next((told for told, is_so in reasons.items() if is_so), None):
            raise UsageError(f"{reason}; then a release is not differentially private. {remedy}")


def _read_records(config: Config) -> tuple[Config, pa.Table]:
    """Read all records of a configuration; return what is said of them as a table, too."""
    source = config.input
    assert source is not None, "no table was given"
    reading = Reading(
        separator=None if source.guesses_separator else source.separator,
        header=source.header_line if source.header_line > 1 else source.header,
        encoding=source.encoding,
        decimal=source.decimal,
        thousands=source.thousands,
        missing=source.missing,
        table=source.table,
    )
    file = read_file(source.path, config.column_names, config.limits, reading)
    return file.name_input(config), file.table


def _draw_records(table: pa.Table, config: Config, drawing: PrivateDrawing) -> pa.Table:
    """Draw each record with the same probability, by chance that nobody can repeat.

    Raises
    ------
    UsageError
        If the recoding seems to be made from this table.
    """
    import numpy as np
    import pyarrow as pa

    assert config.recoding is not None, "one is applied"
    if config.recoding.document["made"]["records"] == table.num_rows:
        raise UsageError(
            f"The recoding was made from a table of {table.num_rows:,} records, as this one has: it must be fixed "
            "without a look at the table. Take one of other people, or one that is made of no data."
        )
    chance = np.random.default_rng(secrets.randbits(128)).random(table.num_rows)
    return table.filter(pa.array(chance < drawing.beta))


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
