"""Releases are judged by the configuration that they were made with."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.judge_folder import CONFIG, PEOPLE, folder, values
from helpers.running import run_in_process

pytestmark = pytest.mark.sampled(1)

__all__ = ["folder"]

CONFIGS = Path(__file__).parents[2] / "configs"


class TestWithoutHeader:
    CONFIG = """<config method='Mondrian' k='2'>
      <input filename='plain.csv'/><output order='input' filename='plain_release.csv'/>
      <id><att index='1'/></id>
      <qid><att index='0' name='age'/><att index='2' name='town' type='category'/></qid>
      <sens><att index='3' name='illness' type='category'/></sens></config>"""

    @pytest.mark.slow
    def test_columns_are_found_where_the_identifiers_before_them_are_gone(self) -> None:
        rows = [line.split(",") for line in PEOPLE.splitlines()[1:]]
        plain = "".join(f"{age},{name},{town},{illness}\n" for name, age, town, illness in rows)
        Path("plain.csv").write_text(plain, encoding="utf-8")
        Path("plain.xml").write_text(self.CONFIG, encoding="utf-8")
        run_in_process("-config", "plain.xml", "--quiet").succeeded()
        for command in ("measure", "risk"):
            document = run_in_process(command, "-config", "plain.xml", "--json").succeeded().document
            assert document["records"] == 5
        assert document["consistency"]["unmatched"] == 0
        # The original need not be there to check the release.
        Path("plain.csv").unlink()
        assert run_in_process("check", "-config", "plain.xml", "--json").succeeded().document["records"] == 5


# By default test_documents.py judges the release of the clinic.
@pytest.mark.slow
@pytest.mark.parametrize("name", ["census_mondrian", "census_datafly", "clinic_incognito", "manual_style"])
def test_the_releases_of_the_examples_are_judged_as_they_stand(name: str, folder: Path) -> None:
    config = CONFIGS / f"{name}.xml"
    release = folder / "release_of_example.csv"
    run_in_process("-config", config, "-output", release, "--quiet").succeeded()
    assert run_in_process("check", release, "-config", config, "--json").status == 0
    measured = run_in_process("measure", CONFIGS / _input_of(config), release, "-config", config, "--json").succeeded()
    assert ("conditional entropy", None) in values(measured)
    risk = run_in_process("risk", release, "-config", config, "--json").succeeded().document
    assert (risk["consistency"]["unmatched"], risk["consistency"]["below_k"]) == (0, 0)


def _input_of(config: Path) -> str:
    return config.read_text(encoding="utf-8").split("<input filename='")[1].split("'")[0]


class TestFilesOfAConfiguration:
    """All files that it names are read, not only the first."""

    @pytest.fixture(autouse=True)
    def in_parts(self) -> None:
        header, *lines = PEOPLE.splitlines(keepends=True)
        Path("part-2.csv").write_text(header + "".join(lines[:2]), encoding="utf-8")
        Path("part-10.csv").write_text(header + "".join(lines[2:]), encoding="utf-8")

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "given",
        [
            "<input header='true'><file name='part-2.csv'/><file name='part-10.csv'/></input>",
            "<input filename='part-*.csv' header='true'/>",
        ],
    )
    def test_several_files_of_original_records(self, given: str) -> None:
        config = CONFIG.replace("<input filename='people.csv' header='true'/>", given)
        Path("c.xml").write_text(config, encoding="utf-8")
        run_in_process("-config", "c.xml", "--quiet").succeeded()
        measured = run_in_process("measure", "-config", "c.xml", "--json").succeeded()
        assert not any("has 5 records" in note for note in measured.document["notes"])
        risk = run_in_process("risk", "-config", "c.xml", "--json").succeeded().document
        assert (risk["consistency"]["people"], risk["consistency"]["unmatched"]) == (5, 0)
        Path("part-2.csv").unlink()
        Path("part-10.csv").unlink()
        assert run_in_process("risk", "-config", "c.xml", "--json").succeeded().document["consistency"] is None
        finished = run_in_process("measure", "-config", "c.xml")
        assert (finished.status, "part-" in finished.stderr) == (4, True)

    @pytest.mark.slow
    def test_a_release_that_is_split(self) -> None:
        with Path("people.csv").open("a", encoding="utf-8") as file:
            file.writelines(f"x,{20 + number % 40},Graz,flu\n" for number in range(300))
        config = CONFIG.replace("'release.csv'", "'parts.csv' splitSize='1KB'")
        Path("c.xml").write_text(config, encoding="utf-8")
        run_in_process("-config", "c.xml", "--quiet").succeeded()
        assert Path("parts-00002.csv").exists()
        for command in ("check", "measure", "risk"):
            document = run_in_process(command, "-config", "c.xml", "--json").succeeded().document
            assert document["records"] == 305
        assert (document["consistency"]["unmatched"], document["consistency"]["below_k"]) == (0, 0)

    @pytest.mark.slow
    def test_an_anatomy_is_judged_by_both_of_its_tables(self) -> None:
        config = CONFIG.replace("'release.csv'", "'r.csv' format='anatomy'")
        Path("c.xml").write_text(config, encoding="utf-8")
        proved = run_in_process("-config", "c.xml", "--json").succeeded().document
        for command in ("check", "measure", "risk"):
            document = run_in_process(command, "-config", "c.xml", "--json").succeeded().document
            assert document["records"] == proved["records_released"]
        for wrong in (
            ("check", "r_QIT.csv"),
            ("measure", "--label", "illness"),
            ("check", "--population", "people.csv"),
        ):
            finished = run_in_process(wrong[0], *wrong[1:], "-config", "c.xml")
            assert (finished.status, "anatomy" in finished.stderr) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["r.csv", "r.parquet"])
@pytest.mark.parametrize(
    "names", [["town", "age", "note"], ["age", "age", "note"], ["Age", "age", "AGE"], ["", "age", "_"]]
)
def test_a_release_of_parquet_has_a_header_and_may_have_told_equal_names_apart(release: str, names: list[str]) -> None:
    columns = [["Graz", "Linz", "Graz", "Linz"], [20, 31, 20, 31], ["a", "b", "c", "d"]]
    pq.write_table(pa.Table.from_arrays(list(map(pa.array, columns)), names=names), "people.parquet")
    by_name = "name='age'" if names.count("age") == 1 else "index='1'"
    Path("c.xml").write_text(
        f"""<config method='Mondrian' k='2'><input filename='people.parquet'/><output order='input' filename='{release}'/>
          <qid><att index='0' type='category'/><att {by_name} type='number'/></qid></config>""",
        encoding="utf-8",
    )
    run_in_process("-config", "c.xml", "--quiet").succeeded()
    for command in ("check", "measure", "risk"):
        document = run_in_process(command, "-config", "c.xml", "--json").succeeded().document
        assert document["records"] == 4
    assert (document["consistency"]["unmatched"], document["consistency"]["below_k"]) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("mark", ["?", "N/A"])
def test_missing_values_that_are_kept_are_one_value(mark: str) -> None:
    """However they are written in the original: the release calls all of them the same."""
    rows = f"Graz,a\n{mark},a\n,a\nLinz,a\n" * 2
    Path("lacking.csv").write_text("town,illness\n" + rows, encoding="utf-8")
    Path("c.xml").write_text(
        f"""<config method='Mondrian' k='3'>
          <input filename='lacking.csv' header='true' onMissing='keep' missing='{mark}'/><output order='input' filename='r.csv'/>
          <qid><att name='town' type='category'/></qid></config>""",
        encoding="utf-8",
    )
    run_in_process("-config", "c.xml", "--quiet").succeeded()
    assert mark in Path("r.csv").read_text(encoding="utf-8")
    measured = run_in_process("measure", "-config", "c.xml", "--json").succeeded()
    assert not any("another order" in note for note in measured.document["notes"])
    risk = run_in_process("risk", "-config", "c.xml", "--json").succeeded().document
    assert (risk["consistency"]["unmatched"], risk["consistency"]["below_k"]) == (0, 0)


def test_suppressed_records_of_a_release_as_in_2010_are_in_no_class() -> None:
    rows = "30,flu\n" * 5 + "80,cold\n" * 2
    Path("old.csv").write_text("age,illness\n" + rows, encoding="utf-8")
    Path("c.xml").write_text(
        """<config method='Datafly' k='3' suppThreshold='2' compatibility='utd'>
          <input filename='old.csv' header='true'/><output order='input' filename='r.csv'/>
          <qid><att name='age'><vgh value='[0:100]'><node value='[0:50)' label='young'/><node value='[50:100]'/></vgh>
          </att></qid></config>""",
        encoding="utf-8",
    )
    run_in_process("-config", "c.xml", "--quiet").succeeded()
    for command in ("check", "risk"):
        document = run_in_process(command, "-config", "c.xml", "--json").succeeded().document
        assert (document["records"], document["records_suppressed"]) == (7, 2)
