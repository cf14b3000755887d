"""Make census-like records, as many as wanted: nine quasi-identifiers, a diagnosis and a count of visits.

    python scripts/generate_census.py --records 5000 --seed 1 --output census.csv

The same seed gives the same records on every machine, and the first n records of a larger file are the
file of n records. To keep that promise only whole numbers decide a value: the last bit of a logarithm
or of a floating-point sum differs between processors.

People are not drawn one by one. A pool of a million *profiles* (combinations of the nine
quasi-identifiers) is drawn from the dependencies in `census_model`; each record then takes a profile
with a popularity that falls with the profile's rank r as 1 / (r + 1000)**2. So records share their
combinations as heavily as a table does whose columns have been coarsened for analysis, and far more
than people do in a full census: with single years of age, 48 countries of birth and 18 occupations most
people there would be unique. Seed 1 gives

    records          5,000      1,000,000     10,000,000
    combinations      2,920         46,279        122,377

The number of combinations grows with the square root of the number of records, and ends at a million.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import census_model as model
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import NDArray

CHUNK = POOL = 1_000_000
HEAD = 1_000
"""Rank by which a profile's popularity has fallen to a quarter of the first one's. With a much smaller one, single
profiles would stand out in the histogram of a column."""

Codes = NDArray[np.int8]
CATEGORY = pa.dictionary(pa.int8(), pa.string())
SCHEMA = pa.schema(
    [
        ("person_id", pa.int64()),
        ("age", pa.int16()),
        *((name, CATEGORY) for name in model.VOCABULARY),
        ("diagnosis", CATEGORY),
        ("visits", pa.int16()),
    ]
)


def generate(records: int, seed: int) -> Iterator[pa.RecordBatch]:
    """Yield the records in batches of at most a million, so that memory does not grow with their number.

    Parameters
    ----------
    records : int, >= 0
        How many in all.
    seed : int, >= 0
        Which population; each seed has its own profiles.

    Yields
    ------
    RecordBatch with `SCHEMA`
        ``person_id`` counts from 1; categories are dictionary-encoded.
    """
    pool_seed, chunk_seeds = SeedSequence(seed).spawn(2)
    pool = draw_profiles(Generator(PCG64(pool_seed)))
    for start in range(0, records, CHUNK):
        # A chunk is always drawn whole: cutting it afterwards is what keeps the first n records the same.
        chunk = draw_records(Generator(PCG64(chunk_seeds.spawn(1)[0])), pool, start)
        yield chunk.slice(0, records - start)


def draw_profiles(rng: Generator) -> dict[str, Codes]:
    """Draw the pool: per quasi-identifier one code for each profile, and the age group beside them."""
    age = draw(rng, cards([model.AGE_WEIGHTS]), np.zeros(POOL, dtype=np.int8))
    age_group = group(model.AGES.start + age, model.AGE_GROUP_STARTS)
    sex = draw(rng, cards(model.SEX_BY_AGE), age_group)
    education = draw(rng, cards(model.EDUCATION_BY_AGE), age_group)
    level = parents(model.EDUCATION_LEVELS)[education]
    occupation = draw(rng, cards(model.OCCUPATION_BY_EDUCATION_AND_SEX), 2 * level + sex)
    sector = parents(model.SECTORS)[occupation]
    workclass = draw_workclass(rng, age_group, sector)
    country, race = draw_origin(rng)
    return {
        "age_group": age_group,
        "age": age,
        "sex": sex,
        "race": race,
        "marital-status": draw(rng, cards(model.MARITAL_STATUS_BY_AGE), age_group),
        "education": education,
        "native-country": country,
        "workclass": workclass,
        "occupation": occupation,
        "salary-class": draw_salary_class(rng, age_group, level, sector, workclass),
    }


def draw_workclass(rng: Generator, age_group: Codes, sector: Codes) -> Codes:
    """Employ people as their sector does, apart from those whose age says that they are not at work."""
    employer = draw(rng, cards(model.WORKCLASS_BY_SECTOR), sector)
    status = draw(rng, cards(model.STATUS_BY_AGE), age_group)
    return np.where(status == 0, employer, len(model.WORKCLASSES_AT_WORK) + status - 1).astype(np.int8)


def draw_origin(rng: Generator) -> tuple[Codes, Codes]:
    """Let nine in ten be born at home; race follows the region of birth."""
    abroad = [weight for region in model.FOREIGNERS.values() for weight in region.values()]
    country = draw(rng, cards([[9 * sum(abroad), *abroad]]), np.zeros(POOL, dtype=np.int8))
    # The home country lies in the first region.
    region = np.concatenate([np.zeros(1, dtype=np.int8), parents(model.FOREIGNERS)])
    return country, draw(rng, cards(model.RACE_BY_REGION), region[country])


def draw_salary_class(rng: Generator, age_group: Codes, level: Codes, sector: Codes, workclass: Codes) -> Codes:
    """Add up what age, education, sector and work are worth, and some luck."""
    score = rng.integers(0, 5, size=POOL)
    score += np.array(model.SALARY_POINTS_OF_AGE)[age_group]
    score += np.array(model.SALARY_POINTS_OF_EDUCATION)[level]
    score += np.array(model.SALARY_POINTS_OF_SECTOR)[sector]
    score += model.SALARY_POINTS_OF_WORK * (workclass < len(model.WORKCLASSES_AT_WORK))
    return group(score, model.SALARY_STARTS)


def draw_records(rng: Generator, pool: dict[str, Codes], start: int) -> pa.RecordBatch:
    """Draw a whole chunk, whose first record has the number `start`."""
    profile = draw_ranks(rng)
    age_group = pool["age_group"][profile]
    diagnosis = draw(rng, cards(model.DIAGNOSIS_BY_AGE), age_group)
    visits = draw(rng, cards(model.VISITS_BY_AGE), age_group)
    columns = [
        pa.array(np.arange(start + 1, start + 1 + CHUNK, dtype=np.int64)),
        pa.array(pool["age"][profile].astype(np.int16) + model.AGES.start),
        *(category(pool[name][profile], words) for name, words in model.VOCABULARY.items()),
        category(diagnosis, model.DIAGNOSES),
        pa.array(visits.astype(np.int16)),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def draw_ranks(rng: Generator) -> NDArray[np.int64]:
    """Draw ranks of which a share of HEAD / (r + HEAD) is r or higher: the inverse of a uniform number."""
    uniform = rng.integers(1, 2**32, size=CHUNK, endpoint=True)
    # The one draw in a thousand beyond the pool falls back into it, all over.
    return ((HEAD << 32) // uniform - HEAD) % POOL


def cards(weights: Sequence[Sequence[int]]) -> Codes:
    """Lay out a table of weights as rows of cards that show each category as often as its weight says."""
    return np.array([np.repeat(np.arange(len(row)), row) for row in weights], dtype=np.int8)


def draw(rng: Generator, deck: Codes, rows: NDArray[np.integer]) -> Codes:
    """Draw one card from the named row of the deck, for each row named."""
    drawn: Codes = deck[rows, rng.integers(0, deck.shape[1], size=len(rows))]
    return drawn


def group(values: NDArray[np.integer], starts: Sequence[int]) -> Codes:
    """Find the number of each value's group, given where the second and later groups start."""
    return np.searchsorted(starts, values, side="right").astype(np.int8)


def parents(tree: dict[str, tuple[str, ...]] | dict[str, dict[str, int]]) -> Codes:
    """Find the number of each leaf's branch, leaves in their order."""
    return np.repeat(np.arange(len(tree)), [len(leaves) for leaves in tree.values()]).astype(np.int8)


def category(codes: Codes, words: Sequence[str]) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(words, pa.string()))


@contextmanager
def open_csv(path: Path) -> Iterator[pa.csv.CSVWriter]:
    """Open a writer of plain CSV; the words of the vocabulary need no quotes, and pyarrow would quote them all."""
    options = pa.csv.WriteOptions(include_header=False, quoting_style="none")
    with pa.OSFile(str(path), "wb") as file:
        file.write((",".join(SCHEMA.names) + "\n").encode())
        with pa.csv.CSVWriter(file, SCHEMA, write_options=options) as writer:
            yield writer


def open_parquet(path: Path) -> pa.parquet.ParquetWriter:
    return pa.parquet.ParquetWriter(path, SCHEMA, compression="zstd")


WRITERS = {".csv": open_csv, ".parquet": open_parquet}


def write(path: Path, batches: Iterable[pa.RecordBatch]) -> None:
    """Write the batches as CSV or Parquet, as the extension says; an interrupted run leaves no file behind."""
    part = path.with_name(path.name + ".part")
    try:
        with WRITERS[path.suffix.lower()](part) as writer:
            for batch in batches:
                writer.write_batch(batch)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def natural(text: str) -> int:
    """Read a whole number from 0, underscores allowed: 10_000_000."""
    if not text.replace("_", "").isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number. Write one such as 5000 or 10_000_000.")
    return int(text)


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Make census-like records: nine quasi-identifiers, a diagnosis and a count of visits.",
        epilog="The same seed gives the same records everywhere; the first n of a larger file are the file of n.",
    )
    parser.add_argument("--records", type=natural, default=5000, metavar="N", help="how many (default: %(default)s)")
    parser.add_argument(
        "--seed", type=natural, default=1, metavar="N", help="another population (default: %(default)s)"
    )
    parser.add_argument(
        "--output", type=Path, required=True, metavar="FILE", help="a name that ends in .csv or .parquet"
    )
    parser.add_argument("--force", action="store_true", help="replace FILE if it exists")
    options = parser.parse_args(arguments)
    output: Path = options.output
    if output.suffix.lower() not in WRITERS:
        parser.error(f"--output {output}: write a name that ends in {' or '.join(WRITERS)}.")
    if not output.parent.is_dir():
        parser.error(f"--output {output}: there is no folder {output.parent}. Make it first.")
    if output.exists() and not options.force:
        parser.error(f"--output {output}: the file exists. Name another, or add --force to replace it.")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    try:
        write(options.output, generate(options.records, options.seed))
    except OSError as error:
        print(f"{options.output} could not be written: {error.strerror or error}", file=sys.stderr)
        return 2
    print(f"{options.records:,} records in {options.output}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
