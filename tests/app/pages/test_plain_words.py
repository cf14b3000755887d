"""Each method, each model and each metric says its own words."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest

from toolbox.app.pages.protection import find_methods
from toolbox.app.pages.rendering import tell_on_screen
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


@pytest.mark.parametrize(
    "message, places",
    [
        (
            "age has no hierarchy, which Flash needs to generalise it. Write --hierarchy age=FILE or age=auto, or use "
            "Mondrian, which needs none. Dates have one with --kind age=date. sex has no hierarchy, which Flash needs to "
            "generalise it. Add a <vgh>, or use Mondrian, which needs none. Dates have one with type='date'.",
            ["/hierarchies", "/protect", "/columns"],
        ),
        (
            "l='2' would not be kept: Mondrian takes k. Leave it out, choose Incognito_l, which takes l, or list a <model> "
            "for each in <privacy>.",
            ["/protect"],
        ),
        (
            "Preview: Anatomy deals single records into groups, and only their combinations are kept here. Use "
            "toolbox.anonymize, or choose another method.",
            ["/judge"],
        ),
        ("This is JSON, and no saved recoding. Write it anew: toolbox anonymize .. --save-recoding FILE.", []),
        ("A pseudonym, or a shift, needs a key file, and --key names none. Make one: toolbox key new FILE", []),
    ],
)
def test_what_names_elements_options_or_calls_is_said_in_the_words_of_the_screens(
    message: str, places: list[str]
) -> None:
    told = tell_on_screen(message)
    assert not re.search(r"<\w+>|--\w+|toolbox[ .]\w+|type=", told)
    assert [page for _, page in told.places] == places
    assert tell_on_screen(told) == told


def test_another_message_stays_as_it_is() -> None:
    told = tell_on_screen("The column zip is not in the table.")
    assert (told, told.places) == ("The column zip is not in the table.", ())
