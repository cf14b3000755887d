"""What the command line says of an error, foreseen or not: one line, no traceback, no cell."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.running import run_in_process

from toolbox.cli.output.streams import Failures
from toolbox.errors import ConfigurationError, EngineError, Fault, InputError, UsageError
from toolbox.messages import print_note
from toolbox.steps import Steps

SECRET = "diagnosis: gout"


def told(capsys: pytest.CaptureFixture[str], error: Exception, *, debug: bool = False) -> tuple[int, str]:
    """Tell an error without a document; return the exit status and what stands on standard error."""
    status = Failures(as_json=False, debug=debug).tell(error)
    return status, capsys.readouterr().err


def raised_in(step: str, fail: Callable[[], object]) -> Exception:
    with pytest.raises(Exception) as caught, Steps().step(step):
        fail()
    return caught.value


def engine_failure() -> None:
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        raise EngineError("SerializationException") from error


# The last resort


def test_an_error_that_nobody_foresaw_is_our_fault_and_names_its_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    error = raised_in("prove", lambda: {}[SECRET])
    status, said = told(capsys, error)
    assert status == 3
    assert said.startswith("toolbox: This is a fault of the toolbox: KeyError")
    assert " In the step 'prove'. Nothing was released. The option --debug " in said
    assert said.count("\n") == 1
    assert SECRET not in said


def test_a_package_that_is_lacking_is_named_with_what_installs_it(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = told(capsys, ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow"))
    assert (status, said) == (
        2,
        "toolbox: This needs pyarrow, which is not installed. Write: pip install pyarrow.\n",
    )
    status, said = told(capsys, ModuleNotFoundError("No module named 'other'", name="other"))
    assert status == 3


def test_an_error_of_the_engine_names_its_step_and_keeps_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    status, said = told(capsys, raised_in("read", engine_failure))
    assert status == 4
    assert said == (
        "toolbox: The database engine failed in the step 'read' (SerializationException). It does so where a file is "
        "damaged, or changes while it is read. Nothing was released. The option --debug prints its own words, which "
        "may show values of your data.\n"
    )


@pytest.mark.parametrize("fail", [engine_failure, lambda: {}[SECRET]])
def test_debug_shows_where_it_arose_and_in_which_words(
    fail: Callable[[], object], capsys: pytest.CaptureFixture[str]
) -> None:
    _, said = told(capsys, raised_in("read", fail), debug=True)
    assert "Traceback (most recent call last)" in said
    assert SECRET in said


def test_an_error_that_was_foreseen_keeps_its_status_and_words(capsys: pytest.CaptureFixture[str]) -> None:
    error = raised_in("read", complain_of_input)
    assert told(capsys, error) == (4, "toolbox: in.csv is empty.\n")
    assert not hasattr(error, "__notes__")


def complain_of_input() -> None:
    raise InputError("in.csv is empty.")


def test_the_whole_way_through_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise LookupError(SECRET)

    monkeypatch.setattr("toolbox.flows.release.anonymize.run", broken)
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("age\n1\n")
    Path("c.xml").write_text(
        "<config method='Mondrian' k='2'><input filename='in.csv' header='true'/><output filename='out.csv'/>"
        "<qid><att name='age'/></qid></config>"
    )
    plain = run_in_process("-config", "c.xml", "--json")
    assert plain.status == plain.document["error"]["status"] == 3
    assert plain.document["error"]["kind"] == "FaultError"
    assert "LookupError, " in plain.stderr
    assert "toolbox/cli/commands/anonymize.py, line " in plain.stderr
    assert f"toolbox: {plain.document['error']['message']}\n" == plain.stderr
    assert SECRET not in plain.stdout + plain.stderr
    debugged = run_in_process("-config", "c.xml", "--json", "--debug")
    assert (debugged.status, debugged.document) == (plain.status, plain.document)
    assert f"LookupError: {SECRET}" in debugged.stderr


# Long lists


def test_a_document_holds_fifty_faults_of_a_kind_and_says_how_many_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    faults = [Fault(line, f"Column {line} is empty.", "Write a label.") for line in range(1, 203)]
    assert Failures(as_json=True, debug=False).tell(ConfigurationError("c.xml", faults)) == 2
    printed = capsys.readouterr()
    error = json.loads(printed.out)["error"]
    assert (len(error["faults"]), error["fault_count"]) == (50, 202)
    assert printed.err.splitlines()[0] == "toolbox: c.xml: 202 faults"
    assert printed.err.splitlines()[-1] == "  and 152 more of this kind"


def test_a_document_names_the_setting_that_answers_an_error_if_there_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    errors = [UsageError("No key is named.", setting="key"), UsageError("No.")]
    assert [Failures(as_json=True, debug=False).tell(error) for error in errors] == [2, 2]
    one, other = capsys.readouterr().out.split("}\n}", 1)
    assert json.loads(one + "}}")["error"]["setting"] == "key"
    assert "setting" not in json.loads(other)["error"]


# Control characters


def test_a_name_from_a_file_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_note("no column 'a\x1b[2J\r\x07\x9b'\nüñ 漢")
    assert capsys.readouterr().err == "toolbox: no column 'a\\x1b[2J\\r\\x07\\x9b'\nüñ 漢\n"


def test_nul_in_an_option_is_refused_with_the_option() -> None:
    finished = run_in_process("--a\0b")
    assert (finished.status, finished.stderr) == (
        2,
        "toolbox: '--a\\x00b' holds the control character U+0000. Remove it.\n",
    )
