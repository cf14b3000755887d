"""`toolbox.anonymize` with privacy models: what is asked for is kept, or refused with a word."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import toolbox
from toolbox import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    PrivacyModel,
    SettingError,
    TCloseness,
    UnknownColumnError,
    UsageError,
)

PEOPLE = pd.DataFrame(
    {
        "age": [21, 22, 23, 24, 41, 42, 43, 44],
        "illness": ["flu", "cold", "flu", "cold", "gout", "flu", "cold", "gout"],
        "salary": [10, 20, 30, 40, 10, 20, 30, 40],
    }
)
L2 = DistinctLDiversity(l=2, attribute="illness")


def release(**more: object) -> toolbox.Result:
    return toolbox.anonymize(PEOPLE, quasi_identifiers=["age"], sensitive=["illness", "salary"], **more)


def models(result: toolbox.Result) -> list[tuple[str, object]]:
    return [(model.name, model.required) for model in result.summary.proof.models]


@pytest.mark.slow
def test_several_models_hold_each_for_its_column() -> None:
    result = release(models=[KAnonymity(k=2), L2, TCloseness(t=0.4, attribute="salary")])
    assert models(result) == [("k-anonymity", 2), ("distinct l-diversity", 2), ("t-closeness", 0.4)]
    assert all(model.holds for model in result.summary.proof.models)


@pytest.mark.slow
def test_k_beside_models_is_one_more() -> None:
    both = release(models=[L2], k=4)
    assert models(both) == [("distinct l-diversity", 2), ("k-anonymity", 4)]
    assert both.summary.proof.smallest_class == 4
    assert models(release(models=[KAnonymity(k=4)], k=4)) == [("k-anonymity", 4)]


@pytest.mark.parametrize("given", [{"l": 2}, {"t": 0.2}, {"c": 1}])
def test_other_parameters_beside_models_are_refused(given: dict[str, float]) -> None:
    (name,) = given
    with pytest.raises(UsageError, match=f"{name}= cannot be combined with models="):
        release(models=[L2], **given)


@pytest.mark.parametrize(
    ("method", "given"),
    [("Mondrian", {"l": 3}), ("Mondrian", {"t": 0.1}), ("Anatomy", {"k": 5}), ("Anatomy", {"c": 1})],
)
def test_a_parameter_that_would_be_ignored_is_refused(method: str, given: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(given))}= means nothing to {method}, which takes"):
        release(method=method, **given)


@pytest.mark.parametrize(
    ("given", "found"),
    [(KAnonymity, "KAnonymity"), ("k-anonymity", "str"), (3, "int"), ([KAnonymity], "KAnonymity"), (["k"], "str")],
)
def test_what_is_no_model_is_refused(given: object, found: str) -> None:
    with pytest.raises(UsageError, match=f"models= holds {found}, which is no privacy model"):
        release(models=given)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("given", [L2, {L2}, (one for one in [L2])])
def test_one_model_or_any_collection_of_them_will_do(given: object) -> None:
    assert models(release(models=given)) == [("distinct l-diversity", 2)]


def test_a_model_of_a_column_that_is_not_sensitive_is_refused() -> None:
    with pytest.raises(UnknownColumnError, match="Did you mean 'illness'"):
        release(models=[DistinctLDiversity(l=2, attribute="ilness")])


@pytest.mark.slow
def test_numbers_may_be_those_of_numpy() -> None:
    result = release(models=[EntropyLDiversity(l=np.float64(2), attribute="illness")], k=np.int64(4))
    assert models(result) == [("entropy l-diversity", 2), ("k-anonymity", 4)]
    assert result.summary.proof.smallest_class == 4


@pytest.mark.parametrize("c", [float("nan"), float("inf"), "2", True])
def test_a_c_that_is_no_number_is_refused(c: object) -> None:
    rows = [[age, "*"] for age in PEOPLE["age"]]
    with pytest.raises(SettingError, match="write a finite number"):
        toolbox.anonymize(
            PEOPLE,
            quasi_identifiers=["age"],
            sensitive=["illness"],
            hierarchies={"age": rows},
            method="Incognito_l",
            l=2,
            c=c,
        )


def test_numbers_beyond_all_bounds_are_refused_in_a_short_message() -> None:
    for given in ({"k": 10**400}, {"method": "Anatomy", "l": 10**400}):
        with pytest.raises(SettingError) as caught:
            toolbox.anonymize(PEOPLE, quasi_identifiers=["age"], sensitive=["illness"], **given)
        assert len(str(caught.value)) < 600


@pytest.mark.slow
@pytest.mark.parametrize("turned", [list, lambda both: both[::-1]])
def test_the_order_of_models_does_not_matter(
    turned: Callable[[list[PrivacyModel]], list[PrivacyModel]], tmp_path
) -> None:
    """t-closeness must know whether a column holds numbers, whichever model comes first."""
    listed = ["<model name='t-closeness' t='0.5'/>", "<model name='distinct l-diversity' l='1.5'/>"]
    PEOPLE.to_csv(tmp_path / "in.csv", index=False)
    (tmp_path / "c.xml").write_text(
        "<config><input filename='in.csv' header='true'/><output filename='out.csv'/><qid><att name='age'/></qid>"
        f"<sens><att name='illness'/></sens><privacy>{''.join(turned(listed))}</privacy></config>",
        encoding="utf-8",
    )
    with pytest.raises(toolbox.InputError, match=r"column illness.* is no number"):
        toolbox.anonymize(tmp_path / "c.xml")
    assert not (tmp_path / "out.csv").exists()


def test_a_column_that_is_called_like_the_place_of_another_is_refused(tmp_path) -> None:
    (tmp_path / "c.xml").write_text(
        "<config><input filename='in.csv'/><output filename='out.csv'/><qid><att index='0'/></qid>"
        "<sens><att index='1' name='column 2'/><att index='2'/></sens></config>",
        encoding="utf-8",
    )
    with pytest.raises(toolbox.ConfigurationError, match="The name 'column 2' is declared twice"):
        toolbox.load_config(tmp_path / "c.xml")


def test_the_group_of_anatomy_has_a_name_of_its_own(tmp_path) -> None:
    table = PEOPLE.rename(columns={"age": "group"})
    qit, st = toolbox.anonymize(table, quasi_identifiers=["group"], sensitive=["illness"], method="Anatomy", l=2).parts
    assert list(qit) == ["group", "group_2"]
    assert list(st) == ["group_2", "illness", "salary"]


@pytest.mark.slow
def test_the_seed_of_a_release_is_not_told(tmp_path) -> None:
    """Whoever knows it can join the two tables."""
    result = toolbox.anonymize(
        PEOPLE, quasi_identifiers=["age"], sensitive=["illness"], method="Anatomy", l=2, seed=4711
    )
    assert "4711" not in str(result.summary.document())
    assert any("Somebody who knows or guesses the seed" in note for note in result.summary.notes)
