"""Releases of records that are drawn by lot: epsilon, delta, beta and k beside exact binomials, and what is refused."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from helpers.running import run_in_process
from helpers.small_tables import declared

import toolbox
from toolbox.config.model import Config, EngineChoice
from toolbox.config.reading.recoding import SavedRecoding
from toolbox.flows.release.anonymize import run
from toolbox.recodings.applying import compute_delta, make_private_drawing, require_private

PEOPLE = pd.DataFrame({"age": [23, 25, 61, 64] * 10, "sex": ["m", "f", "m", "m"] * 10, "pay": range(40)})
HIERARCHIES = {
    "age": [(age, "young" if age < 40 else "old", "*") for age in range(20, 70)],
    "sex": [("m", "*"), ("f", "*")],
}
DECLARED: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "hierarchies": HIERARCHIES, "undeclared": "drop"}
MORE = pd.DataFrame({"age": [24, 62] * 300, "sex": ["f", "m"] * 300, "pay": range(600)})


def fit(**asked: Any) -> toolbox.Recoding:
    return toolbox.Recoding.fit(PEOPLE, **(DECLARED | {"k": 2, "method": "Flash"} | asked))


def configure(order: Any, **options: Any) -> Config:
    """A configuration that applies a recoding with a level for its only column."""
    config = declared("age", **options)
    recoding = SavedRecoding({"levels": [1], "valuesOfData": {}}, "it")
    return replace(config, recoding=recoding, output=replace(config.output, order=order))


def find_delta(k: int, beta: Fraction, gamma: Fraction, most: int) -> Fraction:
    """The largest probability that more than gamma n, and at least k, of n are drawn: by exact fractions."""
    deltas = []
    for n in range(1, most):
        first = max(k, math.floor(gamma * n) + 1)
        deltas.append(sum(math.comb(n, j) * beta**j * (1 - beta) ** (n - j) for j in range(first, n + 1)))
    return max(map(Fraction, deltas))


def test_delta_is_a_tail_of_a_binomial() -> None:
    """With epsilon = ln 2, beta is 1/2 and gamma 3/4. For k = 2, of n = 2 both are drawn with 1/4; n = 3 needs 3: 1/8."""
    assert compute_delta(1, 0.5, math.log(2)) == pytest.approx(0.5, rel=1e-12)
    assert compute_delta(2, 0.5, math.log(2)) == pytest.approx(0.25, rel=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 12.0])
def test_delta_is_that_of_exact_fractions(k: int, epsilon: float) -> None:
    beta, gamma = 1 - math.exp(-epsilon), 1 - math.exp(-2 * epsilon)
    exact = find_delta(k, Fraction(beta), Fraction(gamma), 3 * k + 20)
    assert compute_delta(k, beta, epsilon) == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize(("epsilon", "k"), [(10.5, 167_237), (12, 749_512), (19.9, 2_021_649_551)])
def test_of_a_large_epsilon_all_of_n_are_more_than_may_be_drawn(epsilon: float, k: int) -> None:
    """Gamma n is nearly n then, so that only a draw of all n counts, with beta ** n: k is log(.01) / log(beta)."""
    assert make_private_drawing(epsilon, 0.01).k == pytest.approx(k, rel=1e-6)


def test_k_is_the_smallest_that_is_enough() -> None:
    for epsilon, delta in [(math.log(2), 0.01), (1.0, 1e-6), (0.1, 1e-5)]:
        drawing = make_private_drawing(epsilon, delta)
        assert drawing.beta == pytest.approx(1 - math.exp(-epsilon))
        assert drawing.reached == compute_delta(drawing.k, drawing.beta, epsilon) <= delta
        assert compute_delta(drawing.k - 1, drawing.beta, epsilon) > delta


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1, None), (None, 0.1), (0.001, 0.1), (1, 0), (1, 1), (25, 0.1), (True, 0.1)]
)
def test_wrong_parameters_are_refused(epsilon: Any, delta: Any) -> None:
    with pytest.raises(toolbox.SettingError, match="epsilon and delta go together"):
        make_private_drawing(epsilon, delta)


def test_one_without_the_other_says_which_is_lacking() -> None:
    with pytest.raises(toolbox.SettingError) as caught:
        make_private_drawing(None, 1e-6)
    assert str(caught.value) == "delta is 1e-06; write epsilon as well: epsilon and delta go together."


@pytest.mark.slow
def test_a_release_has_the_classes_that_are_large_enough_of_drawn_records() -> None:
    """Of 600 records, 300 alike twice, a half is drawn; k for epsilon = ln 2 and delta = .01 leaves both classes."""
    drawing = make_private_drawing(math.log(2), 0.01)
    result = fit().transform(MORE, epsilon=math.log(2), delta=0.01)
    sizes = Counter(map(tuple, result.release.to_numpy().tolist()))
    assert list(result.release) == ["age", "sex"]
    assert set(sizes) <= {("young", "*"), ("old", "*"), ("24", "f"), ("62", "m"), ("young", "f"), ("old", "m")}
    assert len(sizes) == 2
    assert all(200 > size > 100 > drawing.k for size in sizes.values())
    (note,) = [each for each in result.summary.notes if "differential privacy" in each]
    assert f"each with probability 0.5, and classes below {drawing.k} are left out" in note


@pytest.mark.slow
def test_two_draws_differ() -> None:
    recoding = fit()
    drawn = {len(recoding.transform(MORE, epsilon=1, delta=0.01).release) for _ in range(4)}
    assert len(drawn) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "said", "reason"),
    [
        ({"method": "LocalRecoding"}, {}, "The recoding is local"),
        ({"sensitive": ["pay"]}, {}, "declares sensitive attributes"),
        ({"person": "pay"}, {}, "declares persons"),
        ({"models": [toolbox.AverageRisk(0.5)], "k": None}, {}, "other models than k-anonymity"),
        ({}, {"small_classes": "merge"}, "looks at the records"),
        ({}, {"index": "keep"}, "which records were drawn"),
        ({}, {"order": "input"}, "which records were drawn"),
    ],
)
def test_what_does_not_hold_is_refused(asked: dict[str, Any], said: dict[str, Any], reason: str) -> None:
    with pytest.raises(toolbox.UsageError, match=f"{reason}.*not differentially private"):
        fit(**asked).transform(MORE, epsilon=1, delta=0.1, **said)


@pytest.mark.parametrize(
    ("output_format", "seed", "order", "reason"),
    [
        ("genValsDist", None, "shuffled", "format genValsDist shows more .* Write -outputFormat genVals"),
        ("anatomy", None, "shuffled", "format anatomy shows more .* Write -outputFormat genVals"),
        ("genVals", 7, "shuffled", "--seed undoes the shuffling, .* Leave it out"),
        ("genVals", None, "input", "-order input tells which records were drawn; .* Leave it out"),
    ],
)
def test_what_shows_more_than_generalised_values_in_any_order_is_refused(
    output_format: str, seed: int | None, order: Any, reason: str
) -> None:
    with pytest.raises(toolbox.UsageError, match=reason):
        require_private(configure(order, output_format=output_format, seed=seed), is_file=False)


def test_generalised_values_in_another_order_are_not_refused() -> None:
    require_private(configure("shuffled"), is_file=False)


def test_an_engine_does_not_release_all_records_where_a_draw_is_asked_for() -> None:
    asked = {"epsilon": 1.0, "delta": 0.1}
    config = replace(configure("shuffled"), others=asked, engine=EngineChoice(name="it", url="it"))
    with pytest.raises(toolbox.UsageError, match="An engine keeps the records, and none are drawn there"):
        run(config)


@pytest.mark.slow
def test_a_recoding_of_the_same_table_is_refused() -> None:
    with pytest.raises(toolbox.UsageError, match="made from a table of 40 records, as this one has"):
        fit().transform(PEOPLE, epsilon=1, delta=0.1)


# The same on the command line and in a configuration.


def write_next(folder: Path) -> None:
    """Write the recoding, and the table of other people that it is applied to."""
    (folder / "recoding.json").write_text(fit().to_json())
    MORE.to_csv(folder / "more.csv", index=False)


@pytest.mark.slow
def test_the_command_line_draws_and_its_report_tells_the_parameters(tmp_path: Path) -> None:
    """Of 600 records, 300 alike twice; k for epsilon = 1 and delta = .01 is 21."""
    write_next(tmp_path)
    words = ("apply", "recoding.json", "more.csv", "-output", "out.csv", "--epsilon", "1", "--delta", ".01", "--json")
    document = run_in_process(*words, cwd=tmp_path).succeeded().document
    rows = (tmp_path / "out.csv").read_text().splitlines()
    private = document["recoding"]["differential_privacy"]
    assert rows[0] == "age,sex"
    assert len(rows) - 1 == private["drawn"] < private["records"] == 600
    assert (private["epsilon"], private["delta"], private["k"]) == (1.0, 0.01, 21)
    assert private["probability"] == pytest.approx(1 - math.exp(-1))
    assert private["reached_delta"] == compute_delta(21, 1 - math.exp(-1), 1.0)
    (note,) = [each for each in document["notes"] if "differential privacy" in each]
    assert all(words in note for words in [private["formula"], *private["not_covered"]])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ((), "epsilon is 1.0; write delta as well"),
        (("--delta", "2"), "a number from 1e-15 to 1"),
        (("--delta", ".01", "-order", "input"), "-order input tells which records were drawn"),
        (("--delta", ".01", "--small-classes", "merge"), "--small-classes merge looks at the records"),
    ],
)
def test_the_command_line_refuses_what_does_not_hold(tmp_path: Path, more: tuple[str, ...], reason: str) -> None:
    write_next(tmp_path)
    ended = run_in_process(
        "apply", "recoding.json", "more.csv", "-output", "out.csv", "--epsilon", "1", *more, cwd=tmp_path
    )
    assert ended.status == 2
    assert reason in ended.stderr
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_drawing_without_a_recoding_is_refused(tmp_path: Path) -> None:
    MORE.to_csv(tmp_path / "more.csv", index=False)
    words = ("anonymize", "more.csv", "-output", "out.csv", "--qi", "age,sex,pay", "--epsilon", "1", "--delta", ".1")
    ended = run_in_process(*words, cwd=tmp_path)
    assert ended.status == 2
    assert "No saved recoding is applied; then a release is not differentially private." in ended.stderr


@pytest.mark.slow
def test_a_configuration_draws_as_options_do(tmp_path: Path) -> None:
    write_next(tmp_path)
    (tmp_path / "config.xml").write_text(
        "<config recoding='recoding.json' epsilon='1' delta='.01'>"
        "<input filename='more.csv' header='true'/><output filename='out.csv'/></config>"
    )
    document = run_in_process("-config", "config.xml", "--json", cwd=tmp_path).succeeded().document
    assert document["recoding"]["differential_privacy"]["k"] == 21
    assert len((tmp_path / "out.csv").read_text().splitlines()) - 1 == document["records_read"]
