"""Objects of stores, such as S3, and tables of a lake: a run works on copies here, and stores what it has made.

Arrow reaches the stores. Keys come from the environment or the usual profile, never from a URL, and its own messages,
which may hold one, are never passed on.
"""

from __future__ import annotations

import ctypes
import os
import re
import secrets
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from fnmatch import fnmatchcase
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlsplit

from toolbox.config.file_names import find_lake, needs_copy
from toolbox.config.model import Config, Input, Limits, Output
from toolbox.config.values import format_object, is_object, is_object_name
from toolbox.errors import InputError, OutputError, ToolboxError, UsageError
from toolbox.messages import choose_setting_name
from toolbox.store.disk.workspace import Workspace
from toolbox.store.input.formats.database import export_lake

_AT_ONCE: Final = 16 << 20
"""Bytes that are fetched or sent at once."""
_FETCHED_TOGETHER: Final = 8
"""Objects, at most."""
_WILDCARDS: Final = frozenset("*?[")
_WRITTEN: Final = ("path", "report", "html", "codebook", "recoding")
"""What of an output may be an object."""
_OVERWRITING: Final = "az"
"""The store in which an object is empty as soon as one begins to write it."""


class _Kept:
    """A folder with copies, which is made when the first one comes."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._folder: Path | None = None

    def find_folder(self, temp_dir: Path | None) -> Path:
        if self._folder is None:
            self._folder = self._stack.enter_context(Workspace(temp_dir)).folder
        return self._folder


_KEPT: Final[ContextVar[_Kept | None]] = ContextVar("kept", default=None)


class LocalCopies:
    """Files in the place of the objects and the tables of a lake that a configuration names; a context manager.

    Parameters
    ----------
    config : Config
        If it names none, nothing is done.
    reads : bool
        Whether what it reads is fetched, too; not if a caller has read it.

    Raises
    ------
    InputError
        If an object cannot be fetched.
    OutputError
        If there is no such place, or no room for the copies.
    UsageError
        If nobody has allowed the network, or Arrow is not installed.
    """

    def __init__(self, config: Config, *, reads: bool = True) -> None:
        self.config = config
        """The same with the copies."""
        self._reads = reads
        self._stack = ExitStack()
        self._systems: dict[str, Any] = {}
        self._roots: dict[str, Path] = {}
        self._lakes: dict[str, str] = {}
        """The folder of each table of a lake, by the file with its records."""

    @staticmethod
    @contextmanager
    def kept() -> Iterator[None]:
        """Fetch each object once within a block, however often it is read there."""
        with ExitStack() as stack:
            token = _KEPT.set(_Kept(stack))
            try:
                yield
            finally:
                _KEPT.reset(token)

    @classmethod
    def of_files(cls, paths: Sequence[Path], limits: Limits) -> Self:
        """Return copies of files that are read, some of which may be objects."""
        source = Input(path=paths[0], more=tuple(paths[1:]))
        return cls(
            Config(source="", path=None, input=source, output=Output(path=None), limits=limits, quasi_identifiers=())
        )

    @property
    def files(self) -> tuple[Path, ...]:
        """The copies of what is read."""
        assert self.config.input is not None
        return self.config.input.names

    def __enter__(self) -> Self:
        named = _list_read(self.config) if self._reads else []
        read, written = [path for path in named if is_object(path)], _list_written(self.config)
        if not (written or any(map(needs_copy, named))):
            return self
        if (read or written) and not self.config.limits.network:
            url = format_object([*read, *written][0])
            setting = choose_setting_name("--allow-network", python="limits=Limits(network=True)")
            raise UsageError(f"{url} is an object of a store. Nothing is fetched or stored without {setting}.")
        output = self.config.output
        with self._stack:
            folder = (_KEPT.get() or _Kept(self._stack)).find_folder(self.config.limits.temp_dir)
            self._roots = {way: folder / way for way in ("read", "written")}
            for path in written:
                self._require_bucket(path, is_folder=bool(output.partition_by) and path == output.path)
                self._find_copy("written", path).parent.mkdir(parents=True, exist_ok=True)
            self._fetch(read)
            self.config = self._localise(self.config)
            self._stack = self._stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stack.close()
        if isinstance(error, ToolboxError):
            error.args = tuple(self.name_objects(part) if isinstance(part, str) else part for part in error.args)

    def name_objects(self, text: str) -> str:
        """Return a text in which copies are called as the objects are."""
        for target, folder in self._lakes.items():
            text = text.replace(target, folder)
        for root in self._roots.values():
            text = re.sub(rf"{re.escape(str(root))}/(\w+)/", r"\1://", text)
        return text

    def _find_object(self, path: Path) -> Path:
        """Return the object that will be made of a file, or the path of the file itself."""
        root = self._roots.get("written")
        if root is None or not path.is_relative_to(root):
            return path
        scheme, *parts = path.relative_to(root).parts
        return Path(f"{scheme}://", *parts)

    def list_objects(self, tables: Iterable[Iterable[Path]]) -> tuple[tuple[Path, ...], ...]:
        """Return the files of each table, or the objects that will be made of them."""
        return tuple(tuple(map(self._find_object, files)) for files in tables)

    @contextmanager
    def store(
        self, files: Mapping[Path, Path], placed: Callable[[], None]
    ) -> Iterator[tuple[dict[Path, Path], Callable[[], None]]]:
        """Send finished files; they become objects when the callback is called, or else never.

        Parameters
        ----------
        files : mapping of finished file to its final path
        placed : callable
            Is called when they are objects.

        Yields
        ------
        dict, callable
            The files that stay on this machine, and what to call when they are in place.

        Raises
        ------
        OutputError
        """
        uploads = [
            _Upload(self._open(final), final, finished, is_new=is_new)
            for finished, final, is_new in self._list_uploads(files)
        ]

        def complete() -> None:
            done: list[_Upload] = []
            for upload in uploads:
                upload.complete(done)
                done.append(upload)
            placed()

        try:
            for upload in uploads:
                upload.send()
            yield {finished: final for finished, final in files.items() if self._find_object(final) == final}, complete
        finally:
            for upload in uploads:
                upload.abandon()

    def _list_uploads(self, files: Mapping[Path, Path]) -> Iterator[tuple[Path, Path, bool]]:
        """Yield each file that becomes an object, that object, and whether nothing may be there."""
        for finished, final in files.items():
            path = self._find_object(final)
            if not is_object(path):
                continue
            if finished.is_dir():
                below = sorted(each for each in finished.rglob("*") if each.is_file() and not each.name.startswith("_"))
                # What says that the folder is whole comes last.
                marks = sorted(each for each in finished.rglob("_*") if each.is_file())
                yield from ((each, path / each.relative_to(finished), True) for each in (*below, *marks))
            else:
                yield finished, path, False

    # Fetching.

    def _localise(self, config: Config) -> Config:
        def localise(source: Input | None) -> Input | None:
            if source is None or not self._reads:
                return source
            return replace(source, path=self._find_read(source.path), more=tuple(map(self._find_read, source.more)))

        named = {name: getattr(config.output, name) for name in _WRITTEN}
        written: dict[str, Any] = {
            name: self._find_copy("written", path)
            for name, path in named.items()
            if path is not None and is_object(path)
        }
        return replace(
            config,
            input=localise(config.input),
            population=localise(config.population),
            earlier=tuple(self._find_read(each) if isinstance(each, Path) else each for each in config.earlier),
            output=replace(config.output, **written),
            child_tables={name: self._localise(child) for name, child in config.child_tables.items()},
        )

    def _find_read(self, path: Path) -> Path:
        """Return the copy of what is read; of a table of a lake it is one file with its records."""
        here = self._find_copy("read", path) if is_object(path) else path
        if find_lake(here) is None:
            return here
        folder = self._roots["read"] / f"lake-{sha256(str(here).encode()).hexdigest()[:16]}"
        target = folder / f"{here.name or 'table'}.parquet"
        self._lakes[str(target)] = str(here)
        if not target.exists():
            folder.mkdir(parents=True, exist_ok=True)
            export_lake(here, target)
        return target

    def _find_copy(self, way: str, path: Path) -> Path:
        return self._roots[way].joinpath(path.parts[0].removesuffix(":"), *path.parts[1:])

    def _open(self, path: Path) -> Any:
        """Return the file system of a store; what it needs is asked once for each bucket."""
        store = "/".join(path.parts[:2])
        if store not in self._systems:
            self._systems[store] = _open_system(path)
        return self._systems[store]

    def _require_bucket(self, path: Path, *, is_folder: bool) -> None:
        with _translate(path, OutputError, "stored"):
            try:
                found = self._open(path).get_file_info(path.parts[1])
            except OSError as error:
                if _explain(error) == _NO_RIGHT:  # to look at the bucket, which storing does not need
                    return
                raise
        if found.type.name == "NotFound":
            raise OutputError(f"{format_object(path)} cannot be stored: there is no bucket {path.parts[1]!r}.")
        if is_folder:
            with _translate(path, OutputError, "stored"):
                found = self._open(path).get_file_info("/".join(path.parts[1:]))
            if found.type.name != "NotFound":
                problem = f"{format_object(path)} is there already, and no folder is replaced."
                raise OutputError(f"{problem} Remove it first, or name another prefix.")

    def _fetch(self, paths: Iterable[Path]) -> None:
        wanted = [_Wanted(self._open(path), path, *each) for path in paths for each in self._list_objects(path)]
        size = sum(each.size for each in wanted)
        room = shutil.disk_usage(self._roots["read"].parent).free
        if size > room:
            setting = choose_setting_name("--temp-dir", python="Limits(temp_dir=..)")
            raise OutputError(
                f"The objects have {size:,} bytes, and {self._roots['read'].parent.parent} has room for {room:,}. Name "
                f"a larger folder for the copies with {setting}."
            )
        stop = threading.Event()
        with ThreadPoolExecutor(_FETCHED_TOGETHER) as pool:
            try:
                for each in [pool.submit(self._fetch_one, each, stop) for each in wanted]:
                    each.result()
            except BaseException:
                stop.set()
                pool.shutdown(cancel_futures=True)
                raise

    def _list_objects(self, path: Path) -> list[tuple[str, int]]:
        """List the objects that a path names, or that are below it, with their sizes in bytes."""
        from pyarrow.fs import FileSelector, FileType

        parts, url = path.parts[1:], format_object(path)
        fixed = next((index for index, part in enumerate(parts) if _WILDCARDS & set(part)), len(parts))
        base, is_pattern = "/".join(parts[:fixed]), fixed < len(parts)
        system = self._open(path)
        with _translate(path, InputError, "fetched"):
            found = system.get_file_info(base)
            if found.type == FileType.NotFound:
                raise InputError(f"{url} cannot be fetched: there is no such object or bucket. Is its name right?")
            below = [found] if found.is_file else system.get_file_info(FileSelector(base, recursive=True))
        pattern = "/".join(parts)
        named = [
            (each.path, int(each.size))
            for each in below
            if each.is_file and (not is_pattern or fnmatchcase(each.path, f"{pattern}*"))
        ]
        for name, _ in named:
            if not is_object_name(name):
                raise InputError(f"{url} has an object whose name no file can have. Rename it, or name the others.")
        if not named:
            raise InputError(f"{url} cannot be fetched: there is no object below it. Is its name right?")
        return named

    def _fetch_one(self, wanted: _Wanted, stop: threading.Event) -> None:
        scheme = wanted.path.parts[0].removesuffix(":")
        copy = self._roots["read"] / scheme / wanted.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if copy.exists():  # two names lead to it
            return
        with _translate(wanted.path, InputError, "fetched"):
            with wanted.system.open_input_stream(wanted.name, compression=None) as source, copy.open("xb") as file:
                while not stop.is_set() and (block := source.read(_AT_ONCE)):
                    file.write(block)
            if not stop.is_set() and copy.stat().st_size != wanted.size:
                raise InputError(f"{format_object(wanted.path)} changed while it was fetched. Run again.")


class _Wanted(NamedTuple):
    """One object that is fetched."""

    system: Any
    path: Path
    """The path by which it was named."""
    name: str
    size: int


def _list_read(config: Config) -> list[Path]:
    sources = [config.input, config.population]
    paths = [path for source in sources if source is not None and source.remote is None for path in source.names]
    paths += [each for each in config.earlier if isinstance(each, Path)]
    return paths + [path for child in config.child_tables.values() for path in _list_read(child)]


def _list_written(config: Config) -> list[Path]:
    paths = [getattr(config.output, name) for name in _WRITTEN]
    paths += [path for child in config.child_tables.values() for path in _list_written(child)]
    return [path for path in paths if path is not None and is_object(path)]


# Storing: an object is whole, or as it was before.


class _Upload:
    """A file on its way to become an object.

    S3 and Google show an object when its last part is there and the upload is completed, and nothing before. Azure
    empties an older one first: there it is sent to another name, and copied within the store.
    """

    def __init__(self, system: Any, path: Path, finished: Path, *, is_new: bool) -> None:
        self.path = path
        self._is_new = is_new
        self._system, self._finished = system, finished
        self._name = "/".join(path.parts[1:])
        folder, _, name = self._name.rpartition("/")
        self._is_beside = path.parts[0].startswith(_OVERWRITING)
        self._sent = f"{folder}/.toolbox-{secrets.token_hex(8)}-{name}" if self._is_beside else self._name
        self._stream: Any = None
        self._is_done = False

    def send(self) -> None:
        with _translate(self.path, OutputError, "stored"), self._finished.open("rb") as file:
            self._stream = self._system.open_output_stream(self._sent, compression=None)
            while block := file.read(_AT_ONCE):
                self._stream.write(block)
            if self._is_beside:
                self._stream.close()

    def complete(self, done: Sequence[_Upload]) -> None:
        """Make an object of what was sent.

        Parameters
        ----------
        done : sequence of _Upload
            The objects of the same release that are there by now; if this one fails, those go that replaced nothing.
        """
        if self._is_done:
            return
        try:
            with _translate(self.path, OutputError, "stored"):
                if self._is_beside:
                    self._system.copy_file(self._sent, self._name)
                else:
                    self._stream.close()
        except OutputError as error:
            stay = [format_object(upload.path) for upload in done if not upload.take_back()]
            already = f" {' and '.join(stay)} {'is' if len(stay) == 1 else 'are'} new already. Run again."
            raise OutputError(f"{error.args[0]}{already if stay else ''}") from None
        self._is_done = True

    def take_back(self) -> bool:
        """Remove an object that replaced nothing; return whether it is gone."""
        if not self._is_new:
            return False
        try:
            self._system.delete_file(self._name)
        except OSError:
            return False
        return True

    def abandon(self) -> None:
        """Forget what was sent and is no object; after `complete` there is nothing to forget."""
        if self._is_beside:
            with suppress(OSError):
                self._system.delete_file(self._sent)
        elif self._stream is not None and not self._is_done:
            # Arrow completes an upload when its stream is closed or freed: one more reference keeps it from both.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._stream))


# The stores, and what their errors mean.


def _open_system(path: Path) -> Any:
    """Return the file system of the store of an object.

    Raises
    ------
    UsageError
    """
    scheme, bucket = path.parts[0].removesuffix(":"), path.parts[1]
    try:
        fs = import_module("pyarrow.fs")

        if scheme == "gs":
            from datetime import timedelta

            return fs.GcsFileSystem(retry_time_limit=timedelta(minutes=1))
        return _open_azure(fs) if scheme == "az" else _open_s3(fs, bucket)
    except (ImportError, AttributeError):
        raise UsageError(
            f"{format_object(path)} is reached by pyarrow, and this one cannot. Install pyarrow, or copy the object."
        ) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{scheme}:// cannot be opened: {_explain(error)}.") from None


def _open_s3(fs: Any, bucket: str) -> Any:
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if not endpoint:
        with suppress(OSError):
            region = region or fs.resolve_s3_region(bucket)
        return fs.S3FileSystem(region=region)
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
        # It is not repeated, as it may hold a password.
        raise UsageError("AWS_ENDPOINT_URL is no address without a password. Write https://HOST:PORT.")
    return fs.S3FileSystem(region=region or "us-east-1", endpoint_override=parts.netloc, scheme=parts.scheme)


def _open_azure(fs: Any) -> Any:
    account = os.environ.get("AZURE_STORAGE_ACCOUNT")
    if not account:
        raise UsageError("Nothing names the account of az://. Write it into AZURE_STORAGE_ACCOUNT.")
    key, token = (os.environ.get(f"AZURE_STORAGE_{name}") or None for name in ("KEY", "SAS_TOKEN"))
    return fs.AzureFileSystem(account, account_key=key, sas_token=token)


_NO_RIGHT: Final = "the store grants no right to do so"
_MEANINGS: Final = (
    ("NO_SUCH_BUCKET|NoSuchBucket|ContainerNotFound", "there is no such bucket"),
    (
        "INVALID_ACCESS_KEY|InvalidAccessKeyId|SIGNATURE_DOES_NOT_MATCH|INVALID_CLIENT_TOKEN|EXPIRED|ExpiredToken"
        "|InvalidAuthentication|AuthenticationFailed",
        "the store does not know the key, which comes from the environment or the profile",
    ),
    ("ACCESS_DENIED|AccessDenied|403|Forbidden", _NO_RIGHT),
    (
        "NETWORK_CONNECTION|curl|timed? ?out|REQUEST_TIMEOUT|connect|SLOW_DOWN|INTERNAL_FAILURE|SERVICE_UNAVAILABLE"
        "|50[023]",
        "the store cannot be reached, or the connection was lost",
    ),
)
"""What the words of Arrow mean; they are never passed on, as they may hold a key."""


def _explain(error: BaseException) -> str:
    words = str(error)
    known = (meaning for pattern, meaning in _MEANINGS if re.search(pattern, words, re.IGNORECASE))
    return next(known, f"the store says {type(error).__name__}")


@contextmanager
def _translate(path: Path, kind: type[ToolboxError], what: str) -> Iterator[None]:
    """Raise an error that says what a store means, without its own words."""
    try:
        yield
    except OSError as error:
        remedy = "" if kind is InputError else " What was there is as it was."
        raise kind(f"{format_object(path)} cannot be {what}: {_explain(error)}.{remedy}") from None
