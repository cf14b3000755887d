"""Each figure has one plain sentence."""

from __future__ import annotations

from typing import Any

from toolbox.app.pages import sentences


def test_a_check_in_words() -> None:
    document: dict[str, Any] = {
        "records": 5000,
        "classes": 741,
        "smallest_class": 5,
        "records_suppressed": 0,
        "models": [
            {"name": "k-anonymity", "attribute": None, "required": 5, "achieved": 5, "holds": True},
            {"name": "t-closeness", "attribute": "illness", "required": 0.2, "achieved": 0.31, "holds": False},
            {"name": "k-anonymity", "attribute": None, "required": None, "achieved": 5, "holds": None},
            {"name": "k-map", "attribute": None, "required": 1e6, "achieved": 1234567.0, "holds": True},
            {"name": "beta", "attribute": None, "required": 1, "achieved": "infinity", "holds": False},
        ],
    }
    said = sentences.describe_check(document)
    assert [(one.name, one.value, one.verdict) for one in said] == [
        ("Records", "5,000", ""),
        ("Equivalence classes", "741", ""),
        ("Smallest class", "5", ""),
        ("k-anonymity", "5", "safe"),
        ("t-closeness of illness", "0.31", "risk"),
        ("k-map", "1,234,567", "safe"),
        ("beta", "infinity", "risk"),
    ]
    assert said[2].words == "Everybody looks like at least 4 others."
    assert said[4].words == "reached; 0.2 required: it does not hold."
    assert said[5].words == "reached; 1,000,000 required: it holds."
    words = {size: sentences.describe_check({**document, "smallest_class": size})[2].words for size in (None, 1, 2)}
    assert words == {
        None: "All records are suppressed, so that there is no class.",
        1: "Somebody is alone in a class, and can be told from all others.",
        2: "Everybody looks like at least 1 other.",
    }


def test_losses_and_risks_in_words() -> None:
    metrics = [
        {"name": "normalised certainty penalty", "attribute": None, "value": 0.0864},
        {"name": "normalised certainty penalty", "attribute": "age", "value": 1.0},
        {"name": "a metric of somebody", "attribute": None, "value": 3.0},
    ]
    assert [(one.name, one.value) for one in sentences.describe_losses({"metrics": metrics})] == [
        ("Normalised certainty penalty", "8.6 %")
    ]
    bound = {"value": 0.0431, "released": 0.0505, "beyond": ""}
    (least,) = sentences.describe_bounds({"bounds": [bound]})
    assert (least.name, least.value) == ("Least that must be lost", "4.3 %")
    assert least.words.endswith("That is proved. This one has lost 5.1 %.")
    (other,) = sentences.describe_bounds({"bounds": [{**bound, "beyond": "age has other values than the records"}]})
    assert other.words.endswith(
        "it is another kind of release, which may lose less: age has other values than the records."
    )
    assert sentences.describe_bounds({"metrics": metrics}) == []
    prosecutor = {"highest": 0.5, "average": 0.148, "records_at_risk": 12}
    consistency = {"lowest": 5, "below_k": 3, "k": 5}
    risk = {"prosecutor": prosecutor, "threshold": 0.2, "uniqueness": {"records": 0}, "consistency": consistency}
    assert [(one.name, one.value, one.verdict) for one in sentences.describe_risk(risk)] == [
        ("Highest risk", "50.0 %", ""),
        ("Average risk", "14.8 %", ""),
        ("Records at risk", "12", "risk"),
        ("Alone", "0", "safe"),
        ("Fit each person", "5", ""),
        ("Fitted by few", "3", "risk"),
    ]
    assert len(sentences.describe_risk({**risk, "prosecutor": None, "consistency": None})) == 1
