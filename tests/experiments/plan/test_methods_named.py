"""Methods with their settings, as plans name them."""

from __future__ import annotations

import pytest

from toolbox.errors import UsageError
from toolbox.experiments.plan.data_sets import require_method


def test_settings_of_methods_are_known_before_anything_runs() -> None:
    for named in (
        "mondrian",
        "Mondrian:cut=classic:dimension=distinct",
        "toolbox.methods.mondrian:Mondrian:cut=classic",
    ):
        require_method(named)
    for named, expected in (
        ("Mondrian:cut=clasic", r"^cut is 'clasic'; write one of fallback, classic\.$"),
        ("Mondrian:kut=classic", "Did you mean 'cut'"),
        ("Mondrain", "Did you mean 'Mondrian'"),
    ):
        with pytest.raises(UsageError, match=expected):
            require_method(named)
