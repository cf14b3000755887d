"""Which loss metrics are installed, ours and those of others."""

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from toolbox.errors import UsageError
from toolbox.loss.metric import (
    GROUP,
    LossMetric,
    find_metric_name,
    list_installed_metrics,
    load_known_metrics,
    make_standard_metrics,
    name_in_short,
)
from toolbox.loss.sizes import DiscernibilityWithSuppression, NormalisedAverageClassSize, NumberOfClasses

PLUGIN = '''
from dataclasses import dataclass
from typing import ClassVar

from toolbox.loss.sizes import NumberOfClasses

@dataclass(frozen=True, kw_only=True)
class Theirs(NumberOfClasses):
    """A metric of somebody else's."""

    name = "their metric"

@dataclass(frozen=True, kw_only=True)
class Tuned(NumberOfClasses):
    """A metric that somebody must tune."""

    name = "tuned metric"
    dial: int

class Copy(NumberOfClasses):
    """A metric under a name that is taken."""
'''
OURS = [
    "C_avg",
    "SSE/SST",
    "absolute distance",
    "average class size",
    "average class size (ARX)",
    "classification metric",
    "classification metric with suppression",
    "conditional entropy",
    "discernibility",
    "discernibility (ARX)",
    "discernibility with suppression",
    "full-domain precision",
    "generalisation intensity",
    "granularity",
    "loss metric (LM)",
    "non-uniform entropy",
    "normalised certainty penalty",
    "normalised classification metric",
    "normalised classification metric with suppression",
    "normalised conditional entropy",
    "number of classes",
    "number of combinations",
    "precision",
    "relative distance",
    "share of suppressed records",
    "suppressed records",
    "weighted non-uniform entropy",
]


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Install a package with one loss metric."""

    def install(target: str) -> None:
        (tmp_path / "somebodys_metrics.py").write_text(PLUGIN)
        facts = tmp_path / "somebodys-1.0.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: somebodys\nVersion: 1.0\n")
        (facts / "entry_points.txt").write_text(f"[toolbox.loss_metrics]\nTheirs = {target}\n")
        monkeypatch.syspath_prepend(str(tmp_path))

    yield install
    sys.modules.pop("somebodys_metrics", None)


def test_our_metrics_are_installed_in_the_order_of_their_names() -> None:
    names = [metric.name for metric in list_installed_metrics()]
    assert [name for name in names if name in OURS] == OURS
    assert names == sorted(names)


def test_the_standard_metrics_are_all_with_the_given_k() -> None:
    made = make_standard_metrics(k=7)
    assert {metric.name for metric in made} >= set(OURS)
    assert NormalisedAverageClassSize(k=7) in made
    assert DiscernibilityWithSuppression(k=7) in made
    assert NormalisedAverageClassSize(k=None) in make_standard_metrics()


def test_a_metric_of_another_package_is_found(plugin: Callable[[str], None]) -> None:
    plugin("somebodys_metrics:Theirs")
    assert "their metric" in [metric.name for metric in list_installed_metrics()]
    assert "their metric" in [metric.name for metric in make_standard_metrics()]


def test_a_metric_that_must_be_tuned_is_no_standard_one(plugin: Callable[[str], None]) -> None:
    plugin("somebodys_metrics:Tuned")
    assert "tuned metric" in [metric.name for metric in list_installed_metrics()]
    assert "tuned metric" not in [metric.name for metric in make_standard_metrics()]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("pathlib:Path", "The loss metric 'Theirs' (pathlib:Path) is no subclass of LossMetric."),
        ("toolbox.loss.metric:LossMetric", "is abstract: it lacks values."),
        ("somebodys_metrics:Copy", "Two installed loss metrics are called 'number of classes': the entry point "),
    ],
)
def test_only_who_names_an_entry_point_that_leads_to_no_loss_metric_is_stopped(
    plugin: Callable[[str], None], target: str, said: str
) -> None:
    plugin(target)
    assert [metric.name for metric in list_installed_metrics()] == OURS
    assert [metric.name for metric in make_standard_metrics()] == OURS
    known = load_known_metrics()
    assert known.classes["number of classes"] is NumberOfClasses
    known.require_sound("number of classes")
    (broken,) = known.broken
    assert (broken.what, broken.name, broken.package) == ("loss metric", "Theirs", "somebodys")
    with pytest.raises(UsageError) as caught:
        known.require_sound("theirs")
    assert said in str(caught.value)


@pytest.mark.parametrize("metric", list_installed_metrics(), ids=lambda metric: metric.name)
def test_each_metric_of_ours_shows_an_example(metric: type[LossMetric]) -> None:
    """`tests/test_docs.py` runs it."""
    assert f'value("{metric.name}")' in (metric.__doc__ or "")


@pytest.mark.sampled(14)
@pytest.mark.parametrize("metric", make_standard_metrics(), ids=lambda metric: metric.name)
def test_every_name_by_which_a_metric_is_called_finds_it(metric: LossMetric) -> None:
    names = [each.name for each in make_standard_metrics()]
    entries = [entry.name for entry in entry_points(group=GROUP) if entry.load() is type(metric)]
    for name in (metric.name, metric.name.upper(), metric.name.replace(" ", "-"), *entries, name_in_short(metric.name)):
        assert find_metric_name(name, names) == metric.name


def test_first_letters_that_two_metrics_share_find_none_of_them() -> None:
    # The classes of ARX and ours; and a metric of somebody else, whose letters are those of an installed one.
    assert find_metric_name("ACS", ["average class size", "average class size (ARX)"]) is None
    assert find_metric_name("ACS", ["average class size"]) is None
    assert find_metric_name("NUE", ["nearly unknown error"]) is None
    assert find_metric_name("NKE", ["nearly known error"]) == "nearly known error"
    # What an entry point is called is never another metric.
    assert find_metric_name("lm", ["last measure"]) is None
