"""A running ``toolbox app``, and requests that a browser would never send."""

from __future__ import annotations

import http.client
import shutil
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any
from urllib.parse import urlsplit

from helpers import children

CONFIGS = Path(__file__).parents[2] / "configs"


@dataclass
class Application:
    """A running application, and what browsers saw of it."""

    process: Popen[str]
    folder: Path
    """Its working folder, below which it looks for files."""
    address: str
    """The link that was written last, with its token."""
    errors: list[str] = field(default_factory=list)
    """Of all consoles and pages."""
    hosts: set[str] = field(default_factory=set)
    """To which anything was sent."""
    links: int = 0
    """How many were opened."""

    @property
    def origin(self) -> str:
        """The address without the token."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def port(self) -> int:
        """Where it listens."""
        port = urlsplit(self.address).port
        assert port is not None
        return port

    def another_link(self) -> str:
        """Ask for another link, as its owner does without a terminal."""
        self.process.send_signal(signal.SIGUSR1)
        self.address = _link(self.process)
        return self.address

    def link(self) -> str:
        """Return a link that nobody has opened yet."""
        self.links += 1
        return self.address if self.links == 1 else self.another_link()

    def cookie(self) -> str:
        """Exchange the token of a link for the cookie; whoever was in before is out."""
        answer = self.request("GET", self.link().removeprefix(self.origin))
        return answer.headers["set-cookie"].partition(";")[0]

    def request(self, method: str, path: str, headers: Mapping[str, str] | None = None, body: str = "") -> Answer:
        """Send a request as it is written here, with ``Host`` unless another one is given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = {"Host": f"127.0.0.1:{self.port}", **(headers or {})}
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in {**given, "Content-Length": str(len(body))}.items():
            connection.putheader(name, value)
        connection.endheaders(body.encode())
        response = connection.getresponse()
        answer = Answer(response.status, {name.lower(): text for name, text in response.getheaders()}, response.read())
        connection.close()
        return answer

    def end(self) -> None:
        """End it as Ctrl-C does; what it has said is shown where the test has failed."""
        self.process.terminate()
        _, said = self.process.communicate(timeout=30)
        print(said)


@dataclass(frozen=True)
class Answer:
    """What was answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def start(folder: Path, source: str | Path | None = None, *options: str, **how: Any) -> Application:
    """Start the application in a folder, on a copy of a file in ``configs``, with what it names, or on any other."""
    words = [sys.executable, "-m", "toolbox", "app", "--no-browser", *options]
    if source is not None:
        found = CONFIGS / source
        if found.parent == CONFIGS and found.suffix == ".xml":
            shutil.copytree(CONFIGS, folder, dirs_exist_ok=True)
        elif found.parent == CONFIGS:
            shutil.copy(found, folder)
        words.append(str(folder / found.name if found.parent == CONFIGS else found))
    process = children.start(words, cwd=folder, stdout=PIPE, stderr=PIPE, text=True, **how)
    return Application(process, folder, _link(process))


def _link(process: Popen[str]) -> str:
    """Return the next link that an application writes."""
    assert process.stdout is not None and process.stderr is not None
    for line in process.stdout:
        if line.startswith("http://127.0.0.1:"):
            return line.strip()
    raise AssertionError(process.stderr.read())
