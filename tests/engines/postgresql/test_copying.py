"""What a database copies out becomes Arrow, and Arrow what it copies in."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from toolbox.engines.postgresql.types import encode_copy_rows, read_copy_rows
from toolbox.errors import InputError

SCHEMA = pa.schema(
    [("n", pa.int64()), ("t", pa.string()), ("d", pa.date32()), ("m", pa.timestamp("us", "UTC")), ("b", pa.bool_())]
)


def test_null_and_empty_text_are_told_apart() -> None:
    table = read_copy_rows([b'1,"",,,\n', b"2,,0,-1,t\n", b'3,"NULL",-1,0,f\n'], SCHEMA, "people")
    assert table["t"].to_pylist() == ["", None, "NULL"]
    assert table["d"].cast(pa.int32()).to_pylist() == [None, 0, -1]
    assert table["m"].cast(pa.int64()).to_pylist() == [None, -1, 0]
    assert table["b"].to_pylist() == [None, True, False]


def test_signs_of_the_format_are_texts_within_quotes() -> None:
    text = 'a,"b"\nc\r\nd\r\\.\n\\N\t'
    quoted = b'1,"' + text.replace('"', '""').encode() + b'",,,\n'
    assert read_copy_rows([quoted, quoted], SCHEMA, "people")["t"].to_pylist() == [text, text]


def test_no_rows_are_a_table_without_rows() -> None:
    table = read_copy_rows([], SCHEMA, "people")
    assert (table.schema, table.num_rows) == (SCHEMA, 0)


def test_rows_that_are_more_than_one_part_stay_in_their_order() -> None:
    schema = pa.schema([("n", pa.int64()), ("t", pa.string())])
    blocks = [f'{number},"{"x" * 1_000}"\n'.encode() for number in range(10_000)]
    table = read_copy_rows(blocks, schema, "people")
    assert table["n"].to_pylist() == list(range(10_000))
    assert table["n"].num_chunks > 1


def test_a_decimal_is_not_rounded() -> None:
    schema = pa.schema([("n", pa.decimal128(38, 2))])
    table = read_copy_rows([b"999999999999999999999999999999999999.99\n", b"-0.01\n"], schema, "people")
    assert table["n"].to_pylist() == [Decimal("999999999999999999999999999999999999.99"), Decimal("-0.01")]


def test_floats_come_as_they_are() -> None:
    schema = pa.schema([("f", pa.float64()), ("g", pa.float32())])
    table = read_copy_rows([b"NaN,-Infinity\n", b"0.1,0.1\n", b"5e-324,3.4028235e+38\n", b",\n"], schema, "people")
    assert [repr(value) for value in table["f"].to_pylist()] == ["nan", "0.1", "5e-324", "None"]
    assert table["g"].to_pylist()[1:] == pa.array([0.1, 3.4028235e38, None], pa.float32()).to_pylist()


def test_columns_may_have_equal_names() -> None:
    schema = pa.schema([("n", pa.int64()), ("n", pa.date32())])
    assert read_copy_rows([b"1,2\n"], schema, "people").column(1).cast(pa.int32()).to_pylist() == [2]


def test_a_decimal_that_is_no_number_is_named_by_its_column_only() -> None:
    with pytest.raises(
        InputError, match=r"people: the column 'wage' .* casts the column to double precision"
    ) as caught:
        read_copy_rows([b"NaN\n"], pa.schema([("wage", pa.decimal128(5, 2))]), "people")
    assert caught.value.exit_status == 4


def test_bytes_that_are_no_text_are_not_shown() -> None:
    with pytest.raises(InputError, match="people: the database sent texts that are no UTF-8") as caught:
        read_copy_rows([b'"secret\xff"\n'], pa.schema([("t", pa.string())]), "people")
    assert "secret" not in str(caught.value)


def test_rows_are_copied_in_with_their_nulls_and_signs() -> None:
    table = pa.table({"n": pa.array([1, -(2**63)]), "t": [None, 'a\\b\nc\rd\te"\\N']})
    assert b"".join(encode_copy_rows(table)) == b'1\t\\N\n-9223372036854775808\ta\\\\b\\nc\\rd\\te"\\\\N\n'


def test_part_of_a_table_is_copied_in_alone() -> None:
    table = pa.table({"t": ["first", "second", "third"]}).slice(1, 1)
    assert b"".join(encode_copy_rows(table)) == b"second\n"


def test_a_table_without_rows_copies_nothing_in() -> None:
    assert b"".join(encode_copy_rows(pa.table({"t": pa.array([], pa.string())}))) == b""
