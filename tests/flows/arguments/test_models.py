"""The privacy models of a call."""

from __future__ import annotations

from typing import Any

import pytest

from toolbox.config.model import Attribute, Column
from toolbox.errors import UsageError
from toolbox.flows.arguments.models import check_models, find_smallest_class
from toolbox.messages import name_python_arguments
from toolbox.privacy.models.k_anonymity import KAnonymity
from toolbox.privacy.models.k_map import KMap
from toolbox.privacy.models.k_with_values import AlphaKAnonymity
from toolbox.privacy.models.l_diversity import DistinctLDiversity

ILLNESS = Attribute(column=Column(index=None, name="illness"), kind=None)


def test_models_of_sensitive_columns_and_of_none_are_fine() -> None:
    check_models([KAnonymity(k=2), DistinctLDiversity(l=2, attribute="illness")], [ILLNESS])


@pytest.mark.parametrize(
    ("models", "said"),
    [
        (KAnonymity(k=2), r"models= is one model. Write a list, such as \[KAnonymity\(k=5\)\]."),
        ([KAnonymity], "models= holds KAnonymity, which is no privacy model"),
        ([KAnonymity(k=2), 5], "models= holds int, which is no privacy model"),
        ([DistinctLDiversity(l=2, attribute="ilness")], "in sensitive=.*Did you mean 'illness'"),
    ],
)
def test_what_is_no_model_or_protects_no_declared_column_is_refused(models: Any, said: str) -> None:
    with name_python_arguments(), pytest.raises(UsageError, match=said):
        check_models(models, [ILLNESS])


def test_a_command_line_names_its_option() -> None:
    with pytest.raises(UsageError, match=r"^The command line, in --sensitive, has no column 'ilness'. Did you mean"):
        check_models([DistinctLDiversity(l=2, attribute="ilness")], [ILLNESS])


def test_the_smallest_class_is_the_largest_k_of_the_models_that_count_records() -> None:
    """The k of k-map counts people of a population, and the l of diversity counts values."""
    alpha = AlphaKAnonymity(alpha=0.5, k=4, attribute="illness")
    others = [KMap(k=9), DistinctLDiversity(l=7, attribute="illness")]
    assert find_smallest_class([KAnonymity(k=3), alpha, *others], None) == 4
    assert find_smallest_class(others, None) is None
    assert find_smallest_class([], 10) == 10
