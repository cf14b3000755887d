"""Numbers that are none, and numbers that are written with decimal commas, from the file to the release and back."""

from pathlib import Path

import pytest
from helpers import in_order
from helpers.running import run_in_process

import toolbox

CODES = "zip,age\n01067,30\n1010,31\n04109,60\n1010,61\n"
SALARIES = "salary;sex\n1.234,50;f\n2.000,75;m\n12.000;f\n9.999,5;m\n"


def configuration(folder: Path, text: str, column: str, more: str = "", output: str = "") -> Path:
    (folder / "in.csv").write_text(text)
    path = folder / "config.xml"
    path.write_text(
        f"<config k='2'><input filename='in.csv' header='true' {more}/><output filename='out.csv' {output}/>"
        f"<qid>{column}</qid></config>"
    )
    return path


def run(path: Path, *options: str) -> list[str]:
    document = run_in_process("-config", path, "--json", "--order", "input", *options).succeeded().document
    # The notes on single columns, beside those on the order of the records and on columns that nobody declared.
    return [note for note in document["notes"] if note.startswith(("zip: ", "a: "))]


def test_codes_with_leading_zeros_are_categories_and_the_run_says_so(tmp_path: Path) -> None:
    warnings = run(configuration(tmp_path, CODES, "<att name='zip'/>"))
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == [
        '"{01067,04109}",30',
        "1010,31",
        '"{01067,04109}",60',
        "1010,61",
    ]
    assert warnings == [
        "zip: 2 values have leading zeros, as codes have, so that all are taken for categories. "
        "Write type='number' if they are numbers."
    ]


@pytest.mark.slow
def test_codes_are_numbers_for_whoever_says_so(tmp_path: Path) -> None:
    assert run(configuration(tmp_path, CODES, "<att name='zip' type='number'/>")) == []
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == "[01067:04109],30"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", [("--decimal", ",", "--thousands", "."), ()])
def test_decimal_commas_and_thousands_are_read_and_written(tmp_path: Path, options: tuple[str, ...]) -> None:
    more = "separator=';'" + ("" if options else " decimal=',' thousands='.'")
    path = configuration(tmp_path, SALARIES, "<att name='salary'/>", more, output="format='genValsDist'")
    run(path, *options)
    assert (tmp_path / "out.csv").read_text().splitlines() == [
        "salary;salary_mean:variance;sex",
        "[1.234,50:2.000,75];1617,625:146784,765625;f",
        "[1.234,50:2.000,75];1617,625:146784,765625;m",
        "[9.999,5:12.000];10999,75:1000500,0625;f",
        "[9.999,5:12.000];10999,75:1000500,0625;m",
    ]


@pytest.mark.slow
def test_a_release_with_decimal_commas_is_judged(tmp_path: Path) -> None:
    more = "separator=';' decimal=',' thousands='.'"
    path = configuration(tmp_path, SALARIES, "<att name='salary'/>", more)
    run(path)
    config = toolbox.load_config(path)
    lost = toolbox.measure(tmp_path / "in.csv", tmp_path / "out.csv", config=config)
    # (766.25 + 2000.5) / 2 of 12000 - 1234.5
    assert lost.value("normalised certainty penalty") == pytest.approx(0.128501, abs=1e-6)
    assert toolbox.check(tmp_path / "out.csv", config=config).holds
    assert toolbox.risk(tmp_path / "out.csv", original=tmp_path / "in.csv", config=config).risk.consistency.lowest == 2


@pytest.mark.slow
def test_judges_read_decimal_commas_where_no_configuration_says_so(tmp_path: Path) -> None:
    original, release = tmp_path / "in.csv", tmp_path / "out.csv"
    original.write_text("salary;sex\n1.234,5;f\n2.000,5;f\n3.234,5;m\n3.234,5;m\n")
    release.write_text("salary;sex\n[1.234,5:2.000,5];f\n[1.234,5:2.000,5];f\n3.234,5;m\n3.234,5;m\n")
    options = ("--qi", "salary", "--decimal", ",", "--thousands", ".", "--json")
    document = run_in_process("measure", original, release, *options).succeeded().document
    lost = {one["name"]: one["value"] for one in document["metrics"] if one["attribute"] is None}
    assert lost["normalised certainty penalty"] == pytest.approx(766 / 2000 / 2)
    called = toolbox.measure(original, release, quasi_identifiers=["salary"], decimal=",", thousands=".")
    assert called.value("normalised certainty penalty") == pytest.approx(766 / 2000 / 2)
    with pytest.raises(toolbox.UsageError, match="is neither a point nor a comma"):
        toolbox.check(release, quasi_identifiers=["salary"], decimal=";")


@pytest.mark.slow
def test_sensitive_numbers_with_decimal_commas_are_numbers_to_the_models(tmp_path: Path) -> None:
    ages = "age;salary\n" + "".join(f"{age};1.{pay}00,5\n" for age, pay in ((1, 1), (1, 2), (2, 3), (2, 4)))
    path = configuration(tmp_path, ages, "<att name='age'/>", "separator=';' decimal=',' thousands='.'")
    sensitive = "<sens><att name='salary' type='number'/></sens><privacy><model name='t-closeness' t='0.9'/></privacy>"
    path.write_text(path.read_text().replace("</config>", f"{sensitive}</config>").replace("k='2'", ""))
    config = toolbox.load_config(path)
    achieved = in_order.anonymize(config).summary.proof.models[0].achieved
    assert achieved == toolbox.check(tmp_path / "out.csv", config=config).judged[0].achieved
    assert achieved == pytest.approx(1 / 3)  # ranks 1, 2 | 3, 4 of four


def test_a_point_is_refused_where_nothing_says_what_it_is(tmp_path: Path) -> None:
    path = configuration(tmp_path, SALARIES, "<att name='salary'/>", "separator=';' decimal=','")
    failed = run_in_process("-config", path)
    assert failed.status == 4
    assert "(lines 2, 3, 4, 5) is no number" in failed.stderr


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("decimal=';'", "decimal=';' is neither a point nor a comma. Write . or ,."),
        ("decimal=',' thousands=','", "thousands=',' stands before the decimals as well."),
        ("thousands=','", None),
        ("thousands='..'", "thousands='..' does not set thousands apart."),
        ("thousands='.'", "thousands='.' stands before the decimals as well."),
        ("thousands='5'", "thousands='5' does not set thousands apart."),
    ],
)
def test_how_numbers_are_written_is_checked(tmp_path: Path, more: str, message: str | None) -> None:
    path = configuration(tmp_path, SALARIES, "<att index='0' type='category'/>", f"separator=';' {more}")
    finished = run_in_process("-config", path)
    assert finished.status == (0 if message is None else 2)
    assert (message or "") in finished.stderr
