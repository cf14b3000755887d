"""The server ends in good order, and says what is wrong before it begins."""

from __future__ import annotations

import signal
import socket
from pathlib import Path

import pytest
from helpers.application import start

from toolbox.app import server
from toolbox.app.server import serve
from toolbox.errors import UsageError


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(UsageError, match=f"Port {port} cannot be used: .*Leave --port out"):
            serve(None, root=tmp_path, port=port, opens_browser=False, tell=print, trace=print)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_without_a_word_of_complaint(tmp_path: Path, number: int) -> None:
    running = start(tmp_path)
    assert running.request("GET", "/data", {"Cookie": running.cookie()}).status == 200
    running.process.send_signal(number)
    _, err = running.process.communicate(timeout=30)
    assert (running.process.returncode, err) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_it_is_there_also_where_somebody_else_has_the_same_port_of_the_other_protocol() -> None:
    with socket.socket(socket.AF_INET6) as other:
        try:
            other.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
        other.listen()
        port = other.getsockname()[1]
        with server._listening(port) as listeners:
            assert [each.getsockname()[:2] for each in listeners] == [("127.0.0.1", port)]
    with server._listening(port) as listeners:
        assert [each.getsockname()[:2] for each in listeners] == [("127.0.0.1", port), ("::1", port)]
