"""The command `methods`: the list of what is installed."""

from __future__ import annotations

import json

import pytest
from helpers.command_options import parsed

from toolbox.cli.commands.others import methods


def test_the_document_lists_methods_models_and_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    assert methods(parsed("methods", "--json")) == 0
    document = json.loads(capsys.readouterr().out)
    assert "Mondrian" in [method["name"] for method in document["methods"]]
    assert "k-anonymity" in [model["name"] for model in document["privacy_models"]]
    assert "precision" in [metric["name"] for metric in document["metrics"]]


def test_without_it_the_same_stands_in_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert methods(parsed("methods")) == 0
    shown = capsys.readouterr().out
    assert not shown.startswith("{")
    for name in ("Mondrian", "k-anonymity", "precision"):
        assert name in shown
