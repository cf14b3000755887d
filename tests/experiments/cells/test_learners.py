"""The learners that a plan may name."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from helpers.amounts import some

from toolbox.errors import UsageError
from toolbox.experiments.cells.learning import make_learner, require_learner


def test_every_learner_learns_with_values_that_are_missing() -> None:
    features = np.array([[number, np.nan if number % 7 == 0 else number % 2] for number in range(120)], dtype=float)
    labels = np.arange(120) % 2
    # To import the others takes a second.
    for name in (
        "logistic regression",
        "decision tree",
        *some(("random forest", "gradient boosting"), every=3, start=2),
    ):
        require_learner(name)
        model = make_learner(name, 3).fit(features, labels)
        chances = model.predict_proba(features)
        assert np.allclose(chances, make_learner(name, 3).fit(features, labels).predict_proba(features))
        assert (chances.argmax(axis=1) == labels).mean() > 0.8, name


def test_a_learner_of_somebody_else_is_a_function_of_the_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_learner.py").write_text("def make(seed):\n    return ('mine', seed)\n")
    monkeypatch.chdir(tmp_path)
    require_learner("own_learner:make")
    assert make_learner("own_learner:make", 5) == ("mine", 5)
    for name, expected in (
        ("own_learner:mke", "has no function 'mke'. Did you mean 'make'?"),
        ("no_such_module:make", "there is no module 'no_such_module'"),
        ("own learner:make", "Write package.module:function."),
        ("random forrest", "Did you mean 'random forest'?"),
    ):
        with pytest.raises(UsageError) as caught:
            require_learner(name)
        assert expected in str(caught.value)


def test_without_scikit_learn_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(UsageError, match=r"pip install 'anonymisation-toolbox\[experiments\]'"):
        require_learner("decision tree")
