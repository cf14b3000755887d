"""A search that is asked often whether it goes on."""

from __future__ import annotations

import time

import pandas as pd

import toolbox
from toolbox.methods.local_recoding.method import Pulse
from toolbox.steps import Stage, Watcher


def test_what_was_said_last_is_said_again_after_some_time() -> None:
    said: list[str] = []
    pulse = Pulse(said.append)
    pulse.say("sweep 1")
    pulse.beat()
    assert said == ["sweep 1"]
    time.sleep(0.11)
    pulse.beat()
    pulse.beat()
    assert said == ["sweep 1", "sweep 1"]


def test_a_run_is_asked_at_its_nodes_and_not_only_between_sweeps() -> None:
    """Who cancels after the first words of the first sweep is not kept waiting for the second one."""
    people = pd.DataFrame({f"q{index}": [value * (index + 3) % 17 for value in range(3_000)] for index in range(5)})
    hierarchies = {name: [(str(v), str(v // 3), str(v // 9), "*") for v in range(17)] for name in people}
    said: list[str] = []

    class Listening(Watcher):
        is_watching = True

        def say(self, stage: Stage) -> None:
            said.append(stage.words)

    with toolbox.open(people, quasi_identifiers=list(people), hierarchies=hierarchies) as session:
        session.run(method="LocalRecoding", k=2, watcher=Listening())
    assert len(said) > len(set(said))
