"""Steps: timed, told in their order, and never further than they are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolbox.steps import Stage, Steps, Watcher


class Recorder(Watcher):
    """Writes down what it is told."""

    is_watching = True

    def __init__(self) -> None:
        self.told: list[str] = []
        self.stages: list[Stage] = []

    def begin(self, stage: Stage) -> None:
        self.told.append(f"{stage.title} begins")
        self.stages.append(stage)

    def say(self, stage: Stage) -> None:
        self.told.append(f"{stage.title} says {stage.words}")

    def end(self, stage: Stage) -> None:
        self.told.append(f"{stage.title} ends, {stage.records} records")


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


def nothing() -> None:
    return None


def in_turn(*values: float | None) -> Callable[[], float | None]:
    """Make a measure that gives these values, one after the other."""
    waiting: Iterator[float | None] = iter(values)
    return lambda: next(waiting)


def test_steps_are_told_in_their_order_and_timed(recorder: Recorder) -> None:
    steps = Steps(recorder)
    with steps.step("Mondrian"):
        steps.say("12 cuts")
    steps.records = 7
    with steps.step("prove"):
        pass
    assert recorder.told == [
        "Mondrian begins",
        "Mondrian says 12 cuts",
        "Mondrian ends, None records",
        "prove begins",
        "prove ends, 7 records",
    ]
    assert list(steps.timings()) == ["Mondrian", "prove", "total"]


def test_the_times_of_all_steps_together_are_within_the_total() -> None:
    steps = Steps()
    for name in "abc":
        with steps.step(name):
            pass
    *each, total = steps.timings().values()
    assert 0 <= sum(each) <= total


def test_an_unlisted_step_is_shown_without_records_and_has_no_time_of_its_own(recorder: Recorder) -> None:
    steps = Steps(recorder)
    steps.records = 7
    with steps.show_unlisted("checksum"):
        pass
    assert recorder.told == ["checksum begins", "checksum ends, None records"]
    assert list(steps.timings()) == ["total"]


def test_the_readings_are_stages_of_their_own_within_one_step(recorder: Recorder) -> None:
    steps = Steps(recorder)
    steps.size = 200
    with steps.step("read"):
        with steps.reading("count", in_turn(0.25), until=0.5):
            assert (recorder.stages[0].amount(), recorder.stages[0].unit, recorder.stages[0].total) == (
                100,
                "bytes",
                200,
            )
        steps.records = 40
        with steps.reading("keep", in_turn(0.25)):
            assert (recorder.stages[1].amount(), recorder.stages[1].unit, recorder.stages[1].total) == (
                10,
                "records",
                40,
            )
    assert recorder.told == [
        "read begins",
        "read, count ends, 40 records",
        "read, keep begins",
        "read, keep ends, 40 records",
    ]
    assert list(steps.timings()) == ["read", "total"]


def test_a_reading_that_is_done_is_not_exceeded_while_the_engine_goes_on(recorder: Recorder) -> None:
    steps = Steps(recorder)
    steps.size = 200
    with steps.step("read"), steps.reading("count", in_turn(0.5, 0.83), until=0.5):
        assert [recorder.stages[0].amount() for _ in range(2)] == [200, 200]


def test_of_an_input_without_a_size_nobody_knows_how_far_it_is(recorder: Recorder) -> None:
    steps = Steps(recorder)
    with steps.step("read"), steps.reading("count", in_turn(0.5)):
        assert recorder.stages[0].amount() is None


@given(st.lists(st.none() | st.floats(0, 1e9)))
def test_an_amount_never_falls(values: list[float | None]) -> None:
    stage = Stage("write")
    with stage.measured(in_turn(*values)):
        amounts = [stage.amount() for _ in values]
    assert [amount is None for amount in amounts] == [value is None for value in values]
    known = [amount for amount in amounts if amount is not None]
    assert known == sorted(known)
    assert max(known, default=0) == max((value for value in values if value is not None), default=0)


def test_a_measure_is_asked_only_within_its_block() -> None:
    stage = Stage("write")
    assert stage.amount() is None
    with stage.measured(in_turn(5)):
        assert stage.amount() == 5
    assert stage.amount() is None


def test_a_measure_is_not_asked_after_an_error() -> None:
    stage = Stage("write")
    with pytest.raises(KeyboardInterrupt), stage.measured(in_turn(5)):
        raise KeyboardInterrupt
    assert stage.amount() is None


def test_a_block_ends_only_when_the_measure_has_answered() -> None:
    """So what it measures may be closed behind the block."""
    asked, answer, left = threading.Event(), threading.Event(), threading.Event()

    def slow() -> float:
        asked.set()
        answer.wait()
        assert not left.is_set()
        return 3

    stage = Stage("write")
    amounts: list[float | None] = []
    asking = threading.Thread(target=lambda: amounts.append(stage.amount()))
    with stage.measured(slow):
        asking.start()
        asked.wait()
        threading.Timer(0.05, answer.set).start()
    left.set()
    asking.join()
    assert amounts == [3]


def test_an_error_names_a_step_within_its_like_once() -> None:
    with pytest.raises(ZeroDivisionError) as caught, Steps().step("measure"), Steps().step("measure"):
        raise ZeroDivisionError
    assert caught.value.__notes__ == ["In the step 'measure'."]


def test_after_an_error_a_step_does_not_end_and_has_no_time(recorder: Recorder) -> None:
    steps = Steps(recorder)
    with pytest.raises(ZeroDivisionError), steps.step("prove"):
        raise ZeroDivisionError
    assert recorder.told == ["prove begins"]
    assert list(steps.timings()) == ["total"]


def test_nobody_watches_unless_somebody_does(recorder: Recorder) -> None:
    assert (Steps().are_watched, Steps(recorder).are_watched) == (False, True)
