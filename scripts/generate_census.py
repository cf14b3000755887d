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

import sys
from collections.abc import Iterator, Sequence

import census_model as model
import numpy as np
import pyarrow as pa
from draws import CATEGORY, Codes, cards, category, draw, draw_ranks, group
from generated_file import generate_file
from numpy.random import PCG64, Generator, SeedSequence

CHUNK = POOL = 1_000_000
HEAD = 1_000
"""Rank by which a profile's popularity has fallen to a quarter of the first one's. With a much smaller one, single
profiles would stand out in the histogram of a column."""

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
    """Draw the country of birth, for nine in ten the home country, and the race, which depends on its region."""
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
    profile = draw_ranks(rng, CHUNK, head=HEAD, ranks=POOL)
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


def parents(tree: dict[str, tuple[str, ...]] | dict[str, dict[str, int]]) -> Codes:
    """Find the number of each leaf's branch, leaves in their order."""
    return np.repeat(np.arange(len(tree)), [len(leaves) for leaves in tree.values()]).astype(np.int8)


def main(arguments: Sequence[str] | None = None) -> int:
    description = "Make census-like records: nine quasi-identifiers, a diagnosis and a count of visits."
    return generate_file(description, SCHEMA, generate, arguments)


if __name__ == "__main__":
    sys.exit(main())
