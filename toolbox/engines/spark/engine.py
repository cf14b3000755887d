"""Spark as an engine: records stay on the cluster, which counts, recodes, writes and recounts them.

Classic Spark, Spark Connect, Databricks and Sail run the same code: nothing is used that one of them lacks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Final, Self

from toolbox.engines.engine import CountedRecords, CountRequest, RecordRecoding, Staged
from toolbox.engines.spark.counting import Columns, SparkCounter, SparkRelease, make_empty_file
from toolbox.engines.spark.input import (
    CSV,
    PARQUET,
    TABLE,
    Fingerprint,
    Reader,
    TextOptions,
    format_of,
    make_absolute_path,
)
from toolbox.engines.spark.places import (
    OBJECT_STORES,
    Files,
    HadoopFiles,
    LocalFiles,
    ReleasePlace,
    RenamedPlace,
    Run,
    StoredPlace,
    find_local_path,
    find_scheme,
)
from toolbox.engines.spark.session import OpenSparkSession, open_session, raise_own_errors, silence_messages
from toolbox.errors import InputError, OutputError, SettingError, UsageError
from toolbox.messages import hide_passwords

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType

    import pyarrow as pa
    from pyspark.sql import DataFrame

COMBINATIONS: Final = "combinations"
_SECONDS_TO_CLEAN: Final = 120


class Spark:
    """A cluster, or one machine, that runs Spark; an `Engine`, used as a context manager.

    Parameters
    ----------
    url : str
        ``local[4]``, ``spark://host:7077`` or ``yarn`` for classic Spark; ``sc://host:15002`` for a server of Spark
        Connect.
    input : str
        A path or URI that Spark reads, such as ``s3a://bucket/people/``; with the format ``table`` the name of a table.
    format : str, optional
        ``parquet``, ``csv``, ``orc``, ``delta`` or ``table``; None: what the ending of the input says, else Parquet.
    output : str
        The folder of the release; its files are delimited text if it ends so, otherwise Parquet.
    replace : bool
        Whether a release that is there may be replaced.
    options : TextOptions, optional
        How delimited text is read and written.
    settings : mapping of str to str, optional
        Settings of Spark, such as ``spark.executor.memory``; and ``combinations``, how many are fetched at most.

    Attributes
    ----------
    most : int or None
        The setting ``combinations``, which takes the place of `CountRequest.most`.
    """

    keeps_order = False
    counts_persons = True

    def __init__(
        self,
        url: str,
        *,
        input: str,  # noqa: A002
        format: str | None = None,  # noqa: A002
        output: str,
        replace: bool = False,
        options: TextOptions | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        given = dict(settings or {})
        self.most = _number(given.pop(COMBINATIONS, None))
        self.name = hide_passwords(input)
        self._url = url
        self._settings = given
        self._kind = format_of(input, format)
        self._input = input if self._kind == TABLE else make_absolute_path(input)
        self._output = make_absolute_path(output)
        self._output_kind = CSV if format_of(output) == CSV else PARQUET
        self._options = options or TextOptions()
        self._replace = replace
        self._run = Run.new()
        self._headers: dict[str, list[str]] = {}
        self._opened: OpenSparkSession | None = None
        self._place: ReleasePlace | None = None
        self._counter: SparkCounter | None = None
        self._before: Fingerprint = frozenset()
        self._silence: AbstractContextManager[None] = silence_messages()

    def __enter__(self) -> Self:
        self._silence.__enter__()
        try:
            self._opened = open_session(self._url, self._settings)
            self._opened.spark.addTag(self._run.name)
        except BaseException:
            self._silence.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._clean()
            else:
                # The connection of this thread may still wait for the answer that was interrupted.
                cleaner = Thread(target=self._clean_after, daemon=True)
                cleaner.start()
                cleaner.join(_SECONDS_TO_CLEAN)
        finally:
            self._silence.__exit__(None, None, None)

    def schema(self) -> pa.Schema:
        """Return names and types of the columns of the input."""
        counter = self._count_input_records()
        with raise_own_errors("schema", self.name):
            return counter.records.limit(0).toArrow().schema

    def count(self, request: CountRequest) -> CountedRecords:
        """Count the records of the input."""
        counter = self._count_input_records()
        with raise_own_errors("count", self.name):
            return counter.count(self._limit_combinations(request))

    def _limit_combinations(self, request: CountRequest) -> CountRequest:
        return request if self.most is None else replace(request, most=self.most)

    def write(self, recoding: RecordRecoding) -> Staged:
        """Write the release into a folder that no reader looks at."""
        counter = self._count_input_records()
        with raise_own_errors("write", self.name):
            records = SparkRelease(counter, self._output_kind == CSV).records(recoding)
            headers = [*(column.header for column in recoding.columns), *filter(None, [recoding.person])]
            return self._written(records, headers)

    def _written(self, records: DataFrame, headers: list[str]) -> Staged:
        """Write records into a folder of their own."""
        place = self._prepare_place()
        staged = place.fresh()
        self._headers[staged] = headers
        options = self._options.list_write_options() if self._output_kind == CSV else {}
        records.write.format(self._output_kind).options(**options).save(staged)
        # Sail writes no file where there are no records, and nobody would know the columns.
        place.complete(staged, f"part-00000.{self._output_kind}", lambda: self._make_empty_file(records))
        return Staged(staged)

    def recount(self, staged: Staged, request: CountRequest) -> CountedRecords:
        """Count what was written; in delimited text a null is the empty text."""
        with raise_own_errors("recount", staged.name):
            return self._read_back(staged).count(self._limit_combinations(request))

    def _read_back(self, staged: Staged) -> SparkCounter:
        reader = Reader(self._session.spark, staged.name, self._output_kind, self._options, "The written release")
        records = reader.records()
        if self._output_kind == CSV:
            records = records.toDF(*self._headers[staged.name])
        return self._counted(records, reader)

    def remove_column(self, staged: Staged, header: str) -> Staged:
        """Write all other columns into another folder, and remove the old one."""
        with raise_own_errors("write", self.name):
            counter, headers = self._read_back(staged), [each for each in self._headers[staged.name] if each != header]
            as_text = self._output_kind == CSV
            columns = [counter.columns.released(name, as_text=as_text).alias(name) for name in headers]
            written = self._written(counter.records.select(*columns), headers)
        self.discard(staged)
        return written

    def publish(self, staged: Staged) -> None:
        """Put the release in its place, if the input has not changed since it was counted."""
        reader = self._make_reader()
        with raise_own_errors("publish", self.name):
            if reader.fingerprint() != self._before:
                remedy = "Nothing was released. Run again when nothing writes to it."
                raise InputError(f"{self.name} changed while it was read. {remedy}")
        with raise_own_errors("publish", self.name):
            self._prepare_place().publish(staged.name)

    def discard(self, staged: Staged) -> None:
        """Remove a release that is not to be published."""
        with raise_own_errors("publish", self.name):
            self._prepare_place().discard(staged.name)

    def _make_empty_file(self, records: DataFrame) -> bytes:
        """Return a file with the columns of a release, and without a record."""
        return make_empty_file(records.limit(0).toArrow().schema, self._output_kind, self._options)

    @property
    def _session(self) -> OpenSparkSession:
        if self._opened is None:
            raise UsageError("The engine is not open. Use it as a context manager.")
        return self._opened

    def _count_input_records(self) -> SparkCounter:
        """Return the counter of the input, whose files were looked at before it."""
        if self._counter is None:
            self._prepare_place()
            reader = self._make_reader()
            with raise_own_errors("schema", self.name):
                self._before = reader.fingerprint()
                self._counter = self._counted(reader.records(), reader)
        return self._counter

    def _make_reader(self) -> Reader:
        return Reader(self._session.spark, self._input, self._kind, self._options, self.name)

    def _counted(self, records: DataFrame, reader: Reader) -> SparkCounter:
        types = {field.name: field.dataType for field in records.schema.fields}
        columns = Columns(
            types,
            self._session.functions,
            reader.name,
            is_connect=self._session.is_connect,
            reads_texts=reader.kind == CSV,
            writes_texts=self._output_kind == CSV,
        )
        return SparkCounter(self._session, records, columns, reader.name)

    def _prepare_place(self) -> ReleasePlace:
        """Return the place of the release; the first time room is made there."""
        if self._place is None:
            self._refuse_overlap()
            with raise_own_errors("staging", self.name):
                files, is_store = self._files()
                make: Callable[..., ReleasePlace] = StoredPlace if is_store else RenamedPlace
                place = make(files, self._output, self._run, replace=self._replace)
                self._place = place
                place.prepare()
                if self._session.is_connect:
                    self._require_shared(place.marker)
        return self._place

    def _files(self) -> tuple[Files, bool]:
        """Return the file system of the output, and whether it is an object store."""
        kind = find_scheme(self._output)
        if kind == "file" and ("file:" in self._output or self._session.is_local(self._output)):
            return LocalFiles(), False
        if self._session.is_connect:
            remedy = (
                "Name a folder that this machine and the server both see (a mounted one), or run on the cluster itself "
                "with classic Spark (spark://host:7077, yarn)."
            )
            found = f"A server of Spark Connect gives no hold of files at {kind}://, which publishing needs."
            raise OutputError(f"{hide_passwords(self._output)} cannot be the output. {found} {remedy}")
        return HadoopFiles(self._session, self._output), kind in OBJECT_STORES

    def _require_shared(self, marker: str) -> None:
        """Refuse a server that has another file system: the release could not be put in its place."""
        try:
            rows = self._session.spark.read.text(marker).toArrow().num_rows
        except Exception:
            rows = 0
        if rows != 1:
            remedy = "Name a folder that both see, or start the server on this machine."
            raise OutputError(f"The server of Spark Connect does not see {self._output} of this machine. {remedy}")

    def _refuse_overlap(self) -> None:
        if self._kind == TABLE:
            return
        read, written = _resolve_folder(self._input), _resolve_folder(self._output)
        if f"{read}/".startswith(f"{written}/") or f"{written}/".startswith(f"{read}/"):
            raise OutputError(f"{self._output} is the input, or one lies within the other. Name another output.")

    def _clean_after(self) -> None:
        """Clean up after an error, whose message shall not be hidden by another one."""
        try:
            # The server may be what has failed.
            self._session.set_retries(0)
            self._session.cancel(self._run.name)
            self._clean()
        except Exception:
            return

    def _clean(self) -> None:
        try:
            if self._place is not None:
                with raise_own_errors("publish", self.name):
                    self._place.close()
        finally:
            self._session.spark.removeTag(self._run.name)
            self._session.close()


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    if not str(text).isdecimal() or int(text) < 1:
        raise SettingError(COMBINATIONS, text, "how many combinations are fetched at most, a number above 0")
    return int(text)


def _resolve_folder(path: str) -> str:
    """Return the one name of a folder."""
    return os.path.realpath(find_local_path(path)) if find_scheme(path) == "file" else path.rstrip("/")
