"""A file that is sent lands in a folder of its own, under a name of ours, whatever its own name is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import Request

from toolbox.app.server.uploading import parse_small_form, receive_file
from toolbox.errors import UsageError


def form(name: str, content: bytes, field: str = "file") -> bytes:
    head = f'--x\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
    other = '--x\r\nContent-Disposition: form-data; name="back"\r\n\r\n/data\r\n'
    return other.encode() + head.encode() + content + b"\r\n--x--\r\n"


def sent(root: Path, body: bytes, kind: str = "multipart/form-data; boundary=x", *, piece: int = 7) -> Path:
    """Send a body in pieces, so that each boundary is cut somewhere."""
    pieces: Iterator[bytes] = iter([body[at : at + piece] for at in range(0, len(body), piece)])

    async def receive() -> dict[str, object]:
        part = next(pieces, None)
        return {"type": "http.request", "body": part or b"", "more_body": part is not None}

    request = Request({"type": "http", "method": "POST", "headers": [(b"content-type", kind.encode())]}, receive)
    return asyncio.run(receive_file(request, root))


def test_the_bytes_arrive_as_they_are_and_the_name_does_not(tmp_path: Path) -> None:
    content = b"a,b\r\n--y\r\n-1,\xff\x00\n" * 50
    path = sent(tmp_path, form("../../../etc/pass wd.CSV.gz", content))
    assert path == tmp_path / "table-project" / "table.csv.gz"
    assert path.read_bytes() == content
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert sent(tmp_path, form("x.exe", b"1"), piece=1000) == tmp_path / "table-2-project" / "table.csv"


def test_a_form_that_was_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    whole = form("x.csv", b"a,b\r\n1,2\r\n")
    end = whole.index(b"\r\n--x--") + len(b"\r\n--x--")
    for length in range(end):
        with pytest.raises(UsageError, match=r"did not arrive whole|No file|empty"):
            sent(tmp_path, whole[:length])
    assert list(tmp_path.iterdir()) == []
    assert sent(tmp_path, whole[:end]).read_bytes() == b"a,b\r\n1,2\r\n"


def test_two_files_are_refused_and_never_joined(tmp_path: Path) -> None:
    first, last = form("x.csv", b"a,b\n1,2\n"), form("y.csv", b"a,b\n3,4\n")
    for second in (last, form("", b"")):
        with pytest.raises(UsageError, match=r"Two files were sent. Send one"):
            sent(tmp_path, first.removesuffix(b"--x--\r\n") + second)
    # Of another field one may be there.
    other = form("y.csv", b"3,4", field="other")
    assert sent(tmp_path, first.removesuffix(b"--x--\r\n") + other).read_bytes() == b"a,b\n1,2\n"


def test_a_form_with_small_files_is_whole_or_refused() -> None:
    whole = form("x.csv", b"a;b\n")
    end = whole.index(b"\r\n--x--") + len(b"\r\n--x--")

    def files(body: bytes, kind: str = "multipart/form-data; boundary=x", most: int = 1) -> list[object]:
        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": body, "more_body": False}

        request = Request({"type": "http", "method": "POST", "headers": [(b"content-type", kind.encode())]}, receive)
        return asyncio.run(parse_small_form(request, most)).getlist("file")

    for length in range(end):
        with pytest.raises(UsageError, match="did not arrive"):
            files(whole[:length])
    assert len(files(whole[:end])) == 1
    two = whole.removesuffix(b"--x--\r\n") + form("y.csv", b"c;d\n")
    assert len(files(two, most=2)) == 2
    with pytest.raises(UsageError, match=r"Too many files. Maximum number of files is 1"):
        files(two)
    for kind in ("text/plain", "multipart/form-data"):
        with pytest.raises(UsageError):
            files(whole, kind)


def test_a_form_that_is_refused_leaves_no_words_on_the_console(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(UsageError, match="did not arrive whole"):
        sent(tmp_path, b"--y\r\n\r\n", "multipart/form-data; boundary=x")
    assert caplog.messages == []


def test_of_what_is_no_file_nothing_is_left(tmp_path: Path) -> None:
    for body, kind in (
        (form("x.csv", b""), "multipart/form-data; boundary=x"),
        (form("x.csv", b"1", field="other"), "multipart/form-data; boundary=x"),
        (b"file=x", "application/x-www-form-urlencoded"),
        (form("x.csv", b"1"), "multipart/form-data; boundary=" + "x" * 300),
    ):
        with pytest.raises(UsageError):
            sent(tmp_path, body, kind)
    with pytest.raises(UsageError):
        sent(tmp_path, b"no multipart at all", "multipart/form-data; boundary=x")
    assert list(tmp_path.iterdir()) == []


def test_where_no_room_is_left_nothing_stays_and_the_page_says_so(tmp_path: Path) -> None:
    """The disk is full in the middle of a file, at the last bytes of one, or at the first."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        for room, size in ((20_000, 100_000), (20_000, 20_004), (0, 4)):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
            with pytest.raises(UsageError, match=r"cannot be written to .*: File too large\. Make room"):
                sent(tmp_path, form("p.csv", b"a,b\n" * (size // 4)), piece=5000)
            assert list(tmp_path.iterdir()) == []
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
