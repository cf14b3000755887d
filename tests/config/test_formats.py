"""The formats as objects: their names and facts stand in one module, and nothing else names them."""

import ast
from collections.abc import Iterator
from typing import get_args

from helpers.sources import MODULES, nodes_of, read

from toolbox.config.model import ANATOMY, FORMATS, GEN_VALS, GEN_VALS_DIST, FormatName

OWNERS = {
    "genVals": "config/model.py",
    "genValsDist": "config/model.py",
    "anatomy": "config/model.py",
    "_QIT": "config/model.py",
    "_ST": "config/model.py",
    "utd": "config/model.py",
}


def texts(source: str) -> Iterator[str]:
    """Yield every text of a source that is no docstring: no part of a longer text, and no comment.

    Where no name stands anywhere, there is nothing to look at.
    """
    if not any(name in source for name in OWNERS):
        return
    docstrings = {id(node.value) for node in nodes_of(source) if isinstance(node, ast.Expr)}
    for node in nodes_of(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def test_the_names_that_users_write_are_those_of_the_formats() -> None:
    assert list(FORMATS) == list(get_args(FormatName)) == ["genVals", "genValsDist", "anatomy"]
    assert [str(release_format) for release_format in FORMATS.values()] == list(FORMATS)


def test_what_is_known_of_each_format() -> None:
    assert [one.suffixes for one in (GEN_VALS, GEN_VALS_DIST, ANATOMY)] == [("",), ("",), ("_QIT", "_ST")]
    assert [one.has_statistics for one in (GEN_VALS, GEN_VALS_DIST, ANATOMY)] == [False, True, False]
    assert [one.has_groups for one in (GEN_VALS, GEN_VALS_DIST, ANATOMY)] == [False, False, True]
    assert [one.tells_classes_apart for one in (GEN_VALS, GEN_VALS_DIST, ANATOMY)] == [False, True, True]
    assert [one.order_can_be_chosen for one in (GEN_VALS, GEN_VALS_DIST, ANATOMY)] == [True, True, False]


def test_nothing_else_names_a_format_or_the_mode() -> None:
    """All others ask the object, such as `config.output.format.has_groups`."""
    named = {(module, text) for module in MODULES for text in texts(read(module)) if text in OWNERS}
    # A notation of hierarchies is called like the mode; it has a name of its own, too.
    alike = ("hierarchy/notations/reading.py", "utd")
    assert named - {alike} == {(module, name) for name, module in OWNERS.items()}


def test_a_name_would_be_found() -> None:
    source = "'''utd'''\nif form == 'genVals' or mode in ('utd',):\n    'anatomy'\n    print('anatomy and more')"
    assert set(texts(source)) == {"genVals", "utd", "anatomy and more"}
