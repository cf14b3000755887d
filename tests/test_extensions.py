"""Classes by other people are imported and looked at before use; what is wrong with them is said in one sentence."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from toolbox.errors import UsageError
from toolbox.extensions import (
    Broken,
    Installed,
    KnownNames,
    is_reference,
    list_broken_plug_ins,
    load_function,
    load_installed,
    load_reference,
    refuse_references,
    require_usable,
)
from toolbox.messages import name_python_arguments

GROUP = "toolbox.test_extensions"


class Base(ABC):
    """What the classes of this page must be subclasses of."""

    name: str

    @abstractmethod
    def work(self) -> int: ...


class Good(Base):
    name = "Good"

    def work(self) -> int:
        return 1


BASE = "from test_extensions_base import Base\n"
GOOD = BASE + "class Mine(Base):\n    name = 'Mine'\n    def work(self):\n        return 1\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in an empty folder; whatever is imported from it is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    monkeypatch.setitem(sys.modules, "test_extensions_base", sys.modules[__name__])
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def load(text: str) -> type[Base]:
    return load_reference(text, Base, "method")


def refusal(text: str) -> str:
    with pytest.raises(UsageError) as caught:
        load(text)
    return str(caught.value)


# package.module:Class


def test_a_name_with_a_colon_is_a_reference() -> None:
    assert is_reference("mine:Mine")
    assert not is_reference("Mine")


def test_a_class_is_imported_from_the_working_directory(folder: Path) -> None:
    (folder / "mine.py").write_text(GOOD)
    assert load("mine:Mine").name == "Mine"
    assert load(" mine:Mine ") is load("mine:Mine")


def test_a_class_is_imported_from_a_package(folder: Path) -> None:
    (folder / "pack").mkdir()
    (folder / "pack" / "inner.py").write_text(GOOD)
    assert load("pack.inner:Mine").__module__ == "pack.inner"


def test_the_working_directory_comes_first_but_only_while_importing(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("elsewhere")
    (other / "mine.py").write_text("raise ValueError('the wrong file')\n")
    monkeypatch.syspath_prepend(str(other))
    (folder / "mine.py").write_text(GOOD + "import sys\npath = list(sys.path)\n")
    before = list(sys.path)
    load("mine:Mine")
    assert sys.modules["mine"].path == [str(folder), *before]
    assert sys.path == before


def test_the_search_is_as_it_was_after_an_error_too(folder: Path) -> None:
    (folder / "mine.py").write_text("1 / 0\n")
    (folder / "tidy.py").write_text("import os, sys\nsys.path.remove(os.getcwd())\n")
    before = list(sys.path)
    refusal("mine:Mine")
    refusal("tidy:Mine")
    assert sys.path == before


@pytest.mark.parametrize("text", ["mine:", ":Mine", "a:b:c", "my file.py:Mine", "a/b:Mine", "..:Mine", ":"])
def test_a_text_that_is_no_reference_is_refused(text: str) -> None:
    assert refusal(text) == f"The method {text!r} is no reference. Write package.module:Class."


def test_a_module_that_does_not_exist_is_named(folder: Path) -> None:
    assert refusal("absent:Mine") == (
        "The method 'absent:Mine' cannot be loaded: there is no module 'absent'. "
        "Start in the folder that holds absent, or install it."
    )


def test_a_module_that_does_not_exist_within_a_package_is_named(folder: Path) -> None:
    (folder / "pack").mkdir()
    assert "there is no module 'pack.absent'." in refusal("pack.absent:Mine")


def test_a_class_that_does_not_exist_is_refused_with_those_that_do(folder: Path) -> None:
    (folder / "mine.py").write_text(GOOD)
    assert refusal("mine:mine") == (
        "The method 'mine:mine' cannot be loaded: mine has no class 'mine'. Did you mean 'Mine'? It has: Mine."
    )


def test_a_module_without_any_such_class_says_so() -> None:
    assert refusal("math:Mine").endswith("math has no class 'Mine'. It has no subclass of Base.")


# An exception while importing


@pytest.mark.parametrize(
    ("source", "line", "said"),
    [
        ("a = 1\n\nb = 1 / 0\n", 3, "ZeroDivisionError: division by zero"),
        ("def f():\n    return {}['x']\n\nf()\n", 2, "KeyError: 'x'"),
        ("class Mine:\n    size = int('x')\n", 2, "ValueError: invalid literal for int() with base 10: 'x'"),
        ("import re\nre.compile('(')\n", 2, "missing ), unterminated subpattern at position 0"),
        ("import a_library_that_nobody_has\n", 1, "No module named 'a_library_that_nobody_has'"),
        ("from mine_helper import f\n\nf()\n", 3, "RuntimeError: in the helper"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit: 3"),
        ("raise NotImplementedError\n", 1, "NotImplementedError"),
        ("a = 1\ndef f(:\n    pass\n", 2, "SyntaxError: invalid syntax (mine.py, line 2)"),
    ],
)
def test_an_exception_while_importing_is_one_sentence_with_the_line_of_the_file(
    folder: Path, source: str, line: int, said: str
) -> None:
    (folder / "mine.py").write_text(source)
    (folder / "mine_helper.py").write_text("def f():\n    raise RuntimeError('in the helper')\n")
    message = refusal("mine:Mine")
    assert message.startswith(f"The method 'mine:Mine' cannot be loaded: {folder / 'mine.py'}, line {line}: ")
    assert message.endswith(f"{said}.")


WHILE_NAMED = "class F:\n    def __set_name__(self, owner, name): raise KeyboardInterrupt\nclass Mine:\n    f = F()\n"


@pytest.mark.parametrize("source", ["raise KeyboardInterrupt\n", WHILE_NAMED], ids=["at once", "while naming"])
def test_an_interrupt_while_importing_is_an_interrupt(source: str, folder: Path) -> None:
    (folder / "mine.py").write_text(source)
    with pytest.raises(KeyboardInterrupt):
        load("mine:Mine")


# What can be used


def test_a_complete_class_is_usable() -> None:
    assert require_usable(Good, Base, "It") is Good


class Abstract(Base):
    name = "Abstract"


class Nameless(Good):
    name = ""


class Ambiguous(Good):
    name = "a:b"


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (7, "It is no subclass of Base."),
        (Good(), "It is no subclass of Base."),
        (Path, "It is no subclass of Base."),
        (Abstract, "It is abstract: it lacks work. Define what is missing in Abstract."),
        (Nameless, "It has no name that users could write. Add name = 'Nameless' to the class."),
        (Ambiguous, "It has no name that users could write. Add name = 'Ambiguous' to the class."),
    ],
)
def test_a_class_that_cannot_be_used_is_refused(found: object, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        require_usable(found, Base, "It")
    assert str(caught.value) == said


def test_settings_without_a_dataclass_are_refused(folder: Path) -> None:
    (folder / "mine.py").write_text(
        "from dataclasses import field\n" + GOOD + "    mood: str = field(default='idle')\n"
    )
    assert refusal("mine:Mine") == (
        "The method 'mine:Mine' has settings and lacks the line @dataclass(frozen=True, kw_only=True). Add it above."
    )


# Entry points


@pytest.fixture
def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Install a package whose one entry point leads to a target."""

    def make(target: str) -> None:
        facts = folder / "somebodys-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text(f"[{GROUP}]\nTheirs = {target}\n")
        monkeypatch.syspath_prepend(str(folder))

    return make


def names(class_: type[Base]) -> tuple[str]:
    return (class_.name,)


def installed() -> Installed[Base]:
    return load_installed(GROUP, Base, "method", names)


def test_entry_points_are_loaded(install: Callable[[str], None], folder: Path) -> None:
    (folder / "plugin.py").write_text(GOOD)
    install("plugin:Mine")
    found = installed()
    assert {name: class_.name for name, class_ in found.classes.items()} == {"mine": "Mine"}
    assert list(found.entries) == ["Theirs"]
    assert not found.broken


BROKEN = [
    ("absent:Mine", "cannot be loaded: there is no module 'absent'."),
    ("plugin:Absent", "cannot be loaded: plugin has no 'Absent'."),
    ("plugin:Mine.inner.most", "cannot be loaded: plugin has no 'Mine.inner.most'."),
    ("plugin", "is no subclass of Base."),
    ("this is ! not: valid", "is no reference. Its package must name package.module:Class."),
    ("plugin:Base", "is abstract: it lacks work."),
    ("plugin:Nameless", "has no name that users could write."),
    ("plugin:Number", "cannot be used: AttributeError: 'int' object has no attribute 'lower'."),
    ("broken:Mine", "broken.py, line 2: ZeroDivisionError: division by zero."),
    ("leaving:Mine", "leaving.py, line 2: SystemExit: 3."),
    ("stopping:Mine", "stopping.py, line 2: Stop: enough."),
    ("cancelled:Mine", "cancelled.py, line 2: CancelledError."),
    ("wide:Mine", "wide.py, line 1: ValueError: two lines."),
    ("syntax:Mine", "syntax.py, line 1: SyntaxError: "),
]
MODULES = {
    "plugin": GOOD
    + "class Nameless(Mine):\n    name = ''\n"
    + "class Odd(str):\n    lower = property(lambda self: (7).lower)\n"
    + "class Number(Mine):\n    name = Odd('seven')\n",
    "broken": "a = 0\nb = 1 / a\n",
    "leaving": "import sys\nsys.exit(3)\n",
    "stopping": "class Stop(KeyboardInterrupt): pass\nraise Stop('enough')\n",
    "cancelled": "import asyncio\nraise asyncio.CancelledError\n",
    "wide": "raise ValueError('two\\nlines')\n",
    "syntax": "def f(:\n",
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize(("target", "said"), BROKEN, ids=[target for target, _ in BROKEN])
def test_a_plug_in_that_cannot_be_used_is_left_out_and_only_who_names_it_is_stopped(
    install: Callable[[str], None], folder: Path, target: str, said: str
) -> None:
    for module, source in MODULES.items():
        (folder / f"{module}.py").write_text(source)
    install(target)
    found = installed()
    assert not found.classes
    (broken,) = found.broken
    assert (broken.what, broken.name, broken.package) == ("method", "Theirs", "somebodys")
    assert broken.reason.startswith(f"The method 'Theirs' ({target}) ")
    assert said in broken.reason
    assert "\n" not in broken.reason
    assert broken in list_broken_plug_ins()
    found.require_sound("Mine")
    known = KnownNames({"k": 1}, found)
    assert (known.get("k"), known.get("other")) == (1, None)
    for named in (lambda: found.require_sound(" theirs"), lambda: known.get("THEIRS")):
        with pytest.raises(UsageError) as caught:
            named()
        assert str(caught.value) == broken.reason


def test_a_plug_in_is_named_until_its_folder_is_searched_no_more(
    install: Callable[[str], None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("absent:Mine")
    with monkeypatch.context() as patched:
        patched.syspath_prepend(str(folder / "more"))
        (broken,) = installed().broken
        assert installed().broken == (broken,)
    assert broken not in list_broken_plug_ins()
    assert installed().broken == (broken,)
    with monkeypatch.context() as patched:
        patched.syspath_prepend(str(folder / "more"))
        assert list_broken_plug_ins().count(broken) == 1
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != str(folder)])
    assert broken not in list_broken_plug_ins()


def test_what_a_plug_in_prints_is_not_on_standard_output(
    install: Callable[[str], None], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "plugin.py").write_text("print('hello')\n" + GOOD)
    install("plugin:Mine")
    assert list(installed().classes) == ["mine"]
    assert capsys.readouterr() == ("", "hello\n")


def test_python_is_warned_of_a_plug_in_that_is_left_out(install: Callable[[str], None]) -> None:
    install("absent:Mine")
    with name_python_arguments(), pytest.warns(UserWarning, match="there is no module 'absent'.* It is left out"):
        installed()


def test_an_interrupt_while_plug_ins_are_loaded_is_an_interrupt(install: Callable[[str], None], folder: Path) -> None:
    (folder / "plugin.py").write_text("raise KeyboardInterrupt\n")
    install("plugin:Mine")
    with pytest.raises(KeyboardInterrupt):
        installed()


def test_two_plug_ins_of_one_name_are_both_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "plugin.py").write_text(GOOD + "class Other(Mine): pass\nclass Third(Mine):\n    name = 'Third'\n")
    facts = folder / "somebodys-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[{GROUP}]\nA = plugin:Mine\nB = plugin:Other\nC = plugin:Third\n")
    monkeypatch.syspath_prepend(str(folder))
    found = installed()
    assert list(found.classes) == ["third"]
    assert [each.name for each in found.broken] == ["A", "B"]
    with pytest.raises(UsageError) as caught:
        found.require_sound("mine")
    assert str(caught.value) == (
        "Two installed methods are called 'mine': the entry point 'A' (plugin:Mine) of the package somebodys and the "
        "entry point 'B' (plugin:Other) of the package somebodys. Uninstall one of them, or give it another name."
    )


def test_a_plug_in_is_called_by_its_package() -> None:
    assert Broken("method", "Theirs", "somebodys", "").called == "method 'Theirs' of the package somebodys"
    assert Broken("method", "Theirs", "", "").called == "method 'Theirs'"


# Documents of other people


def test_where_only_installed_names_are_read_nothing_is_imported(folder: Path) -> None:
    (folder / "mine.py").write_text("raise SystemError('it was imported')\n")
    loading = (lambda: load("mine:Mine"), lambda: load_function("mine:Mine", "method"))
    for one in loading:
        with refuse_references("Write a name."), pytest.raises(UsageError) as caught:
            one()
        assert str(caught.value) == "The method 'mine:Mine' would import code. Write a name."
    assert "it was imported" in refusal("mine:Mine")
