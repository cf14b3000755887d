"""`toolbox.sniff` guesses what nobody says, and takes what somebody says."""

from pathlib import Path

import toolbox


def test_what_is_said_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("Ada;23,5\nBo;25,5\n")
    guessed, said = toolbox.sniff(path), toolbox.sniff(path, separator=",", header=True, encoding="latin-1", rows=1)
    assert (guessed.separator, guessed.header, guessed.encoding, guessed.columns) == (
        *(";", False, "utf-8"),
        ("column 0", "column 1"),
    )
    assert (said.separator, said.header, said.encoding, said.columns, said.rows) == (
        *(",", True, "iso8859-1", ("Ada;23", "5")),
        (("Bo;25", "5"),),
    )
