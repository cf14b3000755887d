"""The command line that makes a release again."""

from pathlib import Path

import pytest

from toolbox.cli.main import format_command_line


def test_what_only_programs_ask_for_is_left_out_and_names_are_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["-config", f"{tmp_path}/my c.xml", "-PROGRESS_JSON", f"--html={tmp_path}/out/r.html", "--json", "-quiet"]
    assert format_command_line(words) == "toolbox -config 'my c.xml' --html=out/r.html"


def test_other_places_and_options_stay_and_passwords_do_not() -> None:
    kept = ["anonymize", "/elsewhere/p.csv", "--input-digest", "plain", "-k", "5"]
    assert format_command_line(kept) == "toolbox anonymize /elsewhere/p.csv --input-digest plain -k 5"
    assert "s3cret" not in format_command_line(["-input", "postgresql://ada:s3cret@host/people"])
