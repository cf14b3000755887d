"""Privacy models by other people: installed with a package, and measured by `check` as ours are."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest

from toolbox import check
from toolbox.privacy.measures import find_trial, list_bounds
from toolbox.privacy.models.k_map import DeltaPresence, KMap
from toolbox.privacy.models.k_with_values import AlphaKAnonymity, PSensitiveKAnonymity
from toolbox.report.judges.check import CheckReport

PLUGIN = '''
from dataclasses import dataclass

from sqlalchemy import Double, cast, func, select

from toolbox.privacy.model import PrivacyModel


@dataclass(frozen=True, kw_only=True)
class Theirs(PrivacyModel):
    """Bounds the share of the most frequent sensitive value."""

    name = "largest share"
    monotone, suppression_helps, needs_attribute = True, False, True

    share: float

    def __post_init__(self):
        super().__post_init__()
        if not 0.2 < self.share < 0.4:
            raise ValueError("an author's own words")

    required = property(lambda self: self.share)
    least_records = property(lambda self: 1)

    def achieved(self, classes):
        histogram, _ = classes.judged
        records = cast(histogram.c.records, Double)
        share = (func.max(records) / func.sum(records)).label("achieved")
        return select(histogram.c.equivalence_id, share).group_by(histogram.c.equivalence_id)

    def holds(self, achieved):
        return achieved <= self.share

    def worst(self, achieved):
        return func.max(achieved)


@dataclass(frozen=True, kw_only=True)
class Told(Theirs):
    name = "told share"
    measured_with = {"share": 0.3}


@dataclass(frozen=True, kw_only=True)
class Sizes(Theirs):
    """Bounds the smallest class, in a unit of the user's."""

    name = "sizes in units"
    needs_attribute = False

    share: int = 3
    k: int
    unit: str = "records"

    def __post_init__(self):
        pass

    required = property(lambda self: self.share)

    def achieved(self, classes):
        return select(classes.sizes.c.equivalence_id, (classes.sizes.c.size * self.k).label("achieved"))

    def holds(self, achieved):
        return achieved >= self.share

    def worst(self, achieved):
        return func.min(achieved)


@dataclass(frozen=True, kw_only=True)
class Failing(Told):
    name = "failing"

    def achieved(self, classes):
        raise KeyError("illness of Ada: flu")


@dataclass(frozen=True, kw_only=True)
class Forgetful(Told):
    name = "forgetful"

    def achieved(self, classes):
        return super().achieved(classes).where(classes.judged[0].c.records > 2)
'''
RELEASE = pd.DataFrame(
    {"age": ["20-29"] * 4 + ["30-39"] * 3, "illness": ["flu", "cold", "gout", "flu", "flu", "flu", "hiv"]}
)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., CheckReport]]:
    """Install some of the models as the package of somebody else, and check a release with them at hand."""

    def report(*names: str) -> CheckReport:
        (tmp_path / "models_of_others.py").write_text(PLUGIN)
        facts = tmp_path / "others-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
        entries = "".join(f"{name} = models_of_others:{name}\n" for name in names)
        (facts / "entry_points.txt").write_text(f"[toolbox.privacy_models]\n{entries}")
        monkeypatch.syspath_prepend(str(tmp_path))
        return check(RELEASE, quasi_identifiers=["age"], sensitive=["illness"])

    yield report
    sys.modules.pop("models_of_others", None)


@pytest.mark.slow
def test_installed_models_are_measured_with_ours(installed: Callable[..., CheckReport]) -> None:
    """Flu makes up 2/4 and 2/3 of the classes; the smaller has three records, times a k of three."""
    report = installed("Told", "Sizes")
    assert report.achieved("told share", "illness") == pytest.approx(2 / 3)
    assert report.achieved("sizes in units") == 9
    assert report.achieved("k-anonymity") == 3
    found = {one.name: (one.parameter, one.given) for one in report.measured}
    assert found["told share"] == ("share", {})
    assert found["sizes in units"] == ("share", {"k": 3, "unit": "records"})
    assert "told share" in {model["name"] for model in report.document()["models"]}
    assert report.notes == ()


def test_a_model_that_cannot_be_measured_is_named_with_the_reason(installed: Callable[..., CheckReport]) -> None:
    report = installed("Theirs", "Failing", "Forgetful", "Sizes")
    line = next(number for number, text in enumerate(PLUGIN.splitlines(), 1) if "KeyError" in text)
    assert report.notes == (
        f"not measured: failing: it failed: KeyError in models_of_others.py, line {line}.",
        "not measured: forgetful: it did not measure every class once.",
        "not measured: largest share: it takes none of the parameters that were tried; its author can name some in "
        "measured_with.",
    )
    assert report.achieved("sizes in units") == 9


def test_numbers_are_tried_only_for_what_is_not_known() -> None:
    known = {"attribute": "illness", "alpha": 0.4}
    assert find_trial(AlphaKAnonymity, known, smallest=3) == AlphaKAnonymity(alpha=0.4, k=3, attribute="illness")
    assert find_trial(AlphaKAnonymity, {**known, "alpha": 7}, smallest=3) is None


def test_the_bound_is_named_or_is_the_parameter_that_changes_what_is_required() -> None:
    assert list_bounds(DeltaPresence(delta_max=0.5, delta_min=0.5)) == ("delta_max", "delta_min")
    assert list_bounds(PSensitiveKAnonymity(p=4, k=4, attribute="illness")) == ("p",)
    assert list_bounds(KMap(k=2)) == ("k",)
