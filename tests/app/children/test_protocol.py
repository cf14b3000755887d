"""What the processes say to each other arrives as it was."""

from __future__ import annotations

import asyncio
import io
from types import MappingProxyType

import pytest

import toolbox
from toolbox.app.children.protocol import Call, Done, Failed, pack_message, read_message, receive_message
from toolbox.errors import ConfigurationError, Fault

MESSAGES = [
    Call(7, "at_risk", {"k": 5, "column": "a \u202e 'b'"}),
    Done(7, MappingProxyType({"a": MappingProxyType({"b": (1, None)})})),
]


def test_messages_one_behind_the_other_are_read_back() -> None:
    stream = io.BytesIO(b"".join(map(pack_message, MESSAGES)))
    assert [read_message(stream) for _ in MESSAGES] == MESSAGES
    with pytest.raises(EOFError):
        read_message(stream)


def test_a_message_that_is_cut_off_is_no_message() -> None:
    whole = pack_message(MESSAGES[0])

    async def received(data: bytes) -> object:
        stream = asyncio.StreamReader()
        stream.feed_data(data)
        stream.feed_eof()
        return await receive_message(stream)

    assert asyncio.run(received(whole)) == MESSAGES[0]
    for length in (0, 3, 8, len(whole) - 1):
        with pytest.raises(EOFError):
            asyncio.run(received(whole[:length]))
        with pytest.raises(EOFError):
            read_message(io.BytesIO(whole[:length]))


def test_errors_and_configurations_keep_all_that_they_say() -> None:
    error = ConfigurationError("c.xml", [Fault(3, "k is 0.", "Write 1.")])
    back = read_message(io.BytesIO(pack_message(Failed(1, error))))
    assert (str(back.error), back.error.faults) == (str(error), error.faults)
    limits = toolbox.Limits(memory="1GB")
    assert read_message(io.BytesIO(pack_message(Done(1, limits)))).value == limits
