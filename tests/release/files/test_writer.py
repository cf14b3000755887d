"""Writing: what a file holds."""

import csv
import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.amounts import times
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from sqlalchemy import column, select, table

from toolbox.config.model import Input, Limits
from toolbox.errors import InputError
from toolbox.queries.dialect import list_whole_numbers
from toolbox.release.checksum import BackgroundChecksum, compute_sha256
from toolbox.release.files.part import Notation, Part, restore_texts
from toolbox.release.release import build_part_path, write_part
from toolbox.release.returned import to_arrow
from toolbox.store.engine.store import Store
from toolbox.store.input.text import DelimitedSource

pytestmark = pytest.mark.sampled(2)

ROWS = [("1", "a,b", None), ("2", 'say "hi"', ""), ("3", "two\nlines", "NULL"), ("4", " x ", "|")]


def part(store: Store, *rows: tuple[str | None, ...], headers: tuple[str, ...] = ("id", "text", "more")) -> Part:
    """Make a part of rows of text."""
    columns = {f"c{position}": (str, list(values)) for position, values in enumerate(zip(*rows, strict=True))}
    table = store.create_constant("rows", columns)
    return Part(suffix="", headers=headers, rows=select(table))


def written(store: Store, given: Part, name: str = "out.csv", *, separator: str = ",", header: bool = True) -> bytes:
    path = store.folder / name
    write_part(store, given, path, Notation(separator), header=header)
    return path.read_bytes()


# Delimited text


def test_values_are_quoted_where_they_must_be_and_missing_is_not_empty(store: Store) -> None:
    assert written(store, part(store, *ROWS)).decode() == (
        'id,text,more\n1,"a,b",\n2,"say ""hi""",""\n3,"two\nlines",NULL\n4, x ,|\n'
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
@pytest.mark.parametrize("separator", [",", "·"])
@pytest.mark.parametrize("threads", [1, 2])
def test_many_numbered_texts_are_written_in_the_order_of_the_part(
    threads: int, separator: str, name: str, tmp_path: Path
) -> None:
    """100,000 records, which several threads could write in another order; a null is an empty field."""
    with Store(tmp_path, Limits(threads=threads)) as store:
        texts = store.create_constant("texts", {"n": (int, [0, 1, 2]), "text": (str, ["a b", None, '"{a,b}"'])})
        piece = store.copy_with_enumerations(texts, ["text"])
        record = list_whole_numbers(0, 100_000)
        joined = record.join(piece, piece.c.n == record.c.number % 3)
        place = record.c.number * 7 % 100_000
        rows = select(piece.c.text.label("a"), record.c.number.label("b")).select_from(joined).order_by(place)
        found = written(
            store,
            Part(suffix="", headers=("a", "b"), rows=rows, notation=Notation(separator)),
            name,
            separator=separator,
        )
    text = (gzip.decompress(found) if name.endswith("gz") else found).decode()
    inverse = pow(7, -1, 100_000)
    expected = [(("a b", "", '"{a,b}"')[n % 3], n) for n in (place * inverse % 100_000 for place in range(100_000))]
    assert text == f"a{separator}b\n" + "".join(f"{shown}{separator}{n}\n" for shown, n in expected)


def test_a_header_is_written_only_where_the_input_has_one(store: Store) -> None:
    assert written(store, part(store, ("1", "x", "y")), header=False) == b"1,x,y\n"


@pytest.mark.parametrize("headers", [("a", "A", "a"), ("group", "group", "x"), ("a", "a_2", "A")])
def test_headers_that_the_engine_takes_for_one_stay_as_they_are(store: Store, headers: tuple[str, ...]) -> None:
    assert written(store, part(store, ("1", "x", None), headers=headers)).decode() == ",".join(headers) + "\n1,x,\n"


@pytest.mark.parametrize("name", ["100%", "", 'say "hi"', "a,b", "select", "two\nlines", "it's", ":x", "🦆"])
def test_any_header_is_written_as_it_is(store: Store, name: str) -> None:
    content = written(store, part(store, ("1", "x", "y"), headers=("id", name, "more"))).decode()
    assert next(csv.reader(content.splitlines(keepends=True))) == ["id", name, "more"]


@pytest.mark.parametrize("separator", [";", "\t", "|", "'", "%", ":", "\\", "ä", "||", "::::", "#-----#", "%s"])
def test_what_is_written_with_any_separator_is_read_again(store: Store, separator: str, tmp_path: Path) -> None:
    rows = [*ROWS, ("5", f"x{separator}y", separator), ("6", separator[0], f"{separator[:-1]}x"), ("7", "100%", "'")]
    (tmp_path / "out.csv").write_bytes(written(store, part(store, *rows), separator=separator))
    with Store(tmp_path) as other:
        source = DelimitedSource(Input(path=tmp_path / "out.csv", separator=separator, header=True), other)
        assert source.headers == ("id", "text", "more")
        assert other.rows(select(source.relation())) == rows


_VALUE = st.none() | st.text(st.sampled_from("ab|:;\"\n é%'"), max_size=4)


@settings(max_examples=times(6, slow=30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.just("-"), _VALUE, _VALUE), min_size=1, max_size=4),
    st.sampled_from(["|", "||", "|:|", "ab|;:a"]),
)
def test_values_come_back_whatever_they_and_the_separator_are(
    store: Store, tmp_path: Path, rows: list[tuple[str | None, ...]], separator: str
) -> None:
    (tmp_path / "out.csv").write_bytes(written(store, part(store, *rows), separator=separator))
    with Store(tmp_path) as other:
        source = DelimitedSource(Input(path=tmp_path / "out.csv", separator=separator, header=True), other)
        assert other.rows(select(source.relation())) == rows


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(("separator", "headers"), [(",", ("n",)), (",", ("n", "N")), ("||", ("n", "m"))])
def test_many_rows_keep_their_order_below_their_header(
    own_store: Store, separator: str, headers: tuple[str, ...]
) -> None:
    count = 300_000
    name = own_store.register("numbers", pa.table({"n": range(count)}))
    numbers = table(name, column("n"))
    rows = select(*(numbers.c.n.label(f"c{position}") for position, _ in enumerate(headers)))
    lines = written(own_store, Part(suffix="", headers=headers, rows=rows), separator=separator).decode().split("\n")
    assert lines == [separator.join(headers), *(separator.join([str(n)] * len(headers)) for n in range(count)), ""]


def test_pieces_of_records_are_joined_whatever_the_engine_takes(store: Store) -> None:
    # The engine takes separators of one byte, and no two names that differ in case alone.
    for separator, names in [(",", "ab"), (",", "C"), ("ä", "ab"), ("::", "ab"), ("|:|:|", "ab")]:
        notation = Notation(separator, passes_plain=True)
        # Nothing is quoted again: what passes through plain could not need it.
        columns = {"age": (str, ["[1:2]", None]), "town": (str, [None, 'a "b"'])}
        rows = select(store.create_constant("rows", columns)).order_by("age")
        pieces = restore_texts(rows, notation, [names, ["c"]], [0])
        path = store.folder / "out.csv"
        write_part(
            store, Part(suffix="", headers=(*names, "c"), rows=pieces, notation=notation), path, notation, header=True
        )
        lines = [separator.join([*names, "c"]), f"[1:2]{separator}", f'{separator}a "b"']
        assert path.read_text().splitlines() == lines


# Parquet and Arrow


def test_parquet_keeps_types_values_and_order(store: Store) -> None:
    table = store.create_constant("rows", {"n": (int, [3, None, 1]), "s": (str, ["x", None, ""])})
    write_part(
        store,
        Part(suffix="", headers=("a b", "100%"), rows=select(table)),
        store.folder / "o.parquet",
        Notation(","),
        header=False,
    )
    assert parquet.read_table(store.folder / "o.parquet").to_pydict() == {"a b": [3, None, 1], "100%": ["x", None, ""]}


def test_parquet_numbers_headers_that_would_be_one_name(store: Store) -> None:
    written(store, part(store, ("1", "x", "y"), headers=("a", "A", "a_2")), "o.parquet")
    names = parquet.read_schema(store.folder / "o.parquet").names
    assert len({name.casefold() for name in names}) == 3
    assert (names[0], names[1]) == ("a", "A_2")


def test_arrow_keeps_headers_that_are_one_name(store: Store) -> None:
    table = to_arrow(store, part(store, ("1", "x", "y"), headers=("a", "A", "a")))
    assert (table.schema.names, [column.to_pylist() for column in table.columns]) == (
        ["a", "A", "a"],
        [["1"], ["x"], ["y"]],
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("o/r.csv", "r_QIT.csv"),
        ("o.d/r", "r_QIT"),
        ("o/r.csv.gz", "r_QIT.csv.gz"),
        ("o/.r", ".r_QIT"),
        ("o/r.parquet", "r_QIT.parquet"),
    ],
)
def test_the_name_of_a_part_goes_before_the_extension_of_the_file_name(path: str, name: str) -> None:
    assert build_part_path(Path(path), Part(suffix="_QIT", headers=(), rows=select())) == Path(path).with_name(name)


# Rejects and checksums


def test_the_checksum_is_that_of_the_standard(tmp_path: Path) -> None:
    """FIPS 180-2, appendix B.1."""
    (tmp_path / "abc").write_bytes(b"abc")
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert compute_sha256(tmp_path / "abc") == expected
    assert BackgroundChecksum([tmp_path / "abc"]).result() == expected


def test_of_several_files_each_has_its_checksum(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("one", "two")]
    for path in paths:
        path.write_bytes(path.name.encode())
    assert BackgroundChecksum(paths).result() == {str(path): compute_sha256(path) for path in paths}


def test_a_file_that_can_no_longer_be_read_has_no_checksum(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent could not be read again: No such file or directory\."):
        BackgroundChecksum([tmp_path / "absent"]).result()
