"""Scores on held-out records, over splits that are the same for all who ask."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest

from toolbox.experiments.cells.learning import Examination
from toolbox.experiments.plan.plan import Learning

LABELS = np.repeat([0, 1], [30, 10])
CLEAR = LABELS[:, None].astype(float)
NOTHING = np.zeros((40, 1))
REMEMBERING = """
import numpy as np

seen = []

class Learner:
    classes_ = np.array([0, 1])

    def fit(self, features, labels):
        seen.append(("fit", sorted(features[:, 0]), [int((labels == label).sum()) for label in (0, 1)]))
        return self

    def predict_proba(self, features):
        seen.append(("test", sorted(features[:, 0])))
        return np.tile([0.6, 0.4], (len(features), 1))

def make(seed):
    seen.append(("seed", seed))
    return Learner()
"""


def test_who_sees_the_label_is_always_right_and_who_sees_nothing_never_tells_them_apart() -> None:
    examination = Examination(Learning(learners=(), splits=3, test_share=0.25), seed=5)
    clear = list(examination.compute_scores("logistic regression", LABELS, CLEAR, CLEAR))
    assert [(score.name, score.split, score.value) for score in clear] == [
        (name, split, 1.0) for split in (1, 2, 3) for name in ("balanced accuracy", "AUROC")
    ]
    assert {score.value for score in examination.compute_scores("logistic regression", LABELS, NOTHING, NOTHING)} == {
        0.5
    }
    # What was learned from the one helps nobody who tests on the other.
    assert {score.value for score in examination.compute_scores("logistic regression", LABELS, CLEAR, NOTHING)} == {0.5}


def test_more_than_two_labels_are_each_tested_against_the_rest() -> None:
    labels = np.arange(60) % 3
    examination = Examination(Learning(learners=(), splits=2, test_share=0.2), seed=5)
    features = labels[:, None].astype(float)
    assert {score.value for score in examination.compute_scores("logistic regression", labels, features, features)} == {
        1.0
    }


def test_a_label_without_a_record_on_one_side_of_a_split_has_no_auroc_there() -> None:
    labels = np.repeat([0, 1, 2], [80, 18, 2])
    features = labels[:, None].astype(float)
    examination = Examination(Learning(learners=(), splits=6, test_share=0.1), seed=5)
    with warnings.catch_warnings(action="error"):
        scores = list(examination.compute_scores("decision tree", labels, features, features))
    said = {(score.name, math.isnan(score.value), score.reason) for score in scores}
    assert said == {
        ("balanced accuracy", False, ""),
        ("AUROC", True, "the test side of a split has no record of 1 label"),
    }
    # A learner that has seen one label only could tell nothing.
    nearly_all = Examination(Learning(learners=(), splits=3, test_share=0.9), seed=5)
    scores = list(nearly_all.compute_scores("logistic regression", LABELS[:32], CLEAR[:32], CLEAR[:32]))
    assert "the train side of a split has no record of 1 label" in {score.reason for score in scores}


def test_splits_hold_out_the_same_records_of_each_label_for_everybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "remembering.py").write_text(REMEMBERING)
    monkeypatch.chdir(tmp_path)
    numbers = np.arange(40, dtype=float)[:, None]
    examination = Examination(Learning(learners=(), splits=2, test_share=0.1), seed=5)
    list(examination.compute_scores("remembering:make", LABELS, numbers, numbers + 1000))
    import remembering  # type: ignore[import-not-found]

    first, remembering.seen[:] = remembering.seen[:], []
    list(examination.compute_scores("remembering:make", LABELS, numbers, numbers + 1000))
    assert remembering.seen == first
    for (_, seed), (_, trained, counts), (_, tested) in zip(first[::3], first[1::3], first[2::3], strict=True):
        assert 0 <= seed < 2**31
        assert counts == [27, 9]
        assert sorted([*trained, *(number - 1000 for number in tested)]) == list(range(40))
    assert first[0] != first[3], "each split has a seed of its own"
    assert first[2] != first[5], "and other records"
