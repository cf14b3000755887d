"""The file system of a release: of this machine, or one of Hadoop's by the Java machine of classic Spark."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from toolbox.engines.spark.session import OpenSparkSession

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


def join_path(folder: str, *names: str) -> str:
    """Return the path of what lies in a folder."""
    return "/".join((folder.rstrip("/"), *names))


def split_path(path: str) -> tuple[str, str]:
    """Return the folder of a path, and its name there."""
    folder, _, name = path.rstrip("/").rpartition("/")
    return folder or "/", name
