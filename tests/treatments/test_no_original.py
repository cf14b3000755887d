"""Not one original of a treated column is in the bytes of a release, in files of every kind."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from toolbox.cli.main import main

COUNT = 60
# No original is part of another text: each has digits or letters that nothing else has. A mean of even steps would be one.
READ = {
    "who": [f"Zora-{7_310_000 + number * 131}" for number in range(COUNT)],
    "age": [20 + number % 7 for number in range(COUNT)],
    "phone": [f"+49170{8_641_753 + number * 97_531}" for number in range(COUNT)],
    "mail": [f"q{number}x{number * number}@example.org" for number in range(COUNT)],
    "pay": [512_370_013 + number * 1_013_117 + number * number * 17 for number in range(COUNT)],
    "tax": [913_700_021 + number * 3_770_017 for number in range(COUNT)],
    "born": [f"19{50 + number % 40}-0{1 + number % 9}-1{number % 10}" for number in range(COUNT)],
}
TREATS = {
    "who": "pseudonym",
    "phone": "mask:3",
    "mail": "redact",
    "pay": "microaggregate:3",
    "tax": "round:10000000",
    "born": "truncate:decade",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("originals")
    pd.DataFrame(READ).to_csv(folder / "in.csv", index=False)
    pd.DataFrame(READ).to_parquet(folder / "in.parquet")
    assert main(["key", "new", str(folder / "k.key"), "--quiet"]) == 0
    return folder


def list_bytes(path: Path) -> bytes:
    """Return the bytes of a file, and all that is packed in it."""
    found = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(found)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            return b"\n".join(packed.read(name) for name in packed.namelist())
    if path.suffix == ".parquet":
        # Pages are packed; what they and the statistics of the file hold is written out beside its bytes.
        for reader in ("read_parquet", "parquet_metadata"):
            found += str(duckdb.sql(f"FROM {reader}('{path}')").fetchall()).encode()
    return found


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("source", ["in.csv", "in.parquet"])
@pytest.mark.parametrize(
    "output", ["out.csv", "out.csv.gz", "out.tsv", "out.parquet", "out.xlsx", "out.sav", "out.dta"]
)
def test_no_original_is_in_the_bytes(folder: Path, source: str, output: str, tmp_path: Path) -> None:
    out = tmp_path / output
    treats = [f"--treat={name}={words}" for name, words in TREATS.items()]
    ways = ["--qi", "age", "--id", "who", "--rows-are-people", "-k", "3", "--quiet", "--key", str(folder / "k.key")]
    assert main(["anonymize", str(folder / source), *ways, "-output", str(out), *treats]) == 0
    found = list_bytes(out)
    assert b"1950s" in found
    for name in TREATS:
        assert not [text for text in map(str, READ[name]) if text.encode() in found], name
