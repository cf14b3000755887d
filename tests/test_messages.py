"""What messages say, and how they reach people at once."""

import ast
import re
import runpy
import sys
import warnings
from pathlib import Path

import pytest

from toolbox.messages import (
    choose_setting_name,
    format_count,
    hide_passwords,
    name_command_options,
    name_python_arguments,
    print_note,
    warn,
)

PACKAGE = Path(__file__).parents[1] / "toolbox"
OPTION = re.compile(r"(?<![\w-])--[a-z]")


def test_a_text_is_told_on_standard_error_with_its_sender(capsys):
    print_note("Two lines\nof text.")
    assert capsys.readouterr() == ("", "toolbox: Two lines\nof text.\n")


def test_names_from_files_move_no_cursor_and_letters_of_all_scripts_stay(capsys):
    print_note("no column 'a\x1b[2J\r\x07\x9b' in Köln 漢")
    assert capsys.readouterr().err == "toolbox: no column 'a\\x1b[2J\\r\\x07\\x9b' in Köln 漢\n"


def test_no_password_is_told(capsys):
    print_note("postgresql://ada:s3cret@host/people is gone")
    assert capsys.readouterr().err == "toolbox: postgresql://ada:***@host/people is gone\n"
    print_note("'sc://host:15002/;Token=s3cret;user_id=ada' is gone, and postgresql://host/?password=s3cret&a=b, too")
    assert capsys.readouterr().err == (
        "toolbox: 'sc://host:15002/;Token=***;user_id=ada' is gone, and postgresql://host/?password=***&a=b, too\n"
    )


def test_no_parameter_that_is_a_password_is_told():
    told = "postgresql://host/people?sslmode=require&Password=s3cret&user=ada"
    assert hide_passwords(f"{told} is gone") == f"{told.replace('s3cret', '***')} is gone"
    assert hide_passwords("Is password= right? The token='a' is 1.") == "Is password= right? The token='a' is 1."


def test_a_program_without_a_console_goes_on(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    print_note("Nobody hears it.")

    class Closed:
        def write(self, text):
            raise ValueError("closed")

    monkeypatch.setattr(sys, "stderr", Closed())
    print_note("Nobody hears it.")


@pytest.mark.parametrize("depth", [0, 2])
def test_a_warning_points_at_the_line_of_the_program_that_calls_us(depth, tmp_path):
    """However many of our own functions stand between."""
    ours = {"__name__": "toolbox.somewhere", "warn": warn}
    exec("def step(depth):\n    warn('Look here.') if depth == 0 else step(depth - 1)", ours)
    program = tmp_path / "program.py"
    program.write_text("\n\nstep(depth)\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        runpy.run_path(str(program), {"step": ours["step"], "depth": depth})
    (warning,) = caught
    assert (warning.filename, warning.lineno) == (str(program), 3)
    assert (str(warning.message), warning.category) == ("Look here.", UserWarning)


def test_a_program_whose_name_only_begins_like_ours_is_not_ours(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("\nwarn('Look here.')\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        runpy.run_path(str(program), {"warn": warn}, run_name="toolbox_of_mine")
    assert caught[0].filename == str(program)


def test_one_is_counted_as_one() -> None:
    assert format_count(0, "record is", "records are") == "0 records are"
    assert format_count(1, "record is", "records are") == "1 record is"
    assert format_count(1_000, "line") == "1,000 lines"


def test_settings_are_called_as_whoever_asked_writes_them() -> None:
    assert choose_setting_name("--original", python="original=") == "--original"
    with name_python_arguments():
        assert choose_setting_name("--original", python="original=") == "original="
        assert choose_setting_name("--original", python="original=", in_python=False) == "--original"
    assert choose_setting_name("--original", python="original=") == "--original"


def test_a_command_line_without_a_configuration_is_a_third_tongue() -> None:
    def said() -> tuple[str, str]:
        return choose_setting_name("k=", python="k", options="-k"), choose_setting_name("l=")

    assert said() == ("k=", "l=")
    with name_command_options():
        assert said() == ("-k", "l=")
        assert choose_setting_name("k=", python="k") == "k="
        with name_python_arguments():
            assert said() == ("k", "l=")
        with name_command_options(False):
            assert said() == ("k=", "l=")
    assert said() == ("k=", "l=")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("room", ["engines", "report"])
def test_what_calls_of_python_may_read_names_no_option_alone(room: str) -> None:
    """`choose_setting_name` and those that ask it choose; a picture on the console is the only exception."""
    named = []
    for path in sorted((PACKAGE / room).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        chosen = {id(part) for call in _choosing(tree) for part in ast.walk(call)}
        named += [
            f"{path.name}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and id(node) not in chosen
            and OPTION.search(str(node.value))
            # A whole command is one also for whoever calls Python.
            and not str(node.value).startswith("toolbox ")
        ]
    assert named == (["hierarchy.py: . --depth N shows more, --all everything."] if room == "report" else [])


def _choosing(tree: ast.AST) -> list[ast.Call]:
    names = ("choose_setting_name", "name_option")
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in names]
