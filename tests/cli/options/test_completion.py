"""The scripts of the shells, run by the shells themselves, as far as they are installed."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from helpers import children
from helpers.command_options import parsed
from helpers.running import run_in_process

import toolbox
from toolbox.cli.options.candidates import SCRIPTS, completion
from toolbox.errors import UsageError

HEADER = """first name,"town, or place",it's,plain,$(touch hacked),*\nAda,Graz,x,1,2,3\n"""
BASH = r"""
source <(toolbox completion bash)
ask() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _toolbox toolbox 2>/dev/null
    printf '%s' "${COMPREPLY[*]@Q}"
    printf '\n'
}
ask toolbox che
ask toolbox anonymize --order = s
ask toolbox anonymize t.csv --kind plain = d
ask toolbox anonymize t.csv --qi "'plain,t"
ask toolbox anonymize t.csv --qi '\$'
ask toolbox anonymize t.csv --qi "'*"
ask toolbox nothing -k ''
"""
ZSH = r"""
compdef() { : }
_files() { print -r files }
compset() { : }
compadd() { print -r -- "${(@q)@}" }
source <(toolbox completion zsh)
ask() { words=("$@"); CURRENT=$#; _toolbox }
ask toolbox che
ask toolbox anonymize --order s
ask toolbox anonymize t.csv --qi fi
ask toolbox -config ''
"""
FISH = r"""
toolbox completion fish | source
for line in 'toolbox che' 'toolbox anonymize --order s' 'toolbox anonymize t.csv --qi fi'
    complete -C $line
end
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with a table, and a program `toolbox` on the path."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "toolbox"
    home = Path(toolbox.__file__).parents[1]
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{home}" exec "{sys.executable}" -m toolbox "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(HEADER)
    return tmp_path


def run(shell: str, *options: str, script: str, folder: Path) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (folder / "script").write_text(script)
    finished = children.run([shell, *options, "script"], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout.splitlines()


@pytest.mark.slow
def test_bash_completes_words_values_and_columns(folder: Path) -> None:
    lines = run("bash", "--norc", script=BASH, folder=folder)
    assert lines == [
        "'check'",
        "'shuffled' 'sorted'",
        "'date'",
        """'plain,"town, or place"'""",
        r"'\$\(touch\ hacked\)'",
        "'*'",  # and no names of files, which could be anything
        "",
    ]
    assert not (folder / "hacked").exists()


def test_zsh_completes_words_values_and_columns(folder: Path) -> None:
    lines = run("zsh", "-f", script=ZSH, folder=folder)
    assert lines == ["-- check", "-- shuffled sorted", r"-S '' -- first\ name", "files"]


def test_fish_completes_words_values_and_columns(folder: Path) -> None:
    lines = run("fish", "-N", script=FISH, folder=folder)
    assert lines == ["check", "shuffled", "sorted", "first name"]


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_asks_the_program_itself(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert completion(parsed("completion", shell.upper())) == 0
    printed = capsys.readouterr().out
    assert f"completion answer {shell}" in printed
    assert not printed.startswith("\n")


def test_a_shell_that_is_not_known_is_named() -> None:
    with pytest.raises(UsageError, match="Did you mean 'bash'"):
        completion(parsed("completion", "bsh"))
    with pytest.raises(UsageError, match="needs the name of a shell"):
        completion(parsed("completion"))


def test_what_is_typed_is_no_command_line_yet() -> None:
    for line in (("--no", "such"), (), ("-k", "\x01", "'"), ("anonymize", "--qi", '"')):
        finished = run_in_process("completion", "answer", "bash", *line)
        assert (finished.status, finished.stderr) == (0, "")
    assert run_in_process("completion", "answer", "fish", "che").stdout == "words\ncheck\n"
