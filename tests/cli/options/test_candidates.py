"""What could stand where the cursor is."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolbox.cli.options.candidates import answer_for, answer_to
from toolbox.cli.options.commands import COMMANDS

HEADER = """first name,"town, or place",it's,plain,$(touch hacked)\nAda,Graz,x,1,2\n"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(HEADER)
    return tmp_path


def words(*line: str) -> list[str]:
    return list(answer_to(line).words)


def test_the_first_word_is_a_command() -> None:
    assert words("") == list(COMMANDS)
    assert words("CH") == ["check"]
    assert words("nothing") == []


def test_an_option_is_one_of_the_command() -> None:
    assert words("anonymize", "--or") == ["--ordered", "--order", "--organisation"]
    assert words("--or") == ["--ordered", "--order", "--organisation"]
    assert words("-supp") == ["-suppThreshold"]
    assert words("check", "--popu") == ["--population"]
    assert words("check", "--order") == []
    assert "--help" in words("measure", "--")


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (("--order", ""), ["input", "shuffled", "sorted"]),
        (("-ORDER", "s"), ["shuffled", "sorted"]),
        (("--order=s",), ["--order=shuffled", "--order=sorted"]),
        (("-method", "inc"), ["Incognito_k", "Incognito_l", "Incognito_t"]),
        (("-outputFormat", "gen"), ["genVals", "genValsDist"]),
        (("--model", "t-"), ["t-closeness"]),
        (("--kind", "age=d"), ["age=date"]),
        (("--hierarchy", "age=int"), ["age=intervals"]),
        (("-k", ""), []),
        (("--set", "cut="), []),
        (("--json=",), []),
    ],
)
def test_a_value_is_one_that_the_option_takes(line: tuple[str, ...], values: list[str]) -> None:
    assert words("anonymize", *line) == values


@pytest.mark.parametrize(
    "line",
    [
        ("anonymize", ""),
        ("-config", ""),
        ("--temp-dir", ""),
        ("check", ""),
        ("anonymize", "--hierarchy", "zip=./z"),
        ("measure", "--hierarchy", "zip=zip.c"),
        ("nothing", "at", "all"),
    ],
)
def test_files_are_for_the_shell(line: tuple[str, ...]) -> None:
    assert answer_to(line).kind == "files"


def test_the_first_word_behind_a_command_may_be_one_that_it_knows() -> None:
    assert words("completion", "") == ["bash", "zsh", "fish"]
    assert words("hierarchy", "") == ["show", "check", "build", "import", "export"]
    assert words("hierarchy", "--json", "ex") == ["export"]
    assert answer_to(["hierarchy", "show", ""]).kind == "files"
    assert words("hierarchy", "export", "zip.csv", "--to", "child-") == ["child-parent"]


def test_a_column_is_one_of_the_table_in_the_line() -> None:
    quoted = ["first name", '"town, or place"', "it's", "plain", "$(touch hacked)"]
    assert words("anonymize", "t.csv", "--qi", "") == quoted
    assert words("--qi", "") == []
    assert words("-input", "t.csv", "--sensitive", "pl") == ["plain"]
    assert words("-input=t.csv", "--id=pl") == ["--id=plain"]
    assert words("detect", "t.csv", "--exclude", "fi") == ["first name"]
    assert words("anonymize", "t.csv", "--kind", "to") == ['"town, or place"=']
    assert answer_to(["anonymize", "t.csv", "--qi", "pl"]).kind == "open"


def test_columns_of_a_list_are_completed_one_by_one() -> None:
    assert words("anonymize", "t.csv", "--qi", 'plain,"town, or place",') == [
        f'plain,"town, or place",{name}' for name in ("first name", "it's", "$(touch hacked)")
    ]


def test_a_table_that_cannot_be_read_has_no_columns(folder: Path) -> None:
    (folder / "t.csv").write_bytes(b"\xff\xfe\x00")
    assert words("anonymize", "t.csv", "--qi", "") == []
    assert words("anonymize", "nothing.csv", "--qi", "") == []


def test_bash_gets_what_follows_its_last_cut_and_quotes_that_fit() -> None:
    def bash(*line: str) -> list[str]:
        return answer_for("bash", ["anonymize", "t.csv", *line])

    assert bash("--kind=plain=", "--kind", "plain=d") == ["words", "date"]
    assert bash("--qi", "fi") == ["open", r"first\ name"]
    assert bash("--qi", "'fi") == ["open", "first name"]
    assert bash("--qi", "it") == ["open", r"it\'s"]
    assert bash("--qi", "'it") == ["open", r"it'\''s"]
    assert bash("--qi", '"it') == ["open", "it's"]
    assert bash("--qi", '"$') == ["open", r"\$(touch hacked)"]
    assert bash("--qi", r"first\ name,pl") == ["open", r"first\ name,plain"]
    assert bash("--qi", r"\$") == ["open", r"\$\(touch\ hacked\)"]
    assert answer_for("zsh", ["anonymize", "t.csv", "--qi", "fi"]) == ["open", "first name"]


def test_a_name_that_would_move_the_cursor_is_none(folder: Path) -> None:
    (folder / "t.csv").write_text("a\x1b[2J,b\u202e,plain\n1,2,3\n")
    assert answer_for("fish", ["anonymize", "t.csv", "--qi", ""]) == ["open", "plain"]
