"""Forms with files that no browser would send, to the application in this process, and a reader of such forms."""

from __future__ import annotations

import asyncio
import re
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

from fuzzing.cases import Case
from fuzzing.draw import Draw
from fuzzing.runner import SECONDS, Runner, Said, TookTooLongError, Verdict, limited
from toolbox.app.project.state import Workplace
from toolbox.app.server.application import make_application
from toolbox.app.server.security import Keys

_ENDINGS = (
    "csv",
    "CSV",
    "tsv",
    "parquet",
    "jsonl",
    "xlsx",
    "ods",
    "sav",
    "dta",
    "sqlite",
    "duckdb",
    "csv.gz",
    "csv.zst",
)
_NAMES = (
    *(
        "../../../etc/passwd",
        "/etc/passwd",
        "..",
        ".",
        "",
        "a\\..\\b.csv",
        "C:\\x.csv",
        "\x00.csv",
        "a\x00.csv",
        "a.csv\x00",
    ),
    *(
        'a"b.csv',
        "a'b.csv",
        'a";name="other',
        "a;b.csv",
        "é\u202e" * 40,
        "\udcff.csv",
        "x" * 70_000 + ".csv",
        "con",
        "%2e%2e%2f",
    ),
    *("project.xml", "table.csv/../../x.csv", ".toolbox-app", "a.csv.exe", "a\r\nX-Odd: 1.csv", "a.\u0663sv"),
)
_ANSWERS = (200, 303, 400, 404)
"""The page with a message, the next page, and what is no form or no page."""
_TAKEN = 303
_OF_PROJECT = re.compile(r"root/table(-\d+)?-project(/\.toolbox-app(/.*)?)?")
_OF_TABLE = re.compile(r"root/table(-\d+)?-project/table\.[a-z0-9.]+")
_BOUNDARY_LETTERS = "abcXYZ0189'+_-./=?"
_DISPOSITION = re.compile(rb"^content-disposition:(.*)$", re.IGNORECASE | re.MULTILINE)
_NAMED = re.compile(rb';\s*name\s*=\s*("[^"]*"|[^;\s]*)', re.IGNORECASE)
_SAID = (
    *("", "=", "=other", "={}", "='{}'", '="{}', '="{}\\""', '=""', "=" + "x" * 9_000),
    *("={}; boundary=other", "=other; boundary={}", "*=utf-8''{}", "={}\x00"),
)
"""What a type of content may say of a boundary."""
_LOCAL = (("host", "127.0.0.1:80"), ("origin", "http://127.0.0.1:80"), ("sec-fetch-site", "same-origin"))


@dataclass
class Form:
    """One form, as it is sent."""

    body: bytes
    kind: str
    """Its type of content."""
    boundaries: tuple[bytes, ...]
    """All that may be taken for its boundary."""
    content: bytes | None = None
    """What the file holds, if the form is sound."""
    headers: list[tuple[str, str]] = field(default_factory=list)
    piece: int = 1 << 16
    """Bytes that are sent at a time."""
    vanishes_after: int | None = None
    """After how many pieces the sender is gone."""

    def may_be_taken(self, stored: bytes) -> bool:
        """Return whether these bytes are the whole of its one file."""
        if self.content is not None:
            return stored == self.content
        return any(files_of_form(self.body, boundary) == [stored] for boundary in self.boundaries)


@dataclass(frozen=True)
class Answered:
    """What came back, or None if nothing did, and the errors that nobody foresaw."""

    status: int | None
    text: str
    escaped: Sequence[Exception]


def files_of_form(body: bytes, boundary: bytes) -> list[bytes] | None:
    """Read the files of a form by the letter of RFC 2046; None if its last boundary has not come."""
    _, *parts = re.split(rb"\r\n--" + re.escape(boundary) + rb"(?=\r\n|--)", b"\r\n" + body)
    found: list[bytes] = []
    for part in parts:
        if part.startswith(b"--"):
            return found
        head, _, content = part.partition(b"\r\n\r\n")
        dispositions = _DISPOSITION.findall(head.replace(b"\r\n", b"\n"))
        # What is said twice is decided by the last word.
        names = _NAMED.findall(dispositions[-1]) if dispositions else []
        if names and names[-1] in (b'"file"', b"file"):
            found.append(content)
    return None


def draw_upload(seed: int) -> tuple[Draw, list[Form], str]:
    """Draw forms that are sent at the same time, and the address; only what is noted as wrong may be refused."""
    draw = Draw(seed)
    forms = [_form(draw) for _ in range(2 if draw.chance(0.15) else 1)]
    address = draw.choice(("/data/open", "/hierarchies/1/import")) if draw.wrong("another address", 0.05) else ""
    return draw, forms, address or "/data/upload"


def _form(draw: Draw) -> Form:
    noted = len(draw.wrongs)
    boundary = "".join(draw.choice(_BOUNDARY_LETTERS) for _ in range(draw.choice((1, 2, 8, 30, 70))))
    content = _content(draw, boundary)
    parts = [_part(draw, "file", content)]
    for _ in range(draw.choice((0, 0, 1, 3))):
        other = _part(draw, draw.choice(("back", "files", "File", "", "file2", "folder")), _content(draw, boundary))
        parts.insert(draw.whole(0, len(parts)), other)
    if draw.wrong("two files", 0.15):
        second = draw.choice((content, b"", b"c,d\n3,4\n"))
        parts.insert(draw.whole(0, len(parts)), _part(draw, "file", second))
    if draw.wrong("no file", 0.08):
        parts = [_part(draw, "other", content) for _ in range(draw.whole(0, 2))]
    delimiter = b"--" + boundary.encode()
    lines = [delimiter + b"\r\n" + part + b"\r\n" for part in parts]
    form = Form(
        b"".join(lines) + delimiter + b"--\r\n", f'multipart/form-data; boundary="{boundary}"', (boundary.encode(),)
    )
    form.piece = draw.choice((1 << 16, 1 << 16, 4096, 7, 1)) if len(form.body) < 20_000 else 1 << 16
    _spoil(draw, form, boundary)
    if len(draw.wrongs) == noted:
        form.content = content
    return form


def _part(draw: Draw, field_name: str, content: bytes) -> bytes:
    name = "a." + draw.choice(_ENDINGS)
    if draw.wrong("an odd name", 0.3):
        name = draw.choice(_NAMES)
    disposition = f'Content-Disposition: form-data; name="{field_name}"; filename="{name}"'
    if draw.wrong("an odd head", 0.15):
        disposition = draw.choice(
            (
                f"content-disposition:form-data;name={field_name};filename={name}",
                f"Content-Disposition: form-data; name='{field_name}'; filename='{name}'",
                f'Content-Disposition: form-data; filename="{name}"; name="{field_name}',
                f"Content-Disposition: form-data; name=\"{field_name}\"; filename*=UTF-8''..%2F..%2Fx.csv",
                f'Content-Disposition: form-data; name="other"\r\n{disposition}',
                f'{disposition}\r\nContent-Disposition: form-data; name="other"',
                f"{disposition}\r\nX-Huge: {'h' * 200_000}",
                *("", "no colon", ": no name", "X\x00: 1", f"{disposition}\nContent-Length: 5", "é: ü"),
                disposition + "".join(f"\r\nX-{number}: 1" for number in range(3_000)),
                f"{disposition}\r\nContent-Transfer-Encoding: base64\r\nContent-Length: {draw.choice((-1, 0, 10**30))}",
            )
        )
    typed = draw.choice(("", "\r\nContent-Type: text/csv", "\r\nContent-Type: multipart/mixed; boundary=inner"))
    return (disposition + typed).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + content


def _content(draw: Draw, boundary: str) -> bytes:
    """Draw bytes without the boundary, but with all that looks like it."""
    table = b"a,b\r\n" + b"".join(f"{row},{draw.whole(0, 9)}\r\n".encode() for row in range(draw.choice((1, 5, 40))))
    nested = b'--inner\r\nContent-Disposition: form-data; name="file"; filename="b.csv"\r\n\r\n9\r\n--inner--\r\n'
    almost = b"\r\n--" + boundary.encode()[:-1]
    choices = (table, nested, almost * 3, table + almost, b"\r", b"\n--\r\n", b"\x00\xff" * 9, table * 3_000)
    content = draw.choice(choices) if draw.chance(0.6) else table
    return content if b"\r\n--" + boundary.encode() not in b"\r\n" + content else table.replace(b"--", b"")


def _spoil(draw: Draw, form: Form, boundary: str) -> None:
    """Make wrong what holds for the form as a whole."""
    if draw.wrong("a body that is cut", 0.15):
        form.body = form.body[: draw.whole(0, len(form.body))]
    if draw.wrong("bytes that were put in, lost or changed", 0.12):
        at = draw.whole(0, len(form.body))
        added = (b"", b"\x00", b"\r\n", b"--", b"\xff", b"\r\n--" + boundary.encode())
        form.body = form.body[:at] + draw.choice(added) + form.body[at + draw.choice((0, 1, 2, 40)) :]
    if draw.wrong("a doubled body", 0.06):
        form.body = draw.choice(
            (form.body * 2, b"\r\n" + form.body, b"a preamble\r\n" + form.body, form.body + form.body[:50])
        )
    if draw.wrong("lines that end otherwise", 0.05):
        form.body = form.body.replace(b"\r\n", draw.choice((b"\n", b"\r", b"\n\r")))
    if draw.wrong("another boundary", 0.15):
        form.kind = "multipart/form-data; boundary" + draw.choice(_SAID).format(boundary)
        ends = (f"'{boundary}'", f'"{boundary}', "other", boundary.rstrip("'"))
        form.boundaries += tuple(end.encode() for end in ends if end)
    if draw.wrong("another type", 0.06):
        types = (
            "",
            "text/plain",
            "multipart/mixed; boundary=x",
            "multipart/form-data",
            ";",
            "multipart/form-data; boundary=é",
        )
        form.kind = draw.choice((*types, form.kind.upper()))
        form.boundaries += (boundary.upper().encode(), b"x")
    if draw.wrong("a wrong length", 0.1):
        form.headers.append(("content-length", draw.choice(("-1", "0", "5", "9" * 40, "x", ""))))
    if draw.wrong("a huge header", 0.05):
        form.headers.append((draw.choice(("x-huge", "content-encoding")), "h" * 200_000))
    if draw.wrong("a sender who is gone", 0.06):
        form.vanishes_after = draw.whole(0, 4)


def sent(root: Path, forms: Sequence[Form], address: str) -> list[Answered]:
    """Send forms at the same time, as the browser that the application has opened, and return its answers."""

    async def all_sent() -> list[Answered]:
        workplace = Workplace(root)
        try:
            return await asyncio.gather(*(_asked(workplace, form, address) for form in forms))
        finally:
            await workplace.close()

    return asyncio.run(all_sent())


async def _asked(workplace: Workplace, form: Form, address: str) -> Answered:
    keys, escaped = Keys(80), list[Exception]()
    made = make_application(workplace, port=80, keys=keys, trace=escaped.append)
    cookie = f"{keys.cookie_name}={keys.exchange(keys.link().partition('token=')[2])}"
    headers = [*_LOCAL, ("cookie", cookie), ("content-type", form.kind), *form.headers]
    scope = {
        **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http"},
        **{"path": address, "raw_path": address.encode(), "root_path": "", "query_string": b""},
        "headers": [(name.encode(), text.encode()) for name, text in headers],
    }
    pieces = [form.body[at : at + form.piece] for at in range(0, len(form.body), form.piece)]
    pieces, is_gone = pieces[: form.vanishes_after], form.vanishes_after is not None
    messages = []

    async def receive() -> dict[str, object]:
        # Another form may send its piece now.
        await asyncio.sleep(0)
        if not pieces and is_gone:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": pieces.pop(0) if pieces else b"", "more_body": bool(pieces) or is_gone}

    async def send(message: dict[str, object]) -> None:
        messages.append(message)

    await made(scope, receive, send)  # type: ignore[arg-type]
    text = b"".join(message.get("body", b"") for message in messages[1:])  # type: ignore[misc]
    return Answered(messages[0]["status"] if messages else None, text.decode(), escaped)  # type: ignore[arg-type]


def warm_up() -> None:
    """Send what is harmless, because libraries import some of their own modules when they are first used."""
    head = 'Content-Disposition: form-data; name="file"; filename="a.{}"\r\n\r\na,b\r\n1,2'
    kind = "multipart/form-data; boundary=x"
    with tempfile.TemporaryDirectory() as name:
        for ending in _ENDINGS:
            sent(Path(name), [Form(f"--x\r\n{head.format(ending)}\r\n--x--".encode(), kind, ())], "/data/upload")
        for address in ("/data/upload", "/data/open", "/hierarchies/1/import"):
            sent(Path(name), [Form(b"", kind, ()), Form(b"", "text/plain", ())], address)


def run_upload(runner: Runner, seed: int) -> Verdict:
    """Send forms to the application: each file is taken whole or refused, into the root and nowhere else."""
    draw, forms, address = draw_upload(seed)
    kinds = (text.encode() for form in forms for text in (form.kind, str(form.headers)))
    files = {f"body{number}": form.body for number, form in enumerate(forms)} | {"kinds": b"\n".join(kinds)}
    verdict = Verdict(Case(seed, files, ("root",), (address,), tuple(draw.wrongs)))
    with runner.entered(verdict.case):
        root = runner.folder / "root"
        if draw.chance(0.2):
            (root / "table-project").mkdir()
            (root / "table-project" / "table.csv").write_text("of somebody else")
        before = runner.listed()
        try:
            with limited(SECONDS):
                answers = sent(root, forms, address)
            verdict.said = [Said(answer.status, answer.text, "") for answer in answers]
            verdict.faults += _find_odd_answers(forms, answers, address)
            taken = [form for form, answer in zip(forms, answers, strict=True) if answer.status == _TAKEN]
            verdict.faults += _stored(before, runner.listed(), taken)
            verdict.faults += runner.changes({}, {}, (), frozenset())
        except TookTooLongError:
            verdict.faults.append(f"took more than {SECONDS} s")
        except BaseException:
            verdict.faults.append(f"an exception escaped:\n{traceback.format_exc()}")
    verdict.said = verdict.said or [Said(None, "", "")]
    return verdict


def _find_odd_answers(forms: Sequence[Form], answers: Sequence[Answered], address: str) -> Iterator[str]:
    """Yield what the application may not answer."""
    for form, answer in zip(forms, answers, strict=True):
        yield from (f"an error that nobody foresaw: {error!r}" for error in answer.escaped)
        if answer.status not in _ANSWERS and not (answer.status is None and form.vanishes_after is not None):
            yield f"the answer is {answer.status}"
        if answer.status != _TAKEN and form.content is not None and address == "/data/upload":
            yield f"a sound form got the answer {answer.status}"


def _stored(before: dict[str, bytes], after: dict[str, bytes], taken: list[Form]) -> Iterator[str]:
    """Yield what is wrong with the files that forms left behind."""
    yield from (f"{name} was changed" for name in before if after.get(name) != before[name])
    new = [name for name in after.keys() - before.keys() if not _OF_PROJECT.fullmatch(name)]
    tables = [after[name] for name in new if _OF_TABLE.fullmatch(name)]
    yield from (f"{name!r} was left behind" for name in sorted(new) if not _OF_TABLE.fullmatch(name))
    if len(tables) != len(taken):
        yield f"{len(taken)} files were taken, and {len(tables)} are there"
    # Of two at once each must be there.
    elif not any(all(map(Form.may_be_taken, taken, order)) for order in permutations(tables)):
        yield "what was stored is not the one file that was sent"
