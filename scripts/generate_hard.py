"""Make records that are hard to anonymise: a zip code of 90,000 values, two coordinates, nearly all unique.

    python scripts/generate_hard.py --records 5000 --seed 1 --output hard.csv

Beside the records it writes their configuration, ``hard.xml``, and ``hard_zip.csv``, ``hard_sex.csv`` and
``hard_marital-status.csv``, which the configuration names: hierarchies whose lattice has 1,440 nodes.

As with `generate_census`, the same seed gives the same records on every machine, and the first n records
of a larger file are the file of n. Zip codes are as unevenly popular as towns are; a home lies anywhere
within the area of its zip code, to about ten metres. Of a million people every one has a combination
of their own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import census_model as model
import hard_country as country
import numpy as np
import pyarrow as pa
from draws import CATEGORY, cards, category, draw, draw_ranks, group
from generated_file import generate_file
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import NDArray

CHUNK = 100_000
HEAD = 10_000
"""Rank by which a zip code's popularity has fallen to a quarter of the first one's."""
DEGREES = pa.decimal128(7, 4)
SCHEMA = pa.schema(
    [
        ("person_id", pa.int64()),
        ("zip", pa.int32()),
        ("latitude", DEGREES),
        ("longitude", DEGREES),
        ("age", pa.int16()),
        ("sex", CATEGORY),
        ("marital-status", CATEGORY),
        ("diagnosis", CATEGORY),
        ("visits", pa.int16()),
    ]
)


def generate(records: int, seed: int) -> Iterator[pa.RecordBatch]:
    """Yield the records in batches of at most a hundred thousand, so that memory does not grow with their number.

    Parameters
    ----------
    records : int, >= 0
        How many in all.
    seed : int, >= 0
        Which population; each seed has its own towns.

    Yields
    ------
    RecordBatch with `SCHEMA`
        ``person_id`` counts from 1; coordinates are decimals with four places.
    """
    towns_seed, chunk_seeds = SeedSequence(seed).spawn(2)
    # A random order without ties that matter; the method of numpy for it may change from version to version.
    lots = Generator(PCG64(towns_seed)).integers(0, 2**62, size=country.ZIPS)
    zips = country.FIRST_ZIP + np.argsort(lots, kind="stable")
    for start in range(0, records, CHUNK):
        # A chunk is always drawn whole: cutting it afterwards is what keeps the first n records the same.
        chunk = draw_records(Generator(PCG64(chunk_seeds.spawn(1)[0])), zips, start)
        yield chunk.slice(0, records - start)


def draw_records(rng: Generator, zips: NDArray[np.int64], start: int) -> pa.RecordBatch:
    """Draw a whole chunk, whose first record has the number `start`; zip codes by their popularity."""
    home = zips[draw_ranks(rng, CHUNK, head=HEAD, ranks=country.ZIPS)]
    row, column = country.cells(home)
    latitude = country.LATITUDE_START + row * country.CELL + rng.integers(0, country.CELL, size=CHUNK)
    longitude = country.LONGITUDE_START + column * country.CELL + rng.integers(0, country.CELL, size=CHUNK)
    age = draw(rng, cards([model.AGE_WEIGHTS]), np.zeros(CHUNK, dtype=np.int8)) + np.int16(model.AGES.start)
    age_group = group(age, model.AGE_GROUP_STARTS)
    columns = [
        pa.array(np.arange(start + 1, start + 1 + CHUNK, dtype=np.int64)),
        pa.array(home.astype(np.int32)),
        degrees(latitude),
        degrees(longitude),
        pa.array(age),
        category(draw(rng, cards(model.SEX_BY_AGE), age_group), model.SEXES),
        category(draw(rng, cards(model.MARITAL_STATUS_BY_AGE), age_group), model.MARITAL_STATUSES),
        category(draw(rng, cards(model.DIAGNOSIS_BY_AGE), age_group), model.DIAGNOSES),
        pa.array(draw(rng, cards(model.VISITS_BY_AGE), age_group).astype(np.int16)),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def degrees(units: NDArray[np.int64]) -> pa.Array:
    """Write units of 0.0001 degree, none negative, as decimals: 128 bits each, of which the upper half is empty."""
    halves = np.zeros((len(units), 2), dtype="<i8")
    halves[:, 0] = units
    return pa.Array.from_buffers(DEGREES, len(units), [None, pa.py_buffer(halves)])


def write_configuration(folder: Path) -> None:
    """Write ``hard.xml``, whose input is ``hard.csv`` unless `-input` says otherwise, and the files that it names."""
    write_lines(folder / "hard_zip.csv", country.zip_rows())
    write_lines(folder / "hard_sex.csv", [f"{word};*" for word in model.SEXES])
    write_lines(folder / "hard_marital-status.csv", [f"{word};*" for word in model.MARITAL_STATUSES])
    degree = 10**4
    hierarchies = {
        "latitude": country.intervals(country.LATITUDE_START, country.SIDE, country.LATITUDE_WIDTHS, degree),
        "longitude": country.intervals(country.LONGITUDE_START, country.SIDE, country.LONGITUDE_WIDTHS, degree),
        "age": country.intervals(country.AGE_START, country.AGE_SIDE, country.AGE_WIDTHS),
    }
    write_lines(folder / "hard.xml", configuration(hierarchies))


def configuration(hierarchies: dict[str, list[str]]) -> list[str]:
    """Write the configuration: each quasi-identifier with its hierarchy, as XML or in a file of its name."""
    attributes: list[str] = []
    for name in country.ORDER:
        lines = hierarchies.get(name, [f"<vgh file='hard_{name}.csv'/>"])
        # Digits, but no numbers: a zip code is not more than another.
        kind = " type='category'" if name == "zip" else ""
        attributes += [f"    <att name='{name}'{kind}>", *(f"      {line}" for line in lines), "    </att>"]
    return [
        "<config method='Mondrian' k='5'>",
        "  <input filename='hard.csv' header='true'/>",
        "  <output filename='hard_release.csv'/>",
        "  <id><att name='person_id'/></id>",
        "  <qid>",
        *attributes,
        "  </qid>",
        "  <sens><att name='diagnosis' type='category'/></sens>",
        "</config>",
    ]


def write_lines(path: Path, lines: Sequence[str]) -> None:
    """Write a text at once or not at all; two programs may do it at the same time."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def main(arguments: Sequence[str] | None = None) -> int:
    description = "Make records with a zip code of 90,000 values and two coordinates, and their configuration hard.xml."
    return generate_file(description, SCHEMA, generate, arguments, beside=write_configuration)


if __name__ == "__main__":
    sys.exit(main())
