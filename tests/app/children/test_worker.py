"""The worker answers call after call; here it works in this process, on calls that are already written."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd

from toolbox.app.children.protocol import UNREAD, Call, Done, Failed, pack_message, read_message
from toolbox.app.children.worker import SessionWorker
from toolbox.config.model import Requirement


def answers(*calls: Call | bytes) -> list[Any]:
    """Return what the worker answers, but for how far it is; bytes are sent as they are."""
    answered = io.BytesIO()
    sent = b"".join(call if isinstance(call, bytes) else pack_message(call) for call in calls)
    SessionWorker(io.BytesIO(sent), answered).run()
    answered.seek(0)
    found = []
    while answered.tell() < len(answered.getvalue()):
        found.append(read_message(answered))
    return [message for message in found if isinstance(message, (Done, Failed))]


def test_calls_are_answered_in_their_order_and_a_failed_one_stops_nothing() -> None:
    people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64], "town": ["Graz", "Linz", "Graz", "Wien", "Wien", "Wien"]})
    opened, risk, wrong, unknown, again = answers(
        Call(1, "open", {"source": people, "quasi_identifiers": ["age", "town"]}),
        Call(2, "at_risk", {"k": 2, "quasi_identifiers": ["town"]}),
        Call(3, "at_risk", {"k": 0}),
        Call(4, "no_such_method", {}),
        Call(5, "at_risk", {"k": 3, "column": "town", "quasi_identifiers": ["town"]}),
    )
    assert opened == Done(1, None)
    assert (risk.number, risk.value.at_risk, risk.value.records) == (2, 1, 6)
    assert (wrong.number, str(wrong.error)) == (3, "k is 0; write a whole number of at least 1.")
    assert (unknown.number, "AttributeError" in str(unknown.error)) == (4, True)
    assert [(value.value, value.safe, value.at_risk) for value in again.value.values] == [
        ("Graz", 0, 2),
        ("Linz", 0, 1),
        ("Wien", 3, 0),
    ]


def test_a_message_that_cannot_be_read_is_answered_and_the_next_one_is_read() -> None:
    damaged = b"no pickle"
    unread, unknown = answers(len(damaged).to_bytes(8, "big") + damaged, Call(7, "no_such_method", {}))
    assert (unread.number, unknown.number) == (UNREAD, 7)
    assert "UnpicklingError" in str(unread.error)


def test_a_run_that_nobody_waits_for_any_more_is_cancelled() -> None:
    people = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64]})
    required = (Requirement(model="k-anonymity", parameters={"k": 3}),)
    _, run = answers(
        Call(1, "open", {"source": people, "quasi_identifiers": ["age"]}),
        Call(2, "run", {"method": "Mondrian", "requirements": required}),
    )
    # Whether the end of what is asked was heard before the run had ended is not known.
    assert "cancelled" in str(run.error) if isinstance(run, Failed) else run.value.summary.proof.classes == 2
