"""Several files are one table: the release is that of one file, and whatever is wrong names the file."""

import gzip
import hashlib
import os
import resource
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from helpers import in_order
from helpers.amounts import times
from helpers.hostile import Run, configuration, files, write
from helpers.running import Finished, run_in_process
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import toolbox

pytestmark = pytest.mark.sampled(2)

QID = "<att name='a' type='category'/>"
Anonymise = Callable[..., Finished]

__all__ = ["Run"]


def zstd(content: bytes) -> bytes:
    return bytes(pa.Codec("zstd").compress(content, asbytes=True))


def run(folder: Path, inputs: Sequence[str], *arguments: str, config: str | None = None) -> Finished:
    path = write(folder / "c.xml", configuration(QID) if config is None else config)
    named = [part for name in inputs for part in ("-input", folder / name)]
    return run_in_process("-config", path, "--json", *named, *arguments)


def release(folder: Path, inputs: Sequence[str], *arguments: str, config: str | None = None) -> str:
    run(folder, inputs, *arguments, config=config).succeeded()
    return (folder / "out.csv").read_bytes().decode()


def refusal(folder: Path, inputs: Sequence[str], *arguments: str, config: str | None = None) -> str:
    """Return what is said of a wrong input, which leaves no file behind."""
    before = set(files(folder)) | {"c.xml"}
    done = run(folder, inputs, *arguments, config=config)
    assert (done.status, set(files(folder))) == (4, before)
    return done.document["error"]["message"].replace(f"{folder}/", "")


@pytest.mark.slow
def test_the_records_stand_in_the_order_of_the_files(tmp_path: Path) -> None:
    for number in (1, 2, 10):
        write(tmp_path / f"part-{number}.csv", f"a,b\nx,{number}.1\nx,{number}.2\n")
    assert release(tmp_path, ["part-*.csv"]) == "a,b\nx,1.1\nx,1.2\nx,2.1\nx,2.2\nx,10.1\nx,10.2\n"
    assert release(tmp_path, ["part-10.csv", "part-1.csv"]) == "a,b\nx,10.1\nx,10.2\nx,1.1\nx,1.2\n"


@pytest.mark.slow
def test_classes_reach_over_files(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\nx,1\ny,2\n")
    write(tmp_path / "2.csv", "a,b\ny,3\nx,4\n")
    assert release(tmp_path, ["1.csv", "2.csv"]) == "a,b\nx,1\ny,2\ny,3\nx,4\n"


@pytest.mark.slow
def test_every_file_may_have_a_form_of_its_own(tmp_path: Path) -> None:
    write(tmp_path / "0.csv", "a,b\nx,0\n")
    write(tmp_path / "1.csv", "a,b\r\nx,1\r\n")
    write(tmp_path / "2.csv", "a,b\rx,2\r")
    write(tmp_path / "3.csv", gzip.compress(b"a,b\nx,3"))
    write(tmp_path / "4.csv.gz", zstd(b"a,b\nx,4\n"))
    write(tmp_path / "5.csv", b"\xef\xbb\xbfa,b\nx,5\n")
    write(tmp_path / "6.csv", '\n\n"a","b"\n"x","6"\n')
    write(tmp_path / "7.csv", "a,b\nx,7\r\nx,7\n")
    write(tmp_path / "8.csv", "a,b\n")
    write(tmp_path / "9.csv.zst", zstd(b"a,b\nx,9\n") + zstd(b"x,9\n"))
    expected = "a,b\n" + "".join(f"x,{number}\n" for number in "01234567799")
    assert release(tmp_path, ["[0-9].csv*"], "--threads", "2") == expected


@pytest.mark.slow
def test_files_without_header_follow_each_other(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / f"{number}.data", f"x,{number}\n")
    config = configuration("<att index='0' type='category'/>", given="")
    assert release(tmp_path, ["*.data"], config=config) == "x,0\nx,1\nx,2\n"


@pytest.mark.slow
def test_long_separators_and_other_encodings_are_read_in_every_file(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / f"{number}.csv", f"a::::::b\nö::::::{number}\n".encode("latin-1"))
    config = configuration(QID, given="header='true' encoding='latin-1' separator='::::::'")
    assert release(tmp_path, ["*.csv"], config=config) == "a::::::b\nö::::::0\nö::::::1\nö::::::2\n"


@pytest.mark.slow
def test_the_configuration_may_name_them(tmp_path: Path) -> None:
    for number in range(4):
        write(tmp_path / f"{number}.csv", f"a,b\nx,{number}\n")
    config = configuration(QID).replace(
        "<input filename=\"in.csv\" header='true'/>",
        "<input filename='3.csv' header='true'><file name='[01].csv'/><file name='2.csv'/></input>",
    )
    assert release(tmp_path, [], config=config) == "a,b\nx,3\nx,0\nx,1\nx,2\n"


@pytest.mark.slow
def test_python_takes_them_too(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{number}.csv", f"a,b\nx,{number}\n") for number in range(3)]
    write(tmp_path / "c.xml", configuration(QID))
    result = in_order.anonymize(toolbox.load_config(tmp_path / "c.xml", input=paths, split_size="0.008KB"))
    assert result.release["b"].tolist() == ["0", "1", "2"]
    assert len(result.summary.release) == 3


HOSTILE = ("a,b", "it's", 'say "hi"', "two\nlines", "Ärzte 🦆", "%s{}", "a[1]", "b*", "c?", "d\\e", " ")


@pytest.mark.slow
def test_hostile_names_are_read(tmp_path: Path) -> None:
    for place, name in enumerate(HOSTILE):
        (tmp_path / name).mkdir()
        for number in (1, 2):
            write(tmp_path / name / f"{name}-{number}.csv", f"a,b\nx,{place}.{number}\n")
    expected = "a,b\n" + "".join(f"x,{place}.1\nx,{place}.2\n" for place in range(len(HOSTILE)))
    assert release(tmp_path, HOSTILE) == expected
    assert release(tmp_path, [f"{name}/*-*.csv" for name in HOSTILE]) == expected


@pytest.mark.slow
def test_each_file_has_its_digest_and_one_alone_has_one(tmp_path: Path) -> None:
    contents = {str(tmp_path / f"{number}.csv"): f"a\nx{'x' * number}\n" for number in (1, 2)}
    for path, content in contents.items():
        write(Path(path), content)
    digests = {path: hashlib.sha256(content.encode()).hexdigest() for path, content in contents.items()}
    plain = ("--input-digest", "plain")
    assert run(tmp_path, ["1.csv", "2.csv"], *plain).succeeded().document["sha256"]["input"] == digests
    alone = run(tmp_path, ["1.csv"], "-k", "1", *plain).succeeded().document
    assert alone["sha256"]["input"] == digests[str(tmp_path / "1.csv")]


@pytest.mark.slow
def test_more_files_than_a_process_may_open_are_one_table(tmp_path: Path) -> None:
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    fewer = max(int(path.name) for path in Path("/dev/fd").iterdir()) + 100
    count = times(300, slow=2000)
    (tmp_path / "many").mkdir()
    for number in range(count):
        write(tmp_path / "many" / f"{number}.csv", f"a,b\nx,{number}\n")
    resource.setrlimit(resource.RLIMIT_NOFILE, (fewer, most))
    try:
        released = release(tmp_path, ["many"])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    assert released == "a,b\n" + "".join(f"x,{number}\n" for number in range(count))


# Parquet


def table(**columns: object) -> bytes:
    sink = BytesIO()
    parquet.write_table(pa.table(columns), sink)
    return sink.getvalue()


@pytest.mark.slow
def test_a_folder_of_parquet_is_a_table_and_its_keys_are_no_columns(tmp_path: Path) -> None:
    for year in (9, 10):
        (tmp_path / "d" / f"year={year}").mkdir(parents=True)
        for number in range(2):
            content = table(a=["x"], year=[f"{year}.{number}"])
            write(tmp_path / "d" / f"year={year}" / f"{number}.parquet", content)
    write(tmp_path / "d/_SUCCESS", "")
    assert release(tmp_path, ["d"]) == "a,year\nx,9.0\nx,9.1\nx,10.0\nx,10.1\n"


@pytest.mark.slow
def test_whole_numbers_of_any_width_and_columns_without_values_are_one_column(tmp_path: Path) -> None:
    write(tmp_path / "0.parquet", table(a=pa.nulls(1), A=pa.array([1], pa.int32())))
    write(tmp_path / "1.parquet", table(a=["x"], A=pa.array([2**40], pa.int64())))
    write(tmp_path / "2.parquet", table(a=pa.array(["x"]).dictionary_encode(), A=pa.nulls(1)))
    config = configuration(QID, given="onMissing='keep'", root="k='1'")
    assert release(tmp_path, ["*.parquet"], config=config) == f"a,A\n?,1\nx,{2**40}\nx,\n"


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"a": ["x"]}, "2.parquet: it has 1 column, but 1.parquet has 2. "),
        ({"b": [1], "a": ["x"]}, "2.parquet: its columns are in another order than those of 1.parquet. "),
        ({"a": ["x"], "B": [1]}, "2.parquet: column 2 is not called 'b', as in 1.parquet. "),
        ({"a": ["x"], "b": [1.5]}, "2.parquet: the column 'b' is of type double, but in 1.parquet of type int64. "),
        ({"a": ["x"], "b": ["1"]}, "2.parquet: the column 'b' is of type string, but in 1.parquet of type int64. "),
    ],
)
def test_parquet_files_have_the_same_columns(tmp_path: Path, other: dict[str, object], message: str) -> None:
    write(tmp_path / "1.parquet", table(a=["x"], b=[1]))
    write(tmp_path / "2.parquet", table(**other))
    assert refusal(tmp_path, ["1.parquet", "2.parquet"]).startswith(message)


def test_a_damaged_parquet_file_is_named(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / f"{number}.parquet", table(a=["x"] * 3000, b=[f"{i * 7919 % 3001:x}" for i in range(3000)]))
    whole = (tmp_path / "1.parquet").read_bytes()
    write(tmp_path / "1.parquet", whole[:2000] + bytes(range(255, 155, -1)) * 4 + whole[2400:])
    assert refusal(tmp_path, ["*.parquet"]) == "1.parquet is damaged and cannot be read. Get a complete copy."


def test_a_row_is_counted_in_its_file(tmp_path: Path) -> None:
    for number, values in enumerate((["1", "2"], [], ["3", "x", "4"])):
        write(tmp_path / f"{number}.parquet", table(a=pa.array(values, pa.string())))
    message = refusal(tmp_path, ["*.parquet"], config=configuration("<att name='a' type='number'/>", given=""))
    assert "column a: pattern 'a' (2.parquet, row 2) is no number." in message


# What is wrong


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("a,b,c\nx,1,2\n", "2.csv: it has 3 columns, but 1.csv has 2. "),
        ("b,a\n1,x\n", "2.csv: its columns are in another order than those of 1.csv. "),
        ("a,B\nx,1\n", "2.csv: column 2 is not called 'b', as in 1.csv. "),
        ("x,secret\nx,2\n", "2.csv: column 1 is not called 'a', as in 1.csv. "),
        ("", "2.csv is empty. Leave it out, or get a complete copy."),
        ("\n\n", "2.csv holds only empty lines. "),
        (b"a,b\nx,\xff\n", "2.csv, line 2: the text is not utf-8. "),
        ('a,b\nx,1\nx,"2\n', "2.csv, line 3: a quote opens here and never closes. "),
        (gzip.compress(b"a,b\n" + b"x,1\n" * 10000, mtime=0)[:-20], "2.csv is a damaged gzip file "),
        (zstd(b"a,b\n" + b"x,1\n" * 10000)[:-5], "2.csv is a damaged zstd file "),
        (
            gzip.compress(b"a,b\nx,1\n", mtime=0) + bytes(512),
            "2.csv cannot be read. Other bytes may follow the end ",
        ),
    ],
    ids=[
        *("width", "order", "name", "no header", "empty", "blank", "encoding", "open quote", "cut gzip", "cut zstd"),
        "gzip and zeros",
    ],
)
def test_what_is_wrong_with_one_of_them_names_it(tmp_path: Path, second: str | bytes, message: str) -> None:
    write(tmp_path / "1.csv", "a,b\nx,1\nx,2\n")
    write(tmp_path / "2.csv", second)
    write(tmp_path / "3.csv", "a,b\nx,1\n")
    found = refusal(tmp_path, ["1.csv", "2.csv", "3.csv"])
    assert found.startswith(message)
    assert "secret" not in found


def test_a_zstd_file_alone_may_be_damaged_too(tmp_path: Path) -> None:
    whole = zstd(b"a,b\n" + os.urandom(300_000).hex("\n", 4).encode().replace(b"\n", b",1\n") + b",1\n")
    for cut in (3, 1000, len(whole) // 2, len(whole) - 1):
        write(tmp_path / "in.csv", whole[:cut])
        assert refusal(tmp_path, [], "-k", "1") != ""
    write(tmp_path / "in.csv", whole + b"more")
    assert "damaged zstd" in refusal(tmp_path, [], "-k", "1")


def test_without_a_header_columns_are_counted(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "x,1\n")
    write(tmp_path / "2.csv", "x,1,secret\n")
    config = configuration("<att index='0' type='category'/>", given="")
    message = refusal(tmp_path, ["1.csv", "2.csv"], config=config)
    assert message.startswith("2.csv: it has 3 columns, but 1.csv has 2. ")


def test_faulty_values_are_found_in_their_files(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a\n1\n2\n")
    write(tmp_path / "2.csv", "a\nx\n3\nyy\n")
    write(tmp_path / "3.csv", gzip.compress(b"a\n4\nz\n"))
    message = refusal(tmp_path, ["1.csv", "2.csv", "3.csv"], config=configuration("<att name='a' type='number'/>"))
    assert "column a: pattern 'a', 'aa' (2.csv, lines 2, 4; 3.csv, line 3) is no number." in message


def test_missing_values_are_found_in_their_files(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\nx,1\n")
    write(tmp_path / "2.csv", "a,b\n?,2\nx,2\n,3\n")
    config = configuration(QID, given="header='true' onMissing='fail'")
    assert "column a: missing (2.csv, lines 2, 4)" in refusal(tmp_path, ["1.csv", "2.csv"], config=config)


@pytest.mark.slow
def test_rejected_lines_are_told_with_their_files(tmp_path: Path) -> None:
    write(tmp_path / "10.csv", "a,b\nx,1\nonly\n")
    write(tmp_path / "9.csv", 'a,b\nx,"2\n3"\nx,2,3\nx,4\n')
    done = run(tmp_path, ["*.csv"], "--rejects", str(tmp_path / "rejected")).succeeded()
    assert done.document["first_rejected"] == [
        {"file": str(tmp_path / "9.csv"), "line": 4},
        {"file": str(tmp_path / "10.csv"), "line": 3},
    ]
    (note,) = (note for note in done.document["notes"] if "could not be read" in note)
    assert f"{tmp_path}/9.csv, line 4; {tmp_path}/10.csv, line 3. --rejects" in note
    assert (tmp_path / "rejected").read_text() == "x,2,3\nonly\n"
    assert (tmp_path / "out.csv").read_text() == 'a,b\nx,"2\n3"\nx,4\nx,1\n'


def test_nothing_that_is_no_table_is_read(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\nx,1\n")
    assert refusal(tmp_path, ["part-*"]) == "part-*: no file has a name of this pattern. Is the folder right?"
    assert (
        refusal(tmp_path, ["1.csv", "absent.csv"])
        == "absent.csv cannot be read: No such file or directory. Name a file that exists."
    )
    assert refusal(tmp_path, ["1.csv", "1.csv"]).startswith(
        "1.csv is named twice, so that its records would be doubled."
    )


def test_a_file_that_changes_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    from toolbox.config.model import Input
    from toolbox.store.input.files import InputFiles

    paths = [write(tmp_path / f"{number}.csv", "a\nx\n") for number in range(3)]
    found = InputFiles(Input(path=tmp_path / "*.csv", header=True))
    found.require_unchanged()
    write(paths[2], "a\nx\ny\n")
    with pytest.raises(toolbox.InputError, match=r"2\.csv changed while it was read\."):
        found.require_unchanged()


# Invariant

FIELDS = st.sampled_from(["1", "2", "30", "x", "", "a b", "a,b", 'say "hi"', "two\nlines", "é", "?"])
FORMS = st.sampled_from(["plain", "gzip", "zstd"])
HARD = [("x", 'say "hi"', "two\nlines"), ("", "a,b", "é"), ("?", "", "1"), ("a b", "two\nlines", "")] * 3


def text(rows: Sequence[tuple[str, str, str]]) -> bytes:
    quoted = ([f'"{value.replace(chr(34), chr(34) * 2)}"' for value in row] for row in rows)
    return "".join(f"{','.join(row)}\n" for row in (["a", "b", "c"], *quoted)).encode()


@pytest.mark.slow
@settings(max_examples=times(1, slow=12), deadline=None)
@example(rows=HARD, cuts=[(0, "gzip"), (2, "zstd"), (5, "gzip"), (5, "plain"), (9, "plain")])
@given(
    rows=st.lists(st.tuples(FIELDS, FIELDS, FIELDS), min_size=1, max_size=30),
    cuts=st.lists(st.tuples(st.integers(0, 30), FORMS), max_size=6),
)
def test_a_table_cut_into_files_gives_the_same_release(
    rows: list[tuple[str, str, str]], cuts: list[tuple[int, str]]
) -> None:
    pack = {"plain": bytes, "gzip": gzip.compress, "zstd": zstd}
    ends = [*sorted((min(cut, len(rows)), form) for cut, form in cuts), (len(rows), "plain")]
    config = configuration(QID, root="k='1'", given="header='true' onMissing='keep'")
    with TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "whole.csv", text(rows))
        begin = 0
        for number, (end, form) in enumerate(ends):
            write(folder / f"part-{number}", pack[form](text(rows[begin:end])))
            begin = end
        whole = release(folder, ["whole.csv"], config=config)
        assert release(folder, ["part-*"], config=config) == whole
