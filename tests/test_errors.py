"""Messages stay short, whatever they have to tell."""

import pickle
from pathlib import Path

import pytest
from helpers.running import run_in_process

import toolbox
from toolbox.errors import (
    ConfigurationError,
    Fault,
    SettingError,
    UsageError,
    choose_first_by_kind,
    did_you_mean,
    quote,
)
from toolbox.messages import hide_passwords

SECRET = "s3cr3t" * 20
URL = f"https://ada:{SECRET}@example.org/people.csv"


@pytest.mark.slow
def test_fifty_faults_of_each_kind_are_shown_and_the_others_counted() -> None:
    faults = [Fault(line, f"Line {line} lacks {'x' * (line % 7)!r}.", "Add it.") for line in range(1, 20_004)]
    faults += [Fault(20_005, "k is 0.", "Write 1.")]
    lines = str(ConfigurationError("c.xml", faults)).split("\n")
    assert lines[0] == "c.xml: 20,004 faults"
    assert lines[1:51] == [f"  {fault}" for fault in faults[:50]]
    assert lines[51:] == ["  and 19,953 more of this kind", "  line 20005: k is 0. Write 1."]


def test_all_faults_are_kept_for_who_wants_them() -> None:
    faults = [Fault(line, "Empty.", "Fill it.") for line in range(60, 0, -1)]
    assert [fault.line for fault in ConfigurationError("c.xml", faults).faults] == list(range(1, 61))


def test_what_is_wrong_in_the_same_way_twice_is_told_once() -> None:
    fault = Fault(0, "people.csv has no column 'pat'.", "Did you mean 'patient'?")
    assert (
        str(ConfigurationError("c.xml", [fault, fault]))
        == "c.xml: people.csv has no column 'pat'. Did you mean 'patient'?"
    )


def test_kinds_differ_in_words_not_in_names_and_numbers() -> None:
    items = [f"'name {number}' is {number}" for number in range(51)] + ["it's 1 o'clock"] * 2
    kept = choose_first_by_kind(items, str)
    assert [item for item, _ in kept] == items[:50] + items[51:]
    assert [more for _, more in kept if more] == ["and 1 more of this kind"]


def test_a_very_long_name_is_not_compared() -> None:
    assert did_you_mean("agee", ["age", "x" * 100_000]) == " Did you mean 'age'?"
    assert did_you_mean("a" * 100_000, ["a" * 99_999, "age"]) == ""


def test_an_error_from_a_child_still_names_the_setting_that_answers_it() -> None:
    errors = [UsageError("No key is named.", setting="key"), SettingError("encoding", "x", "a name"), UsageError("No.")]
    assert [pickle.loads(pickle.dumps(error)).setting for error in errors] == ["key", "encoding", ""]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://ada:s3cret@example.org/x", "https://ada:***@example.org/x"),
        ("https:/ada:s3cret@example.org/x", "https:/ada:***@example.org/x"),
        ("postgresql+psycopg://ada:p@ss:w/rd@h/db", "postgresql+psycopg://ada:***@h/db"),
        ("'s3://:s3cret@h/x' and 'https://b:t@h'", "'s3://:***@h/x' and 'https://b:***@h'"),
        ("https://example.org:8080/x", "https://example.org:8080/x"),
        ("d:/folder/a.csv", "d:/folder/a.csv"),
        ("line 3: a@b.org", "line 3: a@b.org"),
    ],
)
def test_the_password_of_a_url_is_hidden(text: str, shown: str) -> None:
    assert hide_passwords(text) == shown


def test_a_url_is_hidden_before_it_is_cut() -> None:
    assert quote(URL) == "'https://ada:***@example.org/people.csv'"


def test_no_command_echoes_the_password_of_a_url(tmp_path: Path) -> None:
    config = tmp_path / "c.xml"
    config.write_text(
        f"<config k='2'><input filename='{URL}'/><output filename='o.csv'/><qid><att index='0'/></qid></config>"
    )
    for arguments in (
        ("-config", config, "--json"),
        ("-config", config, "-input", URL),
        ("-config", URL),
        ("-config", config, "-output", URL),
        ("-config", config, "--set", URL),
        ("-config", config, "-k", URL),
        ("check", URL, "--qi", "age", "--json"),
        ("measure", URL, URL, "--qi", "age"),
        ("risk", "x.csv", "--qi", "age", "--original", URL, "--hierarchy", f"age={URL}"),
        ("detect", URL, "--debug"),
        (URL,),
        ("check", "a", "b", URL),
    ):
        run = run_in_process(*arguments)
        assert run.status in (2, 4), arguments
        assert SECRET not in run.stdout + run.stderr, arguments
        assert "Traceback" not in run.stderr or "--debug" in arguments


def test_a_url_is_told_to_be_downloaded() -> None:
    with pytest.raises(toolbox.InputError) as caught:
        toolbox.detect(URL)
    assert str(caught.value).startswith("https:/ada:***@example.org/people.csv is a URL. Nothing is fetched: download")
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(caught.value)
