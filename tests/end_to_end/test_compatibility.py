"""compatibility='utd' beyond the recorded runs: blanks, missing values, separators and quotes, as in 2010."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.running import run_in_process

CONFIG = """<config method='{method}' k='{k}' suppThreshold='0' compatibility='utd'>
<input filename='in.data' separator='{separator}'/><output filename='out.data' format='{format}'/>
<id><att index='0'/></id>
<qid>
<att index='1'><map><entry cat='F' int='0'/><entry cat='M' int='1'/></map><vgh value='[0:1]'/></att>
<att index='2'><vgh value='[0:100)'><node value='[0:50)'/><node value='[50:100)'/></vgh></att>
</qid>
</config>"""


def released(folder: Path, lines: str, *, method: str = "Datafly", separator: str = ",", form: str = "genVals") -> str:
    (folder / "in.data").write_text(lines, encoding="utf-8")
    text = CONFIG.format(method=method, k=2, separator=separator, format=form)
    (folder / "config.xml").write_text(text, encoding="utf-8")
    run_in_process("-config", folder / "config.xml", "--quiet").succeeded()
    return (folder / "out.data").read_text(encoding="utf-8")


@pytest.mark.slow
def test_blanks_around_a_value_do_not_matter_and_stay_where_they_pass_through(tmp_path: Path) -> None:
    lines = "a, F, 20, x y\nb,F ,20,  z\n"
    assert released(tmp_path, lines) == "[0.0],[20.0], x y\n[0.0],[20.0],  z\n"


@pytest.mark.slow
def test_a_missing_value_in_any_column_skips_the_record_but_a_mark_within_a_text_does_not(tmp_path: Path) -> None:
    lines = "a,F,20,x\nb,F,20,?\n?,F,20,y\nc, ?,20,y\nd,F,20,why?\n"
    assert released(tmp_path, lines) == "[0.0],[20.0],x\n[0.0],[20.0],why?\n"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("separator", ["::", ", ", "%%"])
def test_values_that_hold_a_part_of_the_separator_are_not_quoted(tmp_path: Path, separator: str) -> None:
    lines = "\n".join(separator.join(row) for row in (("a", "F", "20", "x:y z%"), ("b", "F", "30", "x:y z%"))) + "\n"
    shown = separator.join(("[0.0]", "[0:50)", "x:y z%"))
    assert released(tmp_path, lines, separator=separator) == f"{shown}\n{shown}\n"


@pytest.mark.slow
def test_statistics_stand_unquoted_behind_a_separator_that_they_hold_a_part_of(tmp_path: Path) -> None:
    lines = "a::F::20\nb::F::30\n"
    shown = "1.0:0.0::25.0:25.0\n"
    assert released(tmp_path, lines, separator="::", form="genValsDist") == shown * 2
