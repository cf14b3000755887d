"""A Parquet file keeps the texts of a column apart from its cells: it holds no text that no cell shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.running import run_in_process
from pyarrow import parquet

from toolbox.store.load import loading as load

PEOPLE = 1500
COLUMNS = "<qid><att name='age' type='number'/><att name='town' type='category'/></qid><sens><att name='illness' type='category'/></sens>"


def texts_of(path: Path) -> tuple[set[str], set[str]]:
    """Return all texts that a file holds for its columns, and those that its cells show."""
    names = parquet.read_schema(path).names
    held: set[str] = set()
    shown: set[str] = set()
    for column in parquet.read_table(path, read_dictionary=names).columns:
        for chunk in column.chunks:
            shown |= {str(text) for text in chunk.to_pylist() if text is not None}
            held |= set(map(str, chunk.dictionary.to_pylist())) if hasattr(chunk, "dictionary") else set()
    return held, shown


@pytest.mark.sampled(1)
@pytest.mark.parametrize("records", [0, 10**9], ids=["one reading", "two readings"])
@pytest.mark.parametrize("output_format", ["genVals", "genValsDist", "anatomy"])
@pytest.mark.parametrize("order", ["shuffled", "sorted"])
def test_it_holds_the_texts_that_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: int, output_format: str, order: str
) -> None:
    monkeypatch.setattr(load, "WORTH_LEARNING", records)
    lines = ["age,town,illness,note"]
    for number in range(PEOPLE):
        lines.append(
            f"{20 + number % 3},{('Graz', 'Wien')[number % 2]},{('flu', 'cold', 'cough')[number % 3]},n{number % 7}"
        )
    # Somebody who stands out and is suppressed, and somebody who is skipped; both twice, as if they were common.
    lines += ["99,Linz,rare,alone"] * 2 + ["30,,hidden,skipped"] * 2
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "ages.csv").write_text("".join(f"{age},any\n" for age in (20, 21, 22, 99)))
    (tmp_path / "towns.csv").write_text("Graz,any\nWien,any\nLinz,any\n")
    columns = COLUMNS.replace("type='number'/>", "type='number'><vgh file='ages.csv'/></att>")
    columns = columns.replace(
        "name='town' type='category'/>", "name='town' type='category'><vgh file='towns.csv'/></att>"
    )
    (tmp_path / "config.xml").write_text(
        f"<config method='Datafly' k='3' suppThreshold='5' suppressed='drop'><input filename='people.csv' header='true'/>"
        f"<output filename='out.parquet' format='{output_format}' order='{order}'/>{columns}</config>"
    )
    finished = run_in_process("-config", tmp_path / "config.xml", "--json").succeeded().document
    assert finished["records_suppressed"] == 2
    assert finished["records_skipped"] == 2

    for path in finished["release"]:
        held, shown = texts_of(Path(path))
        assert held <= shown
        assert not held & {"99", "Linz", "rare", "alone", "hidden", "skipped"}
        assert not [text for text in held if "unknown" in text]
