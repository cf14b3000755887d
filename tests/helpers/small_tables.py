"""Small tables that a test writes out: loaded as a method gets them, and read back as a reader of the release does."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from toolbox.config.formats import FORMATS, FormatName
from toolbox.config.model import Attribute, Column, Config, Input, Kind, Limits, OnMissing, Output, QuasiIdentifier
from toolbox.hierarchy.outline import read_hierarchy_rows
from toolbox.methods.anonymizer import Anonymizer
from toolbox.release.formats.gen_vals import build_general_values
from toolbox.release.returned import to_arrow
from toolbox.store.engine.store import Store
from toolbox.store.input.source import open_arrow_source
from toolbox.store.load.loading import Loaded, Loader
from toolbox.store.tables import Tables

CLASSES = "equivalence_id size suppressed"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An open database in the folder of the test."""
    with Store(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """An open database for all tests of a module: each makes tables of its own, and none looks at those of another.

    It has one thread, as a run on a small table has; what several threads might change is tested with those.
    """
    with Store(tmp_path_factory.mktemp("store"), Limits(threads=1)) as opened:
        yield opened


def arrow(text: str) -> pa.Table:
    """Read a table with a header, blanks between the values; columns of whole numbers are numbers."""
    header, *lines = [line.split() for line in text.strip().splitlines()]
    columns = {name: list(values) for name, *values in zip(header, *lines, strict=True)}
    return pa.table({name: _typed(values) for name, values in columns.items()})


def _typed(values: list[str]) -> list[int] | list[str]:
    return [int(value) for value in values] if all(value.lstrip("-").isdigit() for value in values) else values


def quasi_identifier(name: str, *, kind: Kind | None = None, hierarchy: str | None = None) -> QuasiIdentifier:
    """Declare a column; a hierarchy has a line for each value, with its generalisations behind it."""
    column = Column(index=None, name=name)
    if hierarchy is None:
        return QuasiIdentifier(column=column, kind=kind)
    found = read_hierarchy_rows([line.split() for line in hierarchy.strip().splitlines()], name, kind)
    return QuasiIdentifier(
        column=column,
        kind=found.kind,
        hierarchy=found.hierarchy,
        categories=found.categories,
        listed=found.listed,
    )


def declared(
    quasi_identifiers: str | Sequence[QuasiIdentifier],
    *,
    hierarchies: Mapping[str, str] | None = None,
    sensitive: Sequence[Attribute] = (),
    identifiers: str = "",
    missing: str = "?",
    on_missing: OnMissing = "skip",
    k: int = 2,
    output_format: FormatName = "genVals",
    seed: int | None = None,
) -> Config:
    """Make the configuration of a table of the caller; quasi-identifiers as names with blanks between them."""
    if isinstance(quasi_identifiers, str):
        given = hierarchies or {}
        quasi_identifiers = [quasi_identifier(name, hierarchy=given.get(name)) for name in quasi_identifiers.split()]
    return Config(
        source="the test",
        path=None,
        k=k,
        seed=seed,
        input=Input(path=Path("the table"), missing=missing, on_missing=on_missing),
        output=Output(path=None, format=FORMATS[output_format]),
        identifiers=tuple(Column(index=None, name=name) for name in identifiers.split()),
        quasi_identifiers=tuple(quasi_identifiers),
        sensitive=tuple(sensitive),
    )


def load(store: Store, table: str | pa.Table, config: Config | str, **options: object) -> Loaded:
    """Load a table as a run does."""
    given = arrow(table) if isinstance(table, str) else table
    config = declared(config, **options) if isinstance(config, str) else config
    return Loader(config, open_arrow_source(store, given), store).load()


def released(tables: Tables, loaded: Loaded) -> list[tuple[str, ...]]:
    """Return the records of a genVals release, in their order."""
    (part,) = build_general_values(tables, loaded.layout, declared(""))
    return [tuple(row.values()) for row in to_arrow(tables.store, part).to_pylist()]


def anonymized(store: Store, method: Anonymizer, table: str | pa.Table, names: str, **options: object) -> list[str]:
    """Load, anonymise, prove and release a table; each record as a line with blanks between its values."""
    loaded = load(store, table, names, **options)
    finished = method.run(loaded.tables).tables
    return [" ".join(map(str, row)) for row in released(finished, loaded)]
