"""The PrioPrivacy paper: its example, its four experiments on Adult (figures 1 and 2), and its times."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pandas as pd
from adult_experiments import EXPERIMENTS, SIZES, Adult, normal

import toolbox
from reproductions.frame import Data, Number, Source, Table
from reproductions.prioprivacy_quality import (
    ARX,
    DECLARED,
    METHOD,
    NAMES,
    NUE,
    RECORDED_AT,
    Points,
    all_recorded,
    attributes,
    dashed,
    data_sets,
    nue,
    searched,
)
from toolbox import hierarchies

UNPROTECTED = (
    "the published suppression counts look-alikes in the original table, and then releases them unmasked. Whoever "
    "knows one of them finds it there, and fewer than k are left for the masked one."
)
TOO_FEW = "ARX's last records are suppressed whole, and these people are fewer than five."
OTHER_MACHINE = "CPU time of another program on another machine, to show the order of magnitude."
AHEAD_AT_2 = "at k = 2 ARX keeps .002 and .005 more, which figure 1 is too small to show."
BETTER_ONE = (
    "with {\\*, 20, \\*} whoever knows a man of 20 from Austria finds one record that could be his. The method "
    "`PrioPrivacy` of the toolbox refuses that, and suppresses the sex of all three people from Austria."
)
BELOW = {METHOD: ((2479, 9541, 7833), UNPROTECTED), ARX: ((1, 2, 4), TOO_FEW)}
"""People with fewer than 5 released records that could be theirs, in experiments 1 to 3, and why."""

ONE_THREAD = "prioprivacy_one_thread"
MINUTES = {
    METHOD: ("PrioPrivacy", (1.55, 1.97, 1.29, 1.45)),
    ONE_THREAD: ("PrioPrivacy, one thread", (1.34, 4.46, 2.23, 2.19)),
    ARX: ("ARX", (6.18, 32.84, 20.78, 16.61)),
}
"""What each program took in each experiment, by what it is called where the runs are recorded."""


def reproduce(data: Data) -> Source:
    """Repeat the experiments."""
    adult = Adult(data.folder)
    sizes = (RECORDED_AT,) if data.is_quick else SIZES
    points = {(experiment, k): searched(adult, experiment, k) for experiment, k in product(EXPERIMENTS, sizes)}
    return Source(
        "prioprivacy",
        {
            "levels": Table(list(_levels())),
            "example": Table(list(_example())),
            **({} if data.is_quick else {"above": Table(list(_above(adult, points)))}),
            "figure1": Table(list(data_sets(adult, points)), is_compact=True),
            "figure2": Table(list(attributes(adult, points)), is_compact=True),
            "all": Table(list(all_recorded(adult, points)), heading="recorded"),
            "below": Table(list(_below(adult)), heading="promised"),
            "recorded_minutes": Table(list(_recorded_minutes(adult)), beside="mean of the recorded runs"),
            "minutes": Table(list(_minutes(points))),
        },
    )


def _levels() -> Iterator[Number]:
    values = {
        "gender": (["F", "M"], hierarchies.prefix()),
        "date of birth": (["17/03/1985"], hierarchies.dates("month", "year")),
        "ZIP code": (["10431"], hierarchies.prefix(4, 3)),
    }
    for (name, (of, rule)), published in zip(values.items(), (1, 3, 3), strict=True):
        yield Number(name, "levels", published, len(hierarchies.build(rule, of)[0]) - 1)


def _example() -> Iterator[Number]:
    people = pd.DataFrame({"gender": list("ffmmm"), "age": ["20"] * 5, "country": ["AT", "AT", "GR", "GR", "AT"]})
    asked: dict[str, Any] = {"method": "PrioPrivacy", "k": 2, "order": "input", "kinds": {"age": "category"}}
    release = toolbox.anonymize(people, quasi_identifiers=tuple(map(str, people)), **asked).release
    fifth = "{" + ", ".join(map(str, release.iloc[4])) + "}"
    yield Number("{m, 20, AT}", "becomes", "{*, 20, *}", fifth, why=BETTER_ONE, known="{*, 20, AT}")


def _above(adult: Adult, points: Points) -> Iterator[Number]:
    for experiment, said in zip(EXPERIMENTS, ("7 to 10", "2 to 10", "2 to 10", "2 to 10"), strict=True):
        mine = {k: one.losses.value(NUE) for (e, k), one in points.items() if e == experiment}
        above = [k for k, ours in mine.items() if ours > nue(adult, experiment, k, ARX)]
        is_range = bool(above) and above == list(range(above[0], above[-1] + 1))
        ours = f"{above[0]} to {above[-1]}" if is_range else str(above)
        yield Number(f"experiment {experiment}", "above ARX", said, ours, why=AHEAD_AT_2, known="3 to 10")


def _below(adult: Adult) -> Iterator[Number]:
    for experiment, method in product((1, 2, 3), (METHOD, ARX)):
        asked = toolbox.risk(
            adult.published_release(experiment, method),
            original=adult.records.map(normal),
            hierarchies=dashed(adult),
            k=RECORDED_AT,
            **DECLARED,
        )
        assert asked.risk.consistency is not None
        known, why = BELOW[method]
        ours = asked.risk.consistency.below_k
        yield Number(f"experiment {experiment}", NAMES[method], 0, ours, why=why, known=known[experiment - 1])


def _recorded_minutes(adult: Adult) -> Iterator[Number]:
    times = adult.recorded("exec_time_minutes").groupby(["method", "experiment"]).minutes.mean()
    for method, (name, minutes) in MINUTES.items():
        for experiment, of in zip(EXPERIMENTS, minutes, strict=True):
            yield Number(name, f"experiment {experiment}", of, float(times[method, experiment]), 0.01, digits=2)


def _minutes(points: Points) -> Iterator[Number]:
    name, minutes = MINUTES[ONE_THREAD]
    for experiment, of in zip(EXPERIMENTS, minutes, strict=True):
        seconds = [one.seconds for (e, _), one in points.items() if e == experiment]
        mean = sum(seconds) / len(seconds) / 60
        yield Number(f"{name}: our search", f"experiment {experiment}", of, mean, why=OTHER_MACHINE, digits=3)
