"""Hierarchies that are built: a run is that on a file of their rows, and its release is read back by the judges."""

import csv
from pathlib import Path
from random import Random

import pandas as pd
import pytest
from helpers.built import built
from helpers.running import run_in_process

import toolbox

RECORDS = 240
PLACES = (
    "Graz;Styria\nLeoben;Styria\nStyria;Austria\nWien;Austria\nAustria;Europe\nBern;Switzerland\nSwitzerland;Europe\n"
)


def people(random: Random) -> dict[str, list[object]]:
    """Make a table with a column for each builder."""
    draw = random.choices
    return {
        "age": draw(range(100), k=RECORDS),
        "dose": [round(random.random() * 10, 1) for _ in range(RECORDS)],
        "zip": [f"{first}{rest}" for first, rest in zip(draw("12", k=RECORDS), draw(range(100, 130), k=RECORDS), strict=True)],
        "icd": draw(["E11.9", "E10.1", "C50", "C34.1", "I10", "I21.4", "U07.1"], k=RECORDS),
        "tel": [f"+{land} {number}" for land, number in zip(draw(["43 316", "43 1", "49 30"], k=RECORDS), draw(range(1000, 1040), k=RECORDS), strict=True)],
        "ip": [f"10.{net}.0.{host}" for net, host in zip(draw(range(4), k=RECORDS), draw(range(9), k=RECORDS), strict=True)],
        "mail": [f"{name}@{host}" for name, host in zip(draw("abc", k=RECORDS), draw(["x.at", "y.at", "z.com"], k=RECORDS), strict=True)],
        "city": draw(["Graz", "Leoben", "Wien", "Bern"], k=RECORDS),
        "grade": draw(["low", "mid", "high", "top"], k=RECORDS),
    }  # fmt: skip


TABLE = people(Random(4))
GROUPS = [
    {"city": "auto:1", "zip": "suffix", "age": "auto:2"},
    {"age": "intervals:5,10,20:top=90", "zip": "prefix:2,1"},
    {"dose": "intervals:0.1,0.5,2", "grade": "order:low,mid,high,top"},
    {"age": "cuts:18,30,65/18,65", "icd": "icd10"},
    {"age": "quantiles:8,4,2", "mail": "email"},
    {"tel": "telephone", "city": "tree:places.csv"},
    {"dose": "auto", "ip": "ip"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows([TABLE, *zip(*TABLE.values(), strict=True)])
    (tmp_path / "places.csv").write_text(PLACES)
    return tmp_path


def configuration(folder: Path, method: str, columns: dict[str, str], name: str) -> Path:
    atts = "".join(f"<att name='{column}'{vgh}</att>" for column, vgh in columns.items())
    path = folder / f"{name}.xml"
    path.write_text(
        f"<config method='{method}' k='4'><input filename='people.csv' header='true'/>"
        f"<output filename='{name}.csv' order='sorted'/><qid>{atts}</qid></config>"
    )
    return path


def as_attributes(text: str, folder: Path) -> str:
    return "><vgh " + " ".join(f"{name}='{value}'" for name, value in built(text, folder).attributes().items()) + "/>"


def as_file(text: str, column: str, folder: Path) -> str:
    """Export the rows of a builder, and declare them."""
    with (folder / f"{column}.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows(built(text, folder).rows(TABLE[column]))
    kind = "number" if column in ("age", "dose") else "category"
    return f" type='{kind}'><vgh file='{column}.csv' header='false'/>"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["Mondrian", "Datafly"])
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: " ".join(group.values()))
def test_a_run_is_that_on_a_file_of_the_same_rows(folder: Path, group: dict[str, str], method: str) -> None:
    vghs = {column: as_attributes(text, folder) for column, text in group.items()}
    if "auto:1" in group.values():
        vghs["zip"] = " type='category'" + vghs["zip"]
    files = {column: as_file(text, column, folder) for column, text in group.items()}
    for name, columns in (("built", vghs), ("files", files)):
        run_in_process("-config", configuration(folder, method, columns, name), "--quiet").succeeded()
    release = (folder / "built.csv").read_text()
    assert release == (folder / "files.csv").read_text()
    assert len(set(release.splitlines())) > 10
    documents = [
        run_in_process("measure", "-config", folder / f"{name}.xml", "--json").succeeded().document
        for name in ("built", "files")
    ]
    values = [
        {(metric["name"], metric["attribute"]): metric["value"] for metric in one["metrics"]} for one in documents
    ]
    assert values[0] == pytest.approx(values[1])
    assert len(values[0]) > 30


MONTHS = {
    "this": ["Graz", "Wien", "Bern", "Leoben"] * 6,
    "next": ["Graz", "Wien", "Bern", "Leoben", "Rome", "Oslo"] * 4,
}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["Datafly", "LocalRecoding"])
def test_a_value_that_was_not_there_before_goes_to_the_root(method: str) -> None:
    tree = toolbox.hierarchies.tree([line.split(";") for line in PLACES.split()], other="root")
    frames = {month: pd.DataFrame({"city": cities, "visits": range(24)}) for month, cities in MONTHS.items()}
    released = {
        month: toolbox.anonymize(
            frame, quasi_identifiers=["city"], hierarchies={"city": tree}, method=method, k=5, suppression_threshold=0
        ).release
        for month, frame in frames.items()
    }
    assert set(released["this"]["city"]) == {"Graz", "Leoben", "Wien", "Bern"}
    shown = {"Datafly": {"Europe"}, "LocalRecoding": {"Styria", "Europe"}}[method]
    assert set(released["next"]["city"]) == shown
    described = {"quasi_identifiers": ["city"], "hierarchies": {"city": tree}}
    report = toolbox.measure(frames["next"], released["next"], **described)
    assert report.value("suppressed records") == {"Datafly": 24, "LocalRecoding": 16}[method]
    assert toolbox.check(released["next"], **described).smallest_class >= 5


def test_the_frequencies_of_counted_records_are_theirs() -> None:
    counts = pd.DataFrame({"age": [1, 2, 3, 4], "n": [9, 1, 1, 9]})
    trees = {"age": toolbox.hierarchies.quantiles(2)}
    made = toolbox.generalise(
        counts, quasi_identifiers=["age"], hierarchies=trees, method="Datafly", k=10, suppression_threshold=0
    )
    assert sorted(made.classes["age"]) == ["<3", ">=3"]


@pytest.mark.slow
def test_skipped_records_count_neither_in_a_run_nor_for_its_judge(folder: Path) -> None:
    rows = [f"{age},{'?' if age <= 20 else 'flu'}" for age in range(1, 41)]
    (folder / "people.csv").write_text("age,illness\n" + "\n".join(rows) + "\n")
    path = configuration(folder, "Datafly", {"age": "><vgh build='quantiles' classes='4,2'/>"}, "built")
    path.write_text(
        path.read_text().replace("</config>", "<sens><att name='illness' type='category'/></sens></config>")
    )
    run_in_process("-config", path, "--quiet", "--on-missing", "skip").succeeded()
    released = pd.read_csv(folder / "built.csv")["age"].value_counts()
    assert released.to_dict() == {"<26": 5, "[26:31)": 5, "[31:36)": 5, ">=36": 5}
    run_in_process("measure", "-config", path, "--json").succeeded()


@pytest.mark.slow
def test_distances_of_a_sensitive_attribute_may_go_by_a_builder() -> None:
    frame = pd.DataFrame({"age": [21, 22, 23, 24] * 3, "icd": ["E11.9", "E10", "I10", "I21.4"] * 3})
    closeness = toolbox.TCloseness(t=0.9, attribute="icd", distance="hierarchical")
    described = {
        "quasi_identifiers": ["age"], "sensitive": ["icd"], "models": [closeness],
        "hierarchies": {"age": "intervals:2,4", "icd": "icd10"},
    }  # fmt: skip
    result = toolbox.anonymize(frame, method="Mondrian", **described)
    (achieved,) = (model.achieved for model in result.summary.proof.models)
    (measured,) = (model.achieved for model in toolbox.check(result.release, **described).judged)
    assert achieved == pytest.approx(measured)
