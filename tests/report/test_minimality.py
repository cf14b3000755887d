"""What a method gives away by going no further than the models ask."""

from __future__ import annotations

import pytest

import toolbox
from toolbox import DistinctLDiversity, KAnonymity, TCloseness
from toolbox.methods.anonymizer import find_method, list_installed_methods
from toolbox.report.advice import Minimality, advise_on_minimality, find_minimality

L = DistinctLDiversity(l=2, attribute="illness")
BOTH = (KAnonymity(k=2), L, TCloseness(t=0.3, attribute="pay"))


def test_methods_that_stop_as_soon_as_they_may_are_known() -> None:
    assert {method.name for method in list_installed_methods().values() if not method.stops_at_first} == {
        "Anatomy",
        "MDAV",
        "Singletons",
    }


def test_only_models_of_sensitive_values_give_something_away() -> None:
    mondrian = find_method("Mondrian")
    assert find_minimality(mondrian, BOTH[:1]) is None
    assert find_minimality(find_method("Anatomy"), [L]) is None
    models = ("distinct l-diversity (l=2) of illness", "t-closeness (t=0.3) of pay")
    found = find_minimality(mondrian, BOTH)
    assert found == Minimality(method="Mondrian", models=models)
    assert found.document() == {"method": "Mondrian", "models": list(models)}
    assert f"{models[0]} and {models[1]} ask for it" in found.finding()
    assert "of illness asks for it" in Minimality(method="OLA", models=models[:1]).finding()


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> toolbox.Config:
    folder = tmp_path_factory.mktemp("minimality")
    (folder / "people.csv").write_text("age,illness\n21,flu\n22,cold\n31,flu\n32,cold\n")
    (folder / "c.xml").write_text(
        "<config method='Mondrian'><privacy><model name='distinct l-diversity' l='2' attribute='illness'/></privacy>"
        "<input filename='people.csv' header='true'/><output filename='out.csv'/><qid><att name='age'/></qid>"
        "<sens><att name='illness'/></sens></config>"
    )
    return toolbox.load_config(folder / "c.xml")


def test_a_run_and_the_risk_of_its_release_say_the_same(config: toolbox.Config) -> None:
    summary = toolbox.anonymize(config).summary
    assert config.output.path is not None
    report = toolbox.risk(config.output.path, config=config)
    assert summary.minimality == report.minimality == find_minimality(find_method("Mondrian"), [L])
    assert report.minimality is not None
    (advice,) = advise_on_minimality(report.minimality)
    assert advice.in_words() in summary.notes
    assert advice.in_words() in report.notes
    assert summary.document()["minimality"] == report.document()["minimality"] == report.minimality.document()
