"""The groups of an anatomy, read back from its two tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.own_release import judged_again

import toolbox
from toolbox.flows.judge.check import check_release
from toolbox.flows.judge.question import make_configured_question

ROWS = [
    ("20", "f", "flu"),
    ("21", "f", "cold"),
    ("30", "m", ""),
    ("31", "m", "?"),
    ("40", "f", "flu"),
    ("41", "m", "gout"),
]


def configured(folder: Path, *, method: str, header: bool = True, attributes: str = "", output: str = "r.csv") -> Path:
    lines = [*(["age,sex,illness"] if header else []), *map(",".join, ROWS)]
    (folder / "in.csv").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (folder / "ages.csv").write_text("".join(f"{age};*\n" for age, _, _ in ROWS), encoding="utf-8")
    (folder / "c.xml").write_text(
        f"""<config method='{method}' {attributes}>
        <input filename='in.csv' header='{str(header).lower()}' onMissing='keep'/>
        <output filename='{output}' format='anatomy'/><id><att index='1'/></id>
        <qid><att index='0'><vgh file='ages.csv'/></att></qid><sens><att index='2' type='category'/></sens></config>""",
        encoding="utf-8",
    )
    return folder / "c.xml"


@pytest.mark.slow
def test_check_judges_the_groups_and_measure_and_risk_the_values(tmp_path: Path) -> None:
    config = configured(tmp_path, method="Anatomy", attributes="l='3' seed='1'", output="r.parquet")
    toolbox.anonymize(config)
    check, loss, risk = judged_again(config)
    assert (check.holds, check.records, check.classes) == (True, 6, 2)
    # A kept missing value is one of them, however it is written.
    assert check.achieved("distinct l-diversity", "column 2") == 3
    # The other table shows every age as it is.
    assert loss.value("number of classes") == 6
    assert risk.risk.prosecutor is not None
    assert risk.risk.prosecutor.highest == 1


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("header", "output"), [(False, "r.csv.gz' splitSize='1KB"), pytest.param(True, "r.csv", marks=pytest.mark.slow)]
)
def test_tables_of_all_kinds_are_read(header: bool, output: str, tmp_path: Path) -> None:
    config = configured(tmp_path, method="Anatomy", header=header, attributes="l='3'", output=output)
    toolbox.anonymize(config)
    assert assess(config).achieved("distinct l-diversity", "column 2") == 3


@pytest.mark.slow
def test_suppressed_records_are_in_no_group(tmp_path: Path) -> None:
    config = configured(tmp_path, method="Datafly", attributes="k='6' suppThreshold='6'")
    proof = toolbox.anonymize(config).summary.proof
    check = assess(config)
    assert (check.suppressed, check.classes) == (proof.records_suppressed, proof.classes)


@pytest.mark.slow
def test_without_the_original_records_names_find_the_columns(tmp_path: Path) -> None:
    config = configured(tmp_path, method="Anatomy", attributes="l='3'")
    text = config.read_text(encoding="utf-8")
    toolbox.anonymize(config)
    (tmp_path / "in.csv").unlink()
    with pytest.raises(toolbox.UsageError, match="only the original records tell which column is column 2"):
        assess(config)
    for index, name in (("0", "age"), ("1", "sex"), ("2", "illness")):
        text = text.replace(f"index='{index}'", f"name='{name}'")
    config.write_text(text, encoding="utf-8")
    assert assess(config).achieved("distinct l-diversity", "illness") == 3


def assess(config: Path) -> toolbox.CheckReport:
    question = make_configured_question(toolbox.load_config(config))
    assert question.release is not None
    return check_release(question, question.release)
