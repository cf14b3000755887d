"""What is public is complete and documented, and every module keeps the habits of the house."""

import ast
import dataclasses
import importlib
import inspect
import pickle
import re
import sys
import typing
from pathlib import Path

import pytest
from helpers.public_api import list_public_api
from helpers.sources import MODULES, PACKAGE, nodes_of, read, tree_of, where

import toolbox
from toolbox import errors
from toolbox.cli.options.options import ANONYMIZE, COMMON
from toolbox.methods.anonymizer import list_installed_methods
from toolbox.privacy.registry import list_installed_models

README = PACKAGE.parent / "README.md"
RECORDED = Path(__file__).parent / "recorded" / "public_api.txt"
WITH_CODE = [module for module in MODULES if read(module).strip()]

ERRORS: dict[str, Exception] = {
    "ConfigurationError": errors.ConfigurationError("c.xml", [errors.Fault(3, "k is 0.", "Write 1.", "h.csv")]),
    "SettingError": errors.SettingError("k", 0, "at least 1"),
    "UnknownColumnError": errors.UnknownColumnError("agee", "the table", ["age", "zip"]),
    "UnsatisfiableError": errors.UnsatisfiableError("too few"),
    "ProofError": errors.ProofError("failed"),
    "MethodError": errors.MethodError("Mine", "KeyError", "mine.py", 7),
    "ModelError": errors.ModelError("mine", "KeyError in mine.py, line 7", "Return a select."),
    "InputError": errors.InputError("unreadable"),
    "EngineError": errors.EngineError("SerializationException", "read"),
    "OutputError": errors.OutputError("no folder"),
    "CancelledError": errors.CancelledError("cancelled"),
}


# The public names


def test_public_names_are_sorted() -> None:
    assert toolbox.__all__ == sorted(toolbox.__all__)


def test_what_programs_of_users_call_is_what_was_recorded() -> None:
    """If it grows, run ``PYTHONPATH=tests python tests/test_public_interface.py``; docs/reference/stability.md says when it may shrink."""
    assert list_public_api() == RECORDED.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", toolbox.__all__)
def test_every_public_name_can_be_imported_and_is_documented(name: str) -> None:
    found = getattr(importlib.import_module("toolbox"), name)
    assert found.__name__ == name
    assert inspect.getdoc(found)


def test_type_checkers_see_the_very_names_that_are_public() -> None:
    (block,) = (node for node in ast.parse(read("__init__.py")).body if isinstance(node, ast.If))
    imports = [node for node in ast.walk(block) if isinstance(node, ast.ImportFrom)]
    seen = [alias.name for node in imports if node.module != "typing" for alias in node.names]
    assert sorted(seen) == toolbox.__all__


def test_every_error_and_what_the_public_functions_take_and_give_back_is_public() -> None:
    assert set(toolbox.__all__) >= {name for name, found in vars(errors).items() if is_error(found)}
    hints = {name: getattr(toolbox, name).__annotations__ for name in ("anonymize", "generalise", "load_config")}
    assert hints["anonymize"]["return"] == "Result"
    assert hints["generalise"]["return"] == "Generalisation"
    assert hints["load_config"]["return"] == "Config"


def test_dir_lists_the_public_names_and_no_other_name_exists() -> None:
    assert dir(toolbox) == toolbox.__all__
    with pytest.raises(AttributeError, match="no attribute 'anonymise'"):
        _ = toolbox.anonymise


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert toolbox.__version__ == version("anonymisation-toolbox")


def test_no_arguments_are_passed_on_as_locals() -> None:
    assert where(lambda source: "locals()" in source) == {}


# Errors


def is_error(found: object) -> bool:
    return isinstance(found, type) and issubclass(found, errors.ToolboxError)


def drawn() -> list[tuple[str, int | None]]:
    """Read the tree in the docstring: each name with its exit status, where it is written."""
    tree = (errors.__doc__ or "").split("\n\n")[1]
    rows = re.findall(r"^[│├└─ ]*(\w+Error)(?: +(\d+)(?= ))?", tree, flags=re.MULTILINE)
    return [(name, int(status) if status else None) for name, status in rows]


def test_the_tree_of_errors_is_drawn_complete() -> None:
    assert sorted(name for name, _ in drawn()) == sorted(
        name for name, found in vars(errors).items() if is_error(found)
    )
    for name, status in drawn():
        assert status is None or getattr(errors, name).exit_status == status


def test_the_exit_statuses_are_those_of_the_command_line() -> None:
    statuses = {name: getattr(errors, name).exit_status for name in ERRORS}
    assert statuses == {
        "ConfigurationError": 2,
        "SettingError": 2,
        "UnknownColumnError": 2,
        "OutputError": 2,
        "UnsatisfiableError": 3,
        "ProofError": 3,
        "MethodError": 3,
        "ModelError": 3,
        "InputError": 4,
        "EngineError": 4,
        "CancelledError": 130,
    }


def test_every_leaf_of_the_tree_has_an_example_here() -> None:
    parents = {base for name, _ in drawn() for base in getattr(errors, name).__bases__}
    assert {name for name, _ in drawn() if getattr(errors, name) not in parents} == set(ERRORS)


@pytest.mark.parametrize("name", ERRORS)
def test_an_error_survives_pickling(name: str) -> None:
    error = ERRORS[name]
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (again.args, str(again)) == (error.args, str(error))


def test_errors_say_what_was_found_and_what_to_write_instead() -> None:
    assert str(ERRORS["SettingError"]) == "k is 0; write at least 1."
    assert str(ERRORS["UnknownColumnError"]) == "the table has no column 'agee'. Did you mean 'age'? It has: age, zip."
    assert str(ERRORS["ConfigurationError"]) == "c.xml: h.csv, line 3: k is 0. Write 1."


# Methods and privacy models

INSTALLED = sorted({*list_installed_methods().values(), *list_installed_models()}, key=lambda one: one.name)


@pytest.mark.parametrize("one", INSTALLED, ids=lambda one: one.name)
def test_every_method_and_model_tells_what_it_does_and_where_it_is_published(one: type) -> None:
    text = inspect.getdoc(one) or ""
    assert text.split("\n")[0].endswith(".")
    _, _, references = text.partition("References\n----------\n")
    # Some old proceedings have no doi.
    assert re.search(r"\(\d{4}\)\..*(doi:10\.\d+/\S+|(VLDB|CEUR-WS \d+), \d+-\d+)", references, flags=re.DOTALL)


@pytest.mark.parametrize("one", INSTALLED, ids=lambda one: one.name)
def test_every_setting_is_documented_with_the_words_it_takes(one: type) -> None:
    _, _, parameters = (inspect.getdoc(one) or "").partition("Parameters\n----------\n")
    own = [field for field in dataclasses.fields(one) if field.name != "attribute"]
    assert own
    for field in own:
        assert re.search(rf"^{field.name} : .+\n    \S", parameters, flags=re.MULTILINE), field.name
        for word in field.metadata.get("words", ()):
            assert f"'{word}'" in parameters


@pytest.mark.parametrize("method", sorted(set(list_installed_methods().values()), key=lambda one: one.name))
def test_a_method_is_a_frozen_dataclass_whose_reference_is_the_docstrings(method: type) -> None:
    assert method.__dataclass_params__.frozen
    place = re.search(r"doi:\S+|\d+-\d+$", method.reference)
    assert place is not None
    assert place[0] in (inspect.getdoc(method) or "")


def test_the_readme_shows_options_that_there_are() -> None:
    text = README.read_text(encoding="utf-8").partition("## The command line")[2].partition("\n## ")[0]
    assert "works with one dash or two" in text
    shown = set(re.findall(r"`(--?[a-zA-Z][\w-]*)", text))
    assert len(shown) > 15
    assert shown - {flag for option in (*ANONYMIZE, *COMMON) for flag in option.flags} == set()


def test_every_method_setting_has_an_option_or_goes_through_set() -> None:
    settings = {name for method in list_installed_methods().values() for name in method.facts().settings}
    options = {option.field for option in ANONYMIZE}
    assert (
        settings - {"naming", "objective", "loss", "scope", "ranges", "finish", "counted", "shows", "partitioning"}
        <= options
    )
    assert "set" in options


# The habits of the house


def opens_otherwise(source: str) -> bool:
    first = (ast.get_docstring(tree_of(source)) or "").split("\n\n")[0].rstrip()
    return not first.endswith((".", ";")) and not first.startswith("What can go wrong")


def test_a_module_opens_with_one_sentence_on_what_it_holds() -> None:
    assert where(opens_otherwise, WITH_CODE) == {}


def test_no_file_is_over_600_lines() -> None:
    assert where(lambda source: len(source.splitlines()) > 600) == {}


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its docstring."""
    assert function.end_lineno is not None
    total = function.end_lineno - function.lineno + 1
    first = function.body[0]
    is_docstring = ast.get_docstring(function) is not None and first.end_lineno is not None
    return total - (first.end_lineno - first.lineno + 1) if is_docstring else total


def long_functions(source: str) -> dict[str, int]:
    functions = [node for node in nodes_of(source) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return {function.name: code_lines(function) for function in functions if code_lines(function) > 50}


def test_no_function_is_over_50_lines() -> None:
    assert where(long_functions) == {}


_SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|SET|RESET|COPY|ATTACH|PRAGMA|FROM|WHERE)\b")


def assembled_sql(source: str) -> list[int]:
    """Find SQL put together from text: the lines of f-strings, ``%``, ``+`` and ``format``.

    What `sqlalchemy.ext.compiler.compiles` marks is the one place to write what SQLAlchemy has no words for.
    """
    hooks = [
        node
        for node in nodes_of(source)
        if isinstance(node, ast.FunctionDef) and any("compiles" in ast.unparse(one) for one in node.decorator_list)
    ]
    allowed = {id(below) for hook in hooks for below in ast.walk(hook)}
    found = []
    for node in nodes_of(source):
        head: ast.expr | None = None
        if isinstance(node, ast.JoinedStr) and any(isinstance(part, ast.FormattedValue) for part in node.values):
            head = node.values[0]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
            head = node.left
        elif isinstance(node, ast.Attribute) and node.attr == "format":
            head = node.value
        if isinstance(head, ast.Constant) and isinstance(head.value, str) and _SQL.match(head.value):
            found += [] if id(node) in allowed else [node.lineno]
    return found


def test_sql_is_never_assembled_from_text() -> None:
    assert where(assembled_sql) == {}


def sql_as_text(source: str) -> set[str]:
    names = {
        alias.name
        for node in nodes_of(source)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlalchemy")
        for alias in node.names
    }
    return {"text", "TextClause", "DDL"} & names


def test_sql_is_never_given_as_text() -> None:
    assert where(sql_as_text) == {}


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('f"SELECT {name}"', [1]),
        ('x = 1\ny = "DELETE FROM t WHERE a = %s" % a', [2]),
        ('"SELECT * FROM " + name', [1]),
        ('"DROP TABLE {}".format(name)', [1]),
        ('@compiles(Copy)\ndef copy(e, c):\n    return f"COPY {e}"', []),
        ('f"{count} rows"; "SELECT 1"; f"SELECT 1"', []),
    ],
)
def test_assembled_sql_would_be_found(source: str, lines: list[int]) -> None:
    assert assembled_sql(source) == lines


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert typing.get_type_hints(toolbox.load_config)["return"] is toolbox.Config


if __name__ == "__main__":
    text = "".join(f"{line}\n" for line in list_public_api())
    sys.stdout.write(f"{RECORDED.write_text(text, encoding='utf-8')} characters\n")
