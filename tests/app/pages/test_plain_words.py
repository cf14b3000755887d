"""Each method, each model and each metric says its own words."""

from __future__ import annotations

from collections.abc import Iterable

from toolbox.app.pages.protection import find_methods
from toolbox.loss.metric import LossMetric, list_installed_metrics
from toolbox.methods.anonymizer import Anonymizer, list_installed_methods
from toolbox.privacy.model import PrivacyModel
from toolbox.privacy.registry import list_installed_models


def test_all_of_ours_say_what_they_are_and_no_two_have_one_place() -> None:
    methods, models = list_installed_methods().values(), list_installed_models()
    assert [kind.name for kind in (*methods, *models) if not kind.summary] == []
    assert [kind.name for kind in (*models, *list_installed_metrics()) if not kind.meaning] == []
    kinds: tuple[Iterable[type[Anonymizer] | type[PrivacyModel] | type[LossMetric]], ...]
    kinds = set(methods), models, list_installed_metrics()
    for each in kinds:
        ranks = sorted(kind.rank for kind in each)
        assert ranks == sorted(set(ranks))
        assert ranks[-1] < LossMetric.rank == PrivacyModel.rank == Anonymizer.rank


def test_methods_are_offered_in_the_order_in_which_most_people_need_them() -> None:
    assert [*find_methods()][:3] == ["Mondrian", "LocalRecoding", "Datafly"]
