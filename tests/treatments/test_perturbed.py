"""Noise, swapped ranks and post-randomised values: what runs with fixed seeds draw is what was asked for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from toolbox.cli.main import main
from toolbox.treatments.treatment import TreatmentError, parse_treatment

COUNT = 4000
TREATS = {
    "a": "noise:gaussian:10:6",
    "b": "noise:laplace:2:6",
    "c": "swap:5",
    "d": "pram:0.7",
    "e": "noise:gaussian:10:6",
}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> tuple[pd.DataFrame, pd.DataFrame, Path]:
    """Return what was read and what was released, in one order, and the folder of both."""
    folder = tmp_path_factory.mktemp("perturbed")
    draw = np.random.default_rng(7)
    read = pd.DataFrame({"q": draw.integers(20, 60, COUNT), "a": 100.0, "b": -5.0, "c": draw.permutation(COUNT)})
    read["d"] = draw.choice(list("xyz"), COUNT, p=[0.6, 0.3, 0.1])
    read["e"] = 0
    read.loc[:9, "d"] = ""
    read.to_csv(folder / "in.csv", index=False)
    treats = [word for name, words in TREATS.items() for word in ("--treat", f"{name}={words}")]
    for output, seed in (("out.csv", "11"), ("again.csv", "11"), ("other.csv", "12")):
        files = ["-output", str(folder / output), "--report", str(folder / f"{output}.json")]
        ways = ["--qi", "q", "-k", "2", "--seed", seed, "--order", "input", "--quiet"]
        assert main(["anonymize", str(folder / "in.csv"), *ways, *files, *treats]) == 0
    return read, pd.read_csv(folder / "out.csv", keep_default_na=False), folder


@pytest.mark.slow
def test_noise_is_of_its_law_and_each_column_has_its_own(released: tuple[pd.DataFrame, pd.DataFrame, Path]) -> None:
    read, shown, _ = released
    gaussian, laplace, other = (shown[name] - read[name] for name in "abe")
    assert stats.kstest(gaussian, stats.norm(scale=10).cdf).pvalue > 0.001
    assert stats.kstest(laplace, stats.laplace(scale=2).cdf).pvalue > 0.001
    assert abs(np.corrcoef(gaussian, other)[0, 1]) < 0.06
    assert abs(np.corrcoef(gaussian, laplace)[0, 1]) < 0.06
    assert abs(np.corrcoef(gaussian[1:], gaussian[:-1])[0, 1]) < 0.06


@pytest.mark.slow
def test_ranks_change_within_their_window_and_values_stay(released: tuple[pd.DataFrame, pd.DataFrame, Path]) -> None:
    read, shown, _ = released
    assert sorted(shown["c"]) == sorted(read["c"])
    # The values are the ranks; 5 percent of 4,000 are 200.
    moved = np.abs(shown["c"] - read["c"])
    assert moved.max() < 200
    # In each window one record at most has no partner.
    assert 0 < (moved == 0).sum() <= 21 or (moved == 0).sum() == 0
    # Two places in a window are a third of its width apart on average.
    assert 55 < moved.mean() < 78


@pytest.mark.slow
def test_the_matrix_of_pram_is_the_one_that_is_stated(released: tuple[pd.DataFrame, pd.DataFrame, Path]) -> None:
    read, shown, folder = released
    assert (shown["d"][:10] == "").all() and (shown["d"][10:] != "").all()
    before, after = read["d"][10:], shown["d"][10:]
    shares = before.value_counts(normalize=True)
    for value, size in before.value_counts().items():
        expected = {other: 0.3 * share + 0.7 * (other == value) for other, share in shares.items()}
        found = after[before == value].value_counts()
        counts = [found.get(other, 0) for other in expected]
        assert stats.chisquare(counts, [size * chance for chance in expected.values()]).pvalue > 0.001
    treated = {each["column"]: each for each in json.loads((folder / "out.csv.json").read_text())["treatments"]}
    assert treated["d"]["not_true"].startswith("A value stays with the chance 0.7 + 0.3 s, and becomes another one")
    assert not any(each["is_true"] for each in treated.values())


@pytest.mark.slow
def test_a_seed_draws_again_what_it_has_drawn(released: tuple[pd.DataFrame, pd.DataFrame, Path]) -> None:
    *_, folder = released
    texts = [(folder / name).read_text() for name in ("out.csv", "again.csv", "other.csv")]
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.slow
@pytest.mark.parametrize("output", ["out.parquet", "out.xlsx"])
def test_files_with_types_take_them_too(tmp_path: Path, output: str) -> None:
    read = pd.DataFrame({"q": [20, 21] * 30, "n": range(60), "t": list("ab") * 30, "f": [0.5, None] * 30})
    read["when"] = pd.date_range("2024-01-01", periods=60).date
    read.to_parquet(tmp_path / "in.parquet")
    treats = [f"--treat={each}" for each in ("n=noise:laplace:3", "t=pram:0.5", "f=swap:50", "when=swap:20")]
    out = tmp_path / output
    words = ["anonymize", str(tmp_path / "in.parquet"), "--qi", "q", "-k", "2", "--quiet", "-output", str(out), *treats]
    assert main(words) == 0
    shown = pd.read_parquet(out) if output.endswith("parquet") else pd.read_excel(out, engine="calamine")
    assert set(shown["t"]) <= {"a", "b"}
    assert sorted(shown["f"].dropna()) == [0.5] * 30
    assert sorted(map(str, shown["when"]))[0].startswith("2024-01-01")


@pytest.mark.parametrize(
    "words",
    ["noise", "noise:uniform:3", "noise:gaussian:0", "noise:gaussian:3:x", "swap:0", "swap:101", "swap:x", "pram:1"],
)
def test_wrong_settings_are_told(words: str) -> None:
    with pytest.raises(TreatmentError):
        parse_treatment(words)


def test_what_has_no_rank_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.csv").write_text("q,t\n20,x\n20,3\n")
    words = ["anonymize", str(tmp_path / "in.csv"), "--qi", "q", "-k", "2", "-output", str(tmp_path / "out.csv")]
    assert main([*words, "--treat", "t=swap:5"]) == 2
    assert "1 cell of 't' is no value that 'swap' can read. It takes numbers, and dates" in capsys.readouterr().err
