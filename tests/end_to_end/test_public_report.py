"""The public report says what the release says, and nothing else: every number of it follows from the release alone."""

from __future__ import annotations

import math
import re
from pathlib import Path

import duckdb
import pytest
from helpers.page_text import words
from helpers.running import run_in_process

import toolbox

K = 5
_NUMBER = re.compile(r"\d(?:[\d,]*\d)?(?:\.\d+)?")
_CHECKSUM = re.compile(r"[0-9a-f]{64}")
_FIXED = (
    "SHA-256",
    "k - 1 others",
    "of at most 1.",
    f"Version of toolbox {toolbox.__version__}",
    f"with toolbox {toolbox.__version__}",
    "1 January 1970",
    "l = 2",
)
"""Words with numbers that are the same in every report, but for the day and the version."""
HIERARCHY = "".join(f"{age};{age // 10 * 10}-{age // 10 * 10 + 9};*\n" for age in range(20, 60))
TOWNS = "Graz;Styria;*\nLeoben;Styria;*\nLinz;Upper Austria;*\nWels;Upper Austria;*\n"


def people(shift: int) -> list[tuple[int, str, str]]:
    """Return 63 people, three of whom stand out; another shift makes other people of the same ages by tens.

    All who are 20 to 29 and live in Graz have a cold.
    """
    towns, ills = ("Graz", "Leoben", "Linz", "Wels"), ("flu", "cold", "gout")
    crowd = [
        (20 + (3 * n + shift) % 10 + 10 * (n % 3), towns[n % 4], ills[n * n % 7 % 3 if n % 12 else 1])
        for n in range(60)
    ]
    return [*crowd, (55, "Graz", "flu"), (56 + shift % 3, "Linz", "cold"), (51, "Wels", "gout")]


def public_report(folder: Path, shift: int) -> tuple[bytes, str]:
    """Run; return the release and its public report."""
    folder.mkdir()
    rows = "".join(f"p{number},{age},{town},{ill}\n" for number, (age, town, ill) in enumerate(people(shift)))
    (folder / "people.csv").write_text("name,age,town,illness\n" + rows)
    ages, towns, release, page = (folder / name for name in ("age.csv", "town.csv", "out.csv", "public.html"))
    ages.write_text(HIERARCHY)
    towns.write_text(TOWNS)
    options = "--id name --qi age,town --sensitive illness -method Datafly"
    more = f"-k {K} -suppThreshold 5 --order sorted --report-kind public --quiet"
    trees = ("--hierarchy", f"age={ages}", "--hierarchy", f"town={towns}")
    files = (folder / "people.csv", "-output", release, "--html", page)
    run_in_process("anonymize", *files, *trees, *options.split(), *more.split()).succeeded()
    return release.read_bytes(), page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[bytes, str]]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", "0")
        return [public_report(tmp_path_factory.mktemp("public") / str(shift), shift) for shift in (0, 1)]


def numbers_of(release: list[tuple[str, str, str]]) -> set[str]:
    """Compute all that may be told of a release from its rows: counts, shares, and what the models achieve."""
    shown = [row for row in release if row[:2] != ("*", "*")]
    classes: dict[tuple[str, str], list[str]] = {}
    for age, town, ill in shown:
        classes.setdefault((age, town), []).append(ill)
    sizes = [len(ills) for ills in classes.values()]
    ills = [ill for *_, ill in release]
    overall = {ill: ills.count(ill) / len(ills) for ill in set(ills)}
    shares = [{ill: group.count(ill) / len(group) for ill in set(group)} for group in classes.values()]
    counts: list[float] = [len(release), len(shown), len(classes), min(sizes), len(release) - len(shown), *sizes]
    counts.append(round(len(shown) / len(classes), 1))
    counts.append(sum(len(ills) for ills in classes.values() if len(set(ills)) == 1))
    counts += [sum(size for size in sizes if low <= size <= high) for low, high in BINS]
    counts += [sum(low <= size <= high for size in sizes) for low, high in BINS]
    counts += [end for bin_ in BINS for end in bin_]
    for column in (0, 1):
        texts = [row[column] for row in release]
        counts += [len(set(texts)), len(texts), *(texts.count(text) for text in set(texts))]
        rare = [texts.count(text) for text in set(texts) if texts.count(text) < K]
        counts += [len(rare), sum(rare)]
    achieved = [
        max(max(part.values()) for part in shares),
        min(len(part) for part in shares),
        min(math.exp(-sum(p * math.log(p) for p in part.values())) for part in shares),
        max(sum(abs(part.get(ill, 0) - overall[ill]) for ill in overall) / 2 for part in shares),
        max(abs(math.log(p / overall[ill])) for part in shares for ill, p in part.items()),
        max((p - overall[ill]) / overall[ill] for part in shares for ill, p in part.items()),
        max(max(part.values()) / (1 - max(part.values())) for part in shares if len(part) > 1),
    ]
    risks = [1 / min(sizes), len(classes) / len(shown), 0.2]
    told = {f"{count:,}" for count in counts} | {f"{value:.4g}" for value in achieved}
    return told | {f"{risk:.1%}".rstrip("%") for risk in risks} | {str(K), str(K - 1)}


BINS = ((5, 5), (6, 9), (10, 19), (20, 49), (50, 99))


@pytest.mark.slow
def test_every_number_of_it_is_computed_from_the_release_alone(
    reports: list[tuple[bytes, str]], tmp_path: Path
) -> None:
    release, page = reports[0]
    (tmp_path / "out.csv").write_bytes(release)
    rows = duckdb.sql(f"FROM read_csv('{tmp_path / 'out.csv'}', all_varchar=true)").fetchall()
    assert len(rows) == 63
    said = _CHECKSUM.sub("", words(page))
    for text in (*_FIXED, *{value for row in rows for value in row if not value.isalpha()} - {"*"}):
        said = said.replace(text, " ")
    found = set(_NUMBER.findall(said))
    assert found - numbers_of(rows) == set()
    assert len(found) > 10


@pytest.mark.slow
def test_nothing_of_it_tells_the_people_files_or_small_counts(reports: list[tuple[bytes, str]]) -> None:
    release, page = reports[0]
    said = words(page)
    assert "Suppressed fewer than 5" in said
    assert "Of 5 people the illness is certain" in said
    # 63 records with 60 of them in classes would tell that 3 are suppressed.
    assert "63" not in _NUMBER.findall(_CHECKSUM.sub("", said))
    assert b"*,*," in release
    for told in ("people.csv", "p17", "Seconds", "seed", "Seed", "name,", "age.csv", " 3 records"):
        assert told not in said


@pytest.mark.slow
def test_other_people_with_the_same_release_have_the_same_report(reports: list[tuple[bytes, str]]) -> None:
    (release, page), (other_release, other_page) = reports
    assert people(0) != people(1)
    assert release == other_release
    assert page == other_page
