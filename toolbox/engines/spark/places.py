"""Where a release is written before anybody sees it, in which file system, and how it gets into its place."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING, Any, Final, Protocol, Self
from urllib.parse import unquote, urlsplit

from toolbox.errors import OutputError, name_replacing, quote
from toolbox.store.disk.directory_lock import describe_machine

if TYPE_CHECKING:
    from toolbox.engines.spark.session import OpenSparkSession


# The file system of a release: of this machine, or one of Hadoop by the Java machine of classic Spark.

OBJECT_STORES: Final = frozenset({"s3", "s3a", "s3n", "gs", "oss", "cosn", "obs", "wasb", "wasbs", "swift"})
"""Schemes of stores that cannot rename a folder at once."""


class Files(Protocol):
    """What publishing needs of a file system; all paths as Spark takes them."""

    def exists(self, path: str) -> bool: ...

    def names(self, folder: str) -> list[str]:
        """Return the names within a folder; none where there is no such folder."""

    def is_folder(self, path: str) -> bool: ...

    def find_newest_change(self, folder: str) -> float:
        """Return when anything in a folder was changed last, in seconds."""

    def read(self, path: str) -> bytes: ...

    def put(self, path: str, content: bytes) -> None:
        """Write a small file, and the folders above it, in the place of one that may be there."""

    def move(self, source: str, target: str) -> None:
        """Rename a folder; raise FileExistsError if something has its new name."""

    def remove(self, path: str) -> None:
        """Remove a file, or a folder with all that it holds, if it is there."""


class LocalFiles:
    """The file system of this machine."""

    def exists(self, path: str) -> bool:
        return os.path.lexists(find_local_path(path))

    def names(self, folder: str) -> list[str]:
        with suppress(FileNotFoundError, NotADirectoryError):
            return sorted(path.name for path in find_local_path(folder).iterdir())
        return []

    def is_folder(self, path: str) -> bool:
        try:
            return S_ISDIR(find_local_path(path).lstat().st_mode)
        except FileNotFoundError:
            return False

    def find_newest_change(self, folder: str) -> float:
        times = [find_local_path(folder).lstat().st_mtime]
        for path in find_local_path(folder).rglob("*"):
            # Another process may be at work there.
            with suppress(FileNotFoundError):
                times.append(path.lstat().st_mtime)
        return max(times)

    def read(self, path: str) -> bytes:
        return find_local_path(path).read_bytes()

    def put(self, path: str, content: bytes) -> None:
        find_local_path(path).parent.mkdir(parents=True, exist_ok=True)
        find_local_path(path).write_bytes(content)

    def move(self, source: str, target: str) -> None:
        # A rename takes the place of an empty folder.
        if self.exists(target):
            raise FileExistsError(target)
        find_local_path(source).rename(find_local_path(target))

    def remove(self, path: str) -> None:
        if self.is_folder(path):
            shutil.rmtree(find_local_path(path))
        else:
            find_local_path(path).unlink(missing_ok=True)


@contextmanager
def _translate_java_errors() -> Iterator[None]:
    """Raise an error of the system for one of Hadoop, whose words stay behind."""
    from py4j.protocol import Py4JJavaError

    try:
        yield
    except Py4JJavaError as error:
        kind = error.java_exception.getClass().getSimpleName()
        if kind == "FileNotFoundException":
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from error
        if kind == "FileAlreadyExistsException":
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from error
        if kind == "AccessControlException":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from error
        raise OSError(errno.EIO, f"{os.strerror(errno.EIO)} ({kind})") from error


class HadoopFiles:
    """A file system of Hadoop, such as HDFS, ABFS or an object store; classic Spark only."""

    def __init__(self, session: OpenSparkSession, path: str) -> None:
        self._session = session
        self._java: Any = session.hadoop()
        self._files = self._path(path).getFileSystem(session.read_hadoop_settings())

    @_translate_java_errors()
    def exists(self, path: str) -> bool:
        return bool(self._files.exists(self._path(path)))

    @_translate_java_errors()
    def names(self, folder: str) -> list[str]:
        return sorted(found.getPath().getName() for found in self._listed(folder)) if self.exists(folder) else []

    @_translate_java_errors()
    def is_folder(self, path: str) -> bool:
        return self.exists(path) and bool(self._files.getFileStatus(self._path(path)).isDirectory())

    @_translate_java_errors()
    def find_newest_change(self, folder: str) -> float:
        times = [float(self._files.getFileStatus(self._path(folder)).getModificationTime()) / 1000]
        for found in self._listed(folder):
            below = str(found.getPath().toString())
            times.append(self.find_newest_change(below) if found.isDirectory() else found.getModificationTime() / 1000)
        return max(times)

    @_translate_java_errors()
    def read(self, path: str) -> bytes:
        stream = self._files.open(self._path(path))
        try:
            return bytes(stream.readAllBytes())
        finally:
            stream.close()

    @_translate_java_errors()
    def put(self, path: str, content: bytes) -> None:
        stream = self._files.create(self._path(path), True)
        stream.write(content)
        stream.close()

    @_translate_java_errors()
    def move(self, source: str, target: str) -> None:
        # The rename of a file system moves into a folder that is there already; that of a context refuses it.
        context = self._java.FileContext.getFileContext(
            self._path(target).toUri(), self._session.read_hadoop_settings()
        )
        plain = self._session.make_java_array(self._java.Options.Rename, 0)
        if self.exists(target):
            raise FileExistsError(target)
        context.rename(self._path(source), self._path(target), plain)

    @_translate_java_errors()
    def remove(self, path: str) -> None:
        self._files.delete(self._path(path), True)

    def _path(self, path: str) -> Any:
        return self._java.Path(path)

    def _listed(self, folder: str) -> list[Any]:
        return list(self._files.listStatus(self._path(folder)))


def find_scheme(path: str) -> str:
    """Return the scheme of a path, ``file`` where it has none."""
    return urlsplit(path).scheme or "file"


def find_local_path(path: str) -> Path:
    """Return the path of a file on this machine, which may be written as a URI."""
    return Path(unquote(urlsplit(path).path)) if path.startswith("file:") else Path(path)


def _join_path(folder: str, *names: str) -> str:
    """Return the path of what lies in a folder."""
    return "/".join((folder.rstrip("/"), *names))


def _split_path(path: str) -> tuple[str, str]:
    """Return the folder of a path, and its name there."""
    folder, _, name = path.rstrip("/").rpartition("/")
    return folder or "/", name


# Names of runs on a cluster, and which of them are surely dead.
#
# A name says on which machine the run was started, since when that machine runs, and which process it is. On the same
# machine a process that is gone is a dead run. Of one that was started elsewhere nobody knows; it counts as dead when
# nothing in its folder has changed for a day, by the clock of the file system.

PREFIX: Final = ".toolbox-"
SILENCE: Final = 24 * 60 * 60.0
"""Seconds without a change, after which a run that was started elsewhere counts as dead."""
_NAME: Final = re.compile(
    r"(?P<machine>[0-9a-f]{8}-[0-9a-f]{8})-(?P<space>[0-9]+)-(?P<process>[0-9]+)-(?P<since>[0-9]+)-[0-9a-f]{16}"
)


@dataclass(frozen=True)
class Run:
    """A run, by its name."""

    name: str
    machine: str
    space: int
    """The space in which numbers of processes count: each container has its own."""
    process: int
    since: int

    @classmethod
    def new(cls) -> Self:
        machine, space, process = str(describe_machine()), _read_process_namespace(), os.getpid()
        since = _read_process_start(process) or 0
        return cls(f"{machine}-{space}-{process}-{since}-{secrets.token_hex(8)}", machine, space, process, since)

    @classmethod
    def named(cls, name: str) -> Self | None:
        """Return the run of a name; None if it is the name of none."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        return cls(name, found["machine"], int(found["space"]), int(found["process"]), int(found["since"]))

    def is_dead(self, silence: float) -> bool:
        """Return whether the run has surely ended.

        Parameters
        ----------
        silence : float
            Seconds since anything has changed in its folder.
        """
        if (self.machine, self.space) == (str(describe_machine()), _read_process_namespace()):
            return not _is_process_alive(self.process, self.since)
        return silence > SILENCE


def _is_process_alive(process: int, since: int) -> bool:
    if since:
        return _read_process_start(process) == since
    # Only Linux tells since when a process runs. Elsewhere a number that was given anew is taken for a living run.
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _read_process_start(process: int) -> int | None:
    """Return when a process began, in ticks since the machine did; None if there is none, or nobody tells."""
    with suppress(OSError, ValueError, IndexError):
        # The name of the program, in brackets, may hold blanks and brackets.
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] == "Z" else int(fields[19])
    return None


def _read_process_namespace() -> int:
    with suppress(OSError):
        return Path("/proc/self/ns/pid").stat().st_ino
    return 0


# Where a release is written before anybody sees it, and how it gets into its place, all or nothing.
#
# A file system that renames folders at once gets it beside its place, in ``.toolbox-RUN``, and one rename publishes
# it. An object store knows no rename: each run has a folder of its own within the output, and what readers look for,
# ``_SUCCESS`` and a manifest that names the folder, is written last.

SUCCESS: Final = "_SUCCESS"
MANIFEST: Final = "_manifest.json"
MARKER: Final = "run.json"
_OLD: Final = "old"
_RUN_FOLDER: Final = "run-"


class ReleasePlace(Protocol):
    """The place of one release."""

    marker: str
    """A file that `prepare` writes: a cluster that reads it sees the same file system as this process."""

    def prepare(self) -> None:
        """Make room for the run, after what dead runs have left was removed; raise OutputError if there is none."""

    def fresh(self) -> str:
        """Return the path of a folder that is to be written, which is not there yet."""

    def complete(self, staged: str, name: str, content: Callable[[], bytes]) -> None:
        """Add a file to a folder that was written, if there is no file of records in it."""

    def publish(self, staged: str) -> None:
        """Put a folder that was written into the place."""

    def discard(self, staged: str) -> None: ...

    def close(self) -> None:
        """Remove what is not published."""


class RenamedPlace:
    """A place that gets a release by a rename.

    Parameters
    ----------
    files : Files
    output : str
    run : Run
    replace : bool
        Whether a release that is there may be replaced.
    """

    def __init__(self, files: Files, output: str, run: Run, *, replace: bool) -> None:
        self._files = files
        self._output = output.rstrip("/")
        self._folder, self._name = _split_path(self._output)
        self._replace = replace
        self._staging = _join_path(self._folder, PREFIX + run.name)
        self.marker = _join_path(self._staging, MARKER)
        self._content = json.dumps({"run": run.name, "output": self._name}).encode()
        self._written = 0

    def prepare(self) -> None:
        with _translate_write_errors(self._output):
            self._files.put(self.marker, self._content)
            self._remove_dead()
            self._require_free()

    def fresh(self) -> str:
        self._written += 1
        return _join_path(self._staging, f"release-{self._written}")

    def complete(self, staged: str, name: str, content: Callable[[], bytes]) -> None:
        with _translate_write_errors(self._output):
            _add_missing_file(self._files, staged, name, content)

    def publish(self, staged: str) -> None:
        with _translate_write_errors(self._output):
            if SUCCESS not in self._files.names(staged):
                self._files.put(_join_path(staged, SUCCESS), b"")
            self._require_free()
            old = _join_path(self._staging, _OLD)
            if self._files.exists(self._output):
                self._files.move(self._output, old)
            try:
                self._files.move(staged, self._output)
            except BaseException:
                self._settle(self._staging, self._output)
                raise

    def discard(self, staged: str) -> None:
        with _translate_write_errors(self._output):
            self._files.remove(staged)

    def close(self) -> None:
        with _translate_write_errors(self._output):
            if self._files.exists(self._staging):
                self._settle(self._staging, self._output)
                self._files.remove(self._staging)

    def _require_free(self) -> None:
        """Refuse an output that exists, unless it is a release that may be replaced."""
        if not self._files.exists(self._output):
            return
        if not self._replace:
            raise _make_exists_error(self._output)
        names = self._files.names(self._output)
        if not self._files.is_folder(self._output) or (names and SUCCESS not in names):
            raise _make_release_error(self._output)

    def _remove_dead(self) -> None:
        now = self._files.find_newest_change(self._staging)
        for name in self._files.names(self._folder):
            run = Run.named(name.removeprefix(PREFIX)) if name.startswith(PREFIX) else None
            staging = _join_path(self._folder, name)
            if run is None or staging == self._staging or not self._files.is_folder(staging):
                continue
            # Another run may remove it at the same time.
            with suppress(OSError):
                if run.is_dead(now - self._files.find_newest_change(staging)):
                    self._remove_dead_run(staging, run)

    def _remove_dead_run(self, staging: str, run: Run) -> None:
        """Remove the folder of a dead run; an old release that it was just replacing gets back into its place."""
        try:
            found = json.loads(self._files.read(_join_path(staging, MARKER)))
            known = found["run"] == run.name and "/" not in found["output"]
        except (OSError, ValueError, KeyError, TypeError):
            # Nobody knows whose it is.
            return
        if known:
            self._settle(staging, _join_path(self._folder, found["output"]))
            self._files.remove(staging)

    def _settle(self, staging: str, output: str) -> None:
        """Put an old release back, if none has come into its place."""
        old = _join_path(staging, _OLD)
        if self._files.exists(old) and not self._files.exists(output):
            self._files.move(old, output)


class StoredPlace:
    """A place in an object store; parameters as those of `RenamedPlace`."""

    def __init__(self, files: Files, output: str, run: Run, *, replace: bool) -> None:
        self._files = files
        self._output = output.rstrip("/")
        self._run = run
        self._replace = replace
        self._written = 0
        self._published = ""
        self.marker = ""

    def prepare(self) -> None:
        with _translate_write_errors(self._output):
            current = self._find_current_folder()
            for name in self._files.names(self._output):
                run = self._run_of(name)
                if run is None or name == current:
                    continue
                folder = _join_path(self._output, name)
                # An object store has no clock but that of its objects, and its folders may have no time.
                if run.is_dead(0):
                    self._files.remove(folder)
            self._require_free()

    def fresh(self) -> str:
        self._written += 1
        return _join_path(self._output, f"{_RUN_FOLDER}{self._run.name}-{self._written}")

    def complete(self, staged: str, name: str, content: Callable[[], bytes]) -> None:
        with _translate_write_errors(self._output):
            _add_missing_file(self._files, staged, name, content)

    def publish(self, staged: str) -> None:
        name = _split_path(staged)[1]
        with _translate_write_errors(self._output):
            self._require_free()
            before = self._find_current_folder()
            self._files.put(_join_path(staged, SUCCESS), b"")
            manifest = {"folder": name, "files": self._files.names(staged)}
            self._files.put(_join_path(self._output, MANIFEST), json.dumps(manifest).encode())
            # From here on readers see it.
            self._published = name
            self._files.put(_join_path(self._output, SUCCESS), b"")
            if before and before != name:
                self._files.remove(_join_path(self._output, before))

    def discard(self, staged: str) -> None:
        with _translate_write_errors(self._output):
            self._files.remove(staged)

    def close(self) -> None:
        with _translate_write_errors(self._output):
            for number in range(1, self._written + 1):
                name = f"{_RUN_FOLDER}{self._run.name}-{number}"
                if name not in {self._published, self._find_current_folder()}:
                    self._files.remove(_join_path(self._output, name))

    def _find_current_folder(self) -> str:
        """Return the folder that the manifest names; empty if there is no manifest."""
        if MANIFEST not in self._files.names(self._output):
            return ""
        try:
            return str(json.loads(self._files.read(_join_path(self._output, MANIFEST)))["folder"])
        except (ValueError, KeyError, TypeError):
            raise _make_release_error(self._output) from None

    def _require_free(self) -> None:
        others = [name for name in self._files.names(self._output) if self._run_of(name) is None]
        if not others:
            return
        if not self._replace:
            raise _make_exists_error(self._output)
        if not {MANIFEST, SUCCESS} >= set(others):
            raise _make_release_error(self._output)

    @staticmethod
    def _run_of(name: str) -> Run | None:
        if not name.startswith(_RUN_FOLDER):
            return None
        return Run.named(name.removeprefix(_RUN_FOLDER).rpartition("-")[0])


def _add_missing_file(files: Files, staged: str, name: str, content: Callable[[], bytes]) -> None:
    if all(found[0] in "._" for found in files.names(staged)):
        files.put(_join_path(staged, name), content())


@contextmanager
def _translate_write_errors(output: str) -> Iterator[None]:
    """Tell what the system says against writing there."""
    try:
        yield
    except FileExistsError as error:
        raise _make_exists_error(output) from error
    except OSError as error:
        raise OutputError(f"{output} cannot be written: {error.strerror or 'the system refuses it'}.") from error


def _make_exists_error(output: str) -> OutputError:
    return OutputError(f"{output} exists already. Name another output, or replace it with {name_replacing()}.")


def _make_release_error(output: str) -> OutputError:
    found = f"{quote(output)} is to be replaced, but does not look like a release: there is no {SUCCESS}, or more."
    return OutputError(f"{found} Check what it is, and name another output.")
