"""The formats as objects: their names and facts stand in one module, and nothing else names them."""

import ast
from collections.abc import Iterator

from helpers.sources import MODULES, nodes_of, read

from toolbox.config.formats import FORMATS, GEN_VALS, list_formats

OWNERS = {
    "genVals": "release/formats/own.py",
    "genValsDist": "release/formats/own.py",
    "anatomy": "release/formats/own.py",
    "_QIT": "release/formats/own.py",
    "_ST": "release/formats/own.py",
    "utd": "config/formats.py",
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


OURS = [FORMATS[name] for name in ("genVals", "genValsDist", "anatomy")]


def test_the_names_that_users_write_are_those_of_the_formats() -> None:
    assert list(FORMATS) == ["anatomy", "genVals", "genValsDist"]
    assert list(list_formats().values()) == OURS
    assert FORMATS[GEN_VALS] is OURS[0]


def test_what_is_known_of_each_format() -> None:
    assert [one.suffixes for one in OURS] == [("",), ("",), ("_QIT", "_ST")]
    assert [one.has_statistics for one in OURS] == [False, True, False]
    assert [one.has_groups for one in OURS] == [False, False, True]
    assert [one.tells_classes_apart for one in OURS] == [False, True, True]
    assert [one.order_can_be_chosen for one in OURS] == [True, True, False]
    assert [bool(one.needs_records) for one in OURS] == [False, False, True]


def test_nothing_else_names_a_format_or_the_mode() -> None:
    """All others ask the class, such as `config.output.format.has_groups`."""
    named = {(module, text) for module in MODULES for text in texts(read(module)) if text in OWNERS}
    # A notation of hierarchies is called like the mode; it has a name of its own, too.
    alike = ("hierarchy/notations.py", "utd")
    # Where nobody chooses a format, and the only one of a method.
    chosen = {("config/formats.py", "genVals"), ("methods/anatomy.py", "anatomy")}
    assert named - {alike} - chosen == {(module, name) for name, module in OWNERS.items()}


def test_a_name_would_be_found() -> None:
    source = "'''utd'''\nif form == 'genVals' or mode in ('utd',):\n    'anatomy'\n    print('anatomy and more')"
    assert set(texts(source)) == {"genVals", "utd", "anatomy and more"}
