"""SQL that only DuckDB reads stands in a few named files: a second engine changes these, and nothing else."""

import ast
from collections.abc import Iterator

import pytest
from helpers.sources import MODULES, nodes_of, read, tree_of, where
from test_import_direction import imported

EXPRESSIONS = {"queries/dialect.py"}
STATEMENTS = {"store/engine/statements.py", "store/engine/connection.py", "store/engine/gate.py"}
ERRORS = {"store/engine/errors.py"}
OF_FILES = {"store/input/formats/database.py"}
"""Readers of files that are databases: what they say, they say to these and not to the engine."""
OF_THE_ENGINE = EXPRESSIONS | STATEMENTS | ERRORS
OF_OTHER_ENGINES = {module for module in MODULES if module.startswith("engines/")}
OTHERS = [module for module in MODULES if module not in OF_THE_ENGINE | OF_OTHER_ENGINES | OF_FILES]

AGGREGATES_AND_WINDOWS = {"avg", "count", "dense_rank", "lead", "max", "min", "row_number", "string_agg", "sum"}
AGGREGATES_AND_WINDOWS |= {"bool_and", "bool_or", "grouping", "grouping_sets"}
OF_NUMBERS = {"abs", "cos", "exp", "floor", "greatest", "least", "ln", "round", "sqrt"}
OF_TEXTS = {
    "ascii",
    "chr",
    "concat",
    "left",
    "length",
    "lpad",
    "ltrim",
    "regexp_replace",
    "repeat",
    "replace",
}
OF_TEXTS |= {"split_part", "substr", "trim", "upper"}
OF_DATES_AND_NULLS = {"coalesce", "date_trunc", "nullif"}
OF_LISTS = {"array_length"}
PORTABLE = AGGREGATES_AND_WINDOWS | OF_NUMBERS | OF_TEXTS | OF_DATES_AND_NULLS | OF_LISTS
"""Functions that PostgreSQL has under the same name and with the same meaning."""
OPERATORS = {">>"}
"""Operators that are written as texts, and that PostgreSQL has."""
CONSTRUCTS = {"literal_column", "quoted_name", "text", "try_cast", "TextClause"}
"""What SQLAlchemy has for SQL that is written by hand, or that not every database reads."""
WORDS = {"rowid", "PRAGMA", "COPY", "read_csv", "read_parquet", "CHECKPOINT", "SUMMARIZE", "UNPIVOT"}
"""Names of DuckDB that could stand in a text."""


def foreign(source: str) -> Iterator[str]:
    """Yield whatever of a source is, or may be, SQL that PostgreSQL does not read."""
    if not any(word in source for word in {"sqlalchemy", "func", ".op(", *WORDS}):
        return
    for node in nodes_of(source):
        match node:
            case ast.Attribute(value=ast.Name(id="func"), attr=name) if name not in PORTABLE:
                yield f"func.{name}"
            case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="func"), *_]):
                yield "getattr(func, ..)"
            case ast.Call(func=ast.Attribute(attr="op"), args=[ast.Constant(value=operator), *_]):
                if operator not in OPERATORS:
                    yield f".op({operator!r})"
            case ast.ImportFrom(module=module, names=names) if module and module.split(".")[0] == "sqlalchemy":
                yield from (alias.name for alias in names if alias.name in CONSTRUCTS)
            case ast.Constant(value=str(text)) if WORDS & set(text.replace(".", " ").split()[:2]):
                yield text


def names_of(module: str) -> set[str]:
    """Return the names that a module imports from rooms of ours, each behind its module."""
    return {
        f"{node.module}.{alias.name}"
        for node in nodes_of(read(module))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@pytest.mark.slow
def test_a_module_writes_sql_that_postgresql_reads_too() -> None:
    assert where(lambda source: sorted(foreign(source)), OTHERS) == {}


def test_the_files_of_the_engine_are_there() -> None:
    assert set(MODULES) >= OF_THE_ENGINE


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("select(func.sum(a), func.count())", []),
        ("select(func.list(a))", ["func.list"]),
        ("each = func.list_transform(values, f)", ["func.list_transform"]),
        ("getattr(func, name)(a)", ["getattr(func, ..)"]),
        ('a.op(">>")(b)', []),
        ('a.op("//")(b)', [".op('//')"]),
        ("from sqlalchemy import String, literal_column", ["literal_column"]),
        ("from sqlalchemy.sql.expression import text", ["text"]),
        ("from toolbox.risks import text", []),
        ('column("rowid")', ["rowid"]),
        ('f"{name}.rowid"', [".rowid"]),
        ('run("PRAGMA database_list")', ["PRAGMA database_list"]),
        ('"""Nothing joins by the rowid of DuckDB."""', []),
    ],
)
def test_a_word_of_the_engine_would_be_found(source: str, found: list[str]) -> None:
    assert sorted(foreign(source)) == found


@pytest.mark.slow
def test_only_the_connection_its_types_and_its_errors_know_the_library() -> None:
    libraries = {"duckdb", "duckdb_sqlalchemy"}
    users = {module for module in MODULES if libraries & {name.split(".")[0] for name in imported(read(module))}}
    of_a_file = {"store/input/formats/database.py"}
    assert users == {"store/engine/connection.py", "store/engine/statements.py", "store/engine/errors.py"} | of_a_file


@pytest.mark.slow
def test_no_room_but_the_store_writes_statements_or_settings() -> None:
    """Reading Parquet, the type of enumerations and appending rows are words of our own; statements are not."""
    named = {
        (module, name)
        for module in MODULES
        if not module.startswith("store/")
        for name in names_of(module)
        if name.startswith(
            (
                "toolbox.store.engine.statements.",
                "toolbox.store.engine.connection.Connection",
                "toolbox.store.engine.gate.",
            )
        )
    }
    assert named == {
        ("release/files/part.py", "toolbox.store.engine.statements.as_text"),
        ("release/files/split.py", "toolbox.store.engine.statements.read_parquet"),
    }


@pytest.mark.slow
def test_a_list_of_portable_functions_names_none_that_nobody_uses() -> None:
    used = {
        node.attr
        for module in OTHERS
        for node in nodes_of(read(module))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "func"
    }
    assert used == PORTABLE


@pytest.mark.slow
def test_each_word_of_the_dialect_is_used() -> None:
    defined = {
        node.name
        for module in EXPRESSIONS
        for node in tree_of(read(module)).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    named = {name.rsplit(".", 1)[1] for module in OTHERS for name in names_of(module) if ".queries.dialect" in name}
    assert defined - named == set()
