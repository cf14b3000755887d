"""A step of scikit-learn that generalises: it behaves as such steps do, and what a model learns from was proved."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.amounts import is_thorough
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

import toolbox
from toolbox.sklearn import Generaliser

TOP = Path(__file__).parents[1]
NOTEBOOK = TOP / "docs" / "tutorials" / "learn_from_a_release.ipynb"
QUICK = {
    "check_complex_data",
    "check_do_not_raise_errors_in_init_or_set_params",
    "check_estimator_cloneable",
    "check_estimator_sparse_array",
    "check_estimators_empty_data_messages",
    "check_estimators_unfitted",
    "check_fit1d",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_get_params_invariance",
    "check_n_features_in",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
}
"""Of the checks of scikit-learn, those that fit little; all run with ``--slow``."""
AGES = pd.DataFrame(
    {"age": [25, 27, 61, 64, 33], "town": ["Graz", "Graz", "Linz", "Wels", "Graz"]}, index=list("edcba")
)
DECADES = {"age": "intervals:10", "town": "auto"}


def list_checks() -> list[Any]:
    # The checks of scikit-learn compare numbers, which the labels are not.
    checks = estimator_checks_generator(Generaliser(k=2, numbers="middles"))
    return [
        pytest.param(estimator, check, id=check.func.__name__)
        for estimator, check in checks
        if is_thorough() or check.func.__name__ in QUICK
    ]


@pytest.mark.parametrize(("estimator", "check"), list_checks())
def test_it_passes_the_checks_of_scikit_learn(estimator: Generaliser, check: Callable[[Any], None]) -> None:
    check(estimator)


def test_a_model_learns_from_the_rows_of_a_proved_release_in_their_order() -> None:
    people = pd.read_csv(TOP / "configs" / "census_5000.csv").loc[:400, ["age", "sex", "race"]]
    learnt = Generaliser(k=10).fit_transform(people)
    assert list(learnt.index) == list(people.index)
    assert min(Counter(learnt.itertuples(index=False, name=None)).values()) >= 10
    for age, label in zip(people["age"], learnt["age"], strict=True):
        low, high = (float(bound) for bound in label.strip("[]()").split(":")) if ":" in label else (age, age)
        assert low <= age <= high


@pytest.mark.slow
def test_suppressed_rows_are_stars_in_what_a_model_learns_from_and_labels_in_what_it_is_used_on() -> None:
    generaliser = Generaliser(k=2, method="Flash", hierarchies=DECADES, suppression_threshold=1)
    assert generaliser.fit_transform(AGES).loc["a"].tolist() == ["*", "*"]
    assert generaliser.transform(AGES).loc["a"].tolist()[0] == "[30:40)"


@pytest.mark.slow
def test_a_row_gets_the_same_labels_whatever_other_rows_there_are() -> None:
    generaliser = Generaliser(k=2, method="Flash", hierarchies=DECADES, suppression_threshold=1).fit(AGES)
    others = pd.DataFrame({"age": [29, 61, 85], "town": ["Graz", "Linz", "Enns"]})
    together = generaliser.transform(others)
    alone = pd.concat([generaliser.transform(others.iloc[[place]]) for place in range(3)])
    pd.testing.assert_frame_equal(together, alone)
    assert together["age"].tolist() == ["[20:30)", "[60:70)", "[80:90)"]


@pytest.mark.slow
def test_numbers_may_become_the_middles_of_their_labels() -> None:
    generaliser = Generaliser(k=2, method="Flash", hierarchies=DECADES, suppression_threshold=1, numbers="middles")
    learnt = generaliser.fit_transform(AGES)
    assert learnt["age"].tolist()[:4] == [25.0, 25.0, 65.0, 65.0]
    assert np.isnan(learnt.loc["a", "age"])
    assert learnt["town"].tolist()[0] == "Graz"


def test_true_and_false_have_no_middle() -> None:
    smokers = pd.DataFrame({"smokes": [True, True, False, False]})
    shown = Generaliser(k=2, numbers="middles").fit_transform(smokers)
    assert shown["smokes"].str.lower().tolist() == ["true", "true", "false", "false"]


def test_an_array_becomes_an_array_and_its_columns_are_called_as_in_scikit_learn() -> None:
    ages = np.array([[25.0], [27.0], [61.0], [64.0]])
    generaliser = Generaliser(k=2, hierarchies={"x0": "intervals:10"}, method="Flash", numbers="middles")
    assert generaliser.fit_transform(ages).tolist() == [[25.0], [25.0], [65.0], [65.0]]
    assert generaliser.get_feature_names_out().tolist() == ["x0"]


@pytest.mark.parametrize(
    ("kind", "module"), [("pandas", "pandas"), pytest.param("polars", "polars", marks=pytest.mark.slow)]
)
def test_it_is_a_step_of_a_pipeline_beside_columns_that_stay(kind: str, module: str) -> None:
    table = AGES.assign(visits=[1, 2, 3, 4, 5])
    generaliser = Generaliser(k=2, method="Flash", hierarchies=DECADES, suppression_threshold=1)
    columns = ColumnTransformer([("people", generaliser, ["age", "town"]), ("others", "passthrough", ["visits"])])
    shown = columns.set_output(transform=kind).fit_transform(table)
    assert type(shown).__module__.startswith(module)
    assert list(shown.columns) == ["people__age", "people__town", "others__visits"]
    steps = make_pipeline(clone(generaliser), OneHotEncoder(handle_unknown="ignore"), DecisionTreeClassifier())
    target = [0, 0, 1, 1, 0]
    assert steps.fit(AGES, target).predict(AGES.iloc[:4]).tolist() == target[:4]


@pytest.mark.slow
def test_a_recoding_of_other_data_is_applied_and_nothing_is_searched(tmp_path: Path) -> None:
    made = toolbox.Recoding.fit(
        AGES, quasi_identifiers=["age", "town"], hierarchies=DECADES, k=2, method="Flash", suppression_threshold=1
    )
    made.to_json(tmp_path / "r.json")
    others = pd.DataFrame({"age": [41, 42, 43], "town": ["Graz"] * 3})
    for recoding in (made, tmp_path / "r.json"):
        assert Generaliser(recoding=recoding).fit_transform(others)["age"].tolist() == ["[40:50)"] * 3


@pytest.mark.parametrize(
    ("changed", "table", "words"),
    [
        ({"numbers": "middle"}, AGES, "numbers='middle' is not known. Write 'labels' or 'middles'."),
        ({"k": 6}, AGES, "k=6 needs at least 6 rows. Found n_samples=5."),
        ({}, AGES.assign(town=["Graz", None, "Linz", "Wels", "Graz"]), "Column 'town' lacks a value."),
    ],
)
def test_what_is_wrong_is_a_value_error_as_in_scikit_learn(
    changed: dict[str, Any], table: pd.DataFrame, words: str
) -> None:
    with pytest.raises(ValueError, match=words.replace(".", r"\.")):
        Generaliser(**{"k": 2, **changed}).fit(table)


def test_other_columns_than_those_it_was_fitted_on_are_refused() -> None:
    generaliser = Generaliser(k=2).fit(AGES)
    with pytest.raises(ValueError, match="feature names should match"):
        generaliser.transform(AGES.rename(columns={"town": "place"}))


def test_a_wrong_setting_is_told_as_by_anonymize() -> None:
    with pytest.raises(toolbox.UsageError, match="There is no method 'Mondrain'"):
        Generaliser(k=2, method="Mondrain").fit(AGES)


def test_without_scikit_learn_the_message_says_what_to_install() -> None:
    program = "import sys; sys.modules['sklearn'] = None; import toolbox.sklearn"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "toolbox.sklearn needs scikit-learn" in done.stderr
    assert "pip install 'anonymisation-toolbox[experiments]'" in done.stderr


@pytest.mark.slow
def test_the_notebook_runs_and_prints_what_it_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(TOP)
    names: dict[str, Any] = {}
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 4
    for cell in cells:
        exec("".join(cell["source"]), names)
        shown = "".join("".join(output["text"]) for output in cell["outputs"])
        assert capsys.readouterr().out == shown
