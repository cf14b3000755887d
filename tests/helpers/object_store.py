"""An object store of the tests' own: moto's S3 on this machine, behind a door that refuses requests or cuts them off."""

from __future__ import annotations

import importlib.util
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

KEY = "k3y-of-the-tests"
SECRET = "s3cret-of-the-tests"
BUCKET = "census"
_DENIED = b"<?xml version='1.0'?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"


def why_not() -> str | None:
    """Return why there is no store, as tests that are skipped say it."""
    lacks = [name for name in ("moto", "flask", "flask_cors") if importlib.util.find_spec(name) is None]
    return f"install moto[server]: {', '.join(lacks)} is not here" if lacks else None


class Door:
    """The only way to the store, which hears every request.

    A connection is closed after one answer, so that each request is seen.
    """

    def __init__(self, behind: int) -> None:
        self._behind = behind
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.requests: list[str] = []
        self.denied: tuple[str, ...] = ()
        """Methods that are answered with: no right."""
        self.most_sent = self.most_answered = 1 << 60
        """Bytes of all requests, and of all answers, after which every connection is lost."""
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError):
            first = client.recv(1 << 16)
            self.requests.append(first.split(b"\r\n", 1)[0].decode())
            if self.requests[-1].partition(" ")[0] in self.denied:
                client.sendall(
                    b"HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nConnection: close\r\n"
                    + f"Content-Length: {len(_DENIED)}\r\n\r\n".encode()
                    + (b"" if first.startswith(b"HEAD") else _DENIED)
                )
                return
            with socket.create_connection(("127.0.0.1", self._behind)) as server:
                answers = threading.Thread(target=self._answer, args=(server, client), daemon=True)
                answers.start()
                block = first.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
                while block:
                    self.most_sent -= len(block)
                    if self.most_sent < 0:
                        return
                    server.sendall(block)
                    block = client.recv(1 << 16)
                answers.join()

    def _answer(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while block := server.recv(1 << 16):
                self.most_answered -= len(block)
                if self.most_answered < 0:
                    break
                client.sendall(block)
        for one in (client, server):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class ObjectStore:
    """A bucket, and the door to it."""

    def __init__(self, door: Door, client: Any) -> None:
        self.door = door
        self._client = client

    def put(self, name: str, content: bytes) -> None:
        self._client.put_object(Bucket=BUCKET, Key=name, Body=content)

    def get(self, name: str) -> bytes:
        content: bytes = self._client.get_object(Bucket=BUCKET, Key=name)["Body"].read()
        return content

    def names(self) -> list[str]:
        return [each["Key"] for each in self._client.list_objects_v2(Bucket=BUCKET).get("Contents", ())]

    def empty(self) -> None:
        for name in self.names():
            self._client.delete_object(Bucket=BUCKET, Key=name)


@contextmanager
def running() -> Iterator[ObjectStore]:
    """Run a store with an empty bucket; skip where there is none."""
    if reason := why_not():
        pytest.skip(reason)
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    door = Door(port)
    made = {"region_name": "us-east-1", "aws_access_key_id": KEY, "aws_secret_access_key": SECRET}
    client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", **made)
    client.create_bucket(Bucket=BUCKET)
    try:
        yield ObjectStore(door, client)
    finally:
        door.close()
        server.stop()


def environment(store: ObjectStore) -> dict[str, str]:
    """Return what a program must know to reach the store."""
    return {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{store.door.port}",
        "AWS_ACCESS_KEY_ID": KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",
    }
