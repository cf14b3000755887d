"""What is read and written: names, formats, and that no file is written over another one of the run."""

import os
import socket
import stat
from decimal import Decimal
from pathlib import Path

import pytest

from toolbox.config.model import Portion
from toolbox.errors import ConfigurationError


@pytest.mark.parametrize(
    ("attributes", "name", "value"),
    [
        (r"separator='\t'", "separator", "\t"),
        ("separator='&#9;'", "separator", "\t"),
        ("separator='||'", "separator", "||"),
        ("separator=' '", "separator", " "),
        ("header='TRUE'", "header", True),
        ("header='yes'", "header", True),
        ("header='1'", "header", True),
        ("header='No'", "header", False),
        ("encoding='latin1'", "encoding", "iso8859-1"),
        ("missing='NA'", "missing", "NA"),
        ("onMissing='Keep'", "on_missing", "keep"),
    ],
)
def test_the_input_is_described(desk, attributes, name, value):
    assert getattr(desk.read(desk.with_input(f"filename='in.csv' {attributes}")).input, name) == value


def test_the_population_is_described_and_else_as_the_input(desk):
    text = desk.with_input("filename='in.csv' header='yes' missing='-' decimal=','")
    described = text.replace("<output", "<population filename='r.csv' separator=';' encoding='latin1'/><output")
    config = desk.read(described)
    assert config.population is not None
    assert config.population.path == desk.folder / "r.csv"
    assert (config.population.separator, config.population.guesses_separator) == (";", False)
    assert (config.population.header, config.population.encoding) == (True, "iso8859-1")
    assert (config.population.missing, config.population.decimal) == ("-", ",")
    assert desk.read(text).population is None
    by_option = desk.read(described, population="other.csv").population
    assert by_option is not None
    # What the element says belongs to its own file.
    assert (by_option.path, by_option.guesses_separator, by_option.encoding) == (Path("other.csv"), True, "utf-8")


def test_the_output_may_not_be_the_population(desk):
    text = desk.with_input("filename='in.csv'").replace("<output", "<population filename='out.csv'/><output")
    assert "same file as the population" in desk.fault(text)


def test_a_population_without_a_file_is_none(desk):
    text = desk.with_input("filename='in.csv'").replace("<output", "<population table='people'/><output")
    assert "The population has no filename." in desk.fault(text)


@pytest.mark.parametrize(
    ("attributes", "reason"),
    [
        ("separator=''", "separator='' is empty. Write the characters between two fields, such as a comma."),
        ("separator='&quot;'", "separator='\"' has a quote or a line break. Write other characters."),
        ("separator='&#10;'", r"separator='\n' has a quote or a line break. Write other characters."),
        ("header='maybe'", "header='maybe' is neither true nor false. Write true or false, or yes or no."),
        ("encoding='uft-8'", "encoding='uft-8' is an unknown encoding. Did you mean 'utf-8'? Write utf-8 or latin-1, say."),
        ("encoding='base64'", "encoding='base64' is an unknown encoding. Write utf-8 or latin-1, say."),
    ],
)  # fmt: skip
def test_a_wrong_description_is_reported(desk, attributes, reason):
    assert desk.fault(desk.with_input(f"filename='in.csv' {attributes}")) == f"line 1: {reason}"


@pytest.mark.parametrize("name", ["in.csv", "./in.csv", "config.xml", "ages.csv", "link.csv"])
def test_the_output_may_not_be_a_file_that_is_read(desk, name):
    desk.write("in.csv", "1\n")
    desk.write("ages.csv", "1;*\n2;*\n")
    (desk.folder / "link.csv").symlink_to(desk.folder / "in.csv")
    roles = {"config.xml": "configuration", "ages.csv": "hierarchy file"}
    text = (
        f"<config><input filename='in.csv'/>\n<output filename='{name}'/>"
        "<qid><att index='0'><vgh file='ages.csv'/></att></qid></config>"
    )
    assert desk.fault(text) == (
        f"line 2: The output is the same file as the {roles.get(name, 'input')}: {str(desk.folder / name)!r}. "
        "Write another path for the output."
    )


def test_the_two_tables_of_anatomy_may_not_be_written_over_the_input(desk):
    text = desk.with_qid("<att index='0'/>").replace("out.csv'", "in.x.csv' format='anatomy'")
    fault = desk.fault(text.replace("in.csv", "in.x_ST.csv"))
    assert fault.startswith("line 2: The output is the same file as the input: ")


@pytest.mark.parametrize("option", ["rejects", "report", "store"])
@pytest.mark.parametrize(
    ("name", "role"), [("in.csv", "input"), ("out.csv", "output"), ("config.xml", "configuration")]
)
def test_what_is_written_beside_the_release_may_not_be_another_file_of_the_run(desk, option, name, role):
    fault = desk.fault(desk.with_root(""), **{option: str(desk.folder / name)})
    assert "is the same file as" in fault
    assert role in fault
    assert f"--{option}" in fault


CHILD = (
    "<config><input filename='in.csv' header='yes'/>\n<output filename='out.csv'/>"
    "<person><att name='patient'/></person><qid><att name='age'/></qid><tables><table name='visits' "
    "filename='visits.csv'><qid><att name='ward'><vgh file='wards.csv'/></att></qid></table></tables></config>"
)


@pytest.mark.parametrize(
    ("name", "role"), [("wards.csv", "hierarchy file"), ("visits.csv", "table visits"), ("out_visits.csv", "")]
)
def test_nothing_is_written_over_a_file_of_a_child_table(desk, name, role):
    desk.write("wards.csv", "a;*\n")
    path = str(desk.folder / name)
    assert desk.fault(CHILD, report=path) == (
        f"The file of --report is the same file as the {role or 'release of table visits'}: {path!r}. "
        "Write another path for the file of --report."
    )


@pytest.mark.parametrize("name", ["out_visits-00001.csv", "out_visits-00017.csv"])
def test_nothing_is_named_like_a_piece_of_the_release_of_a_child_table(desk, name):
    desk.write("wards.csv", "a;*\n")
    path = str(desk.folder / name)
    assert desk.fault(CHILD, split_size="1MB", report=path) == (
        f"The file of --report is the same file as the piece of the release of table visits: {path!r}. "
        "Write another path for the file of --report."
    )
    desk.read(CHILD, report=path)
    desk.write(name, "patient\n1\n")
    assert desk.fault(CHILD.replace("'in.csv'", f"'{name}'"), split_size="1MB") == (
        f"line 2: The piece of the release of table visits is the same file as the input: {path!r}. "
        "Write another path for the piece of the release of table visits."
    )


@pytest.mark.parametrize("option", ["key", "same_domain_as"])
def test_nothing_is_written_over_a_file_that_only_an_option_names(desk, option):
    path, called = str(desk.folder / "own"), f"file of --{option.replace('_', '-')}"
    assert desk.fault(desk.with_root(""), output=path, **{option: path}) == (
        f"The output is the same file as the {called}: {path!r}. Write another path for the output."
    )


def test_nothing_is_written_over_one_of_several_earlier_releases(desk):
    desk.write("out.csv", "1\n")
    fault = desk.fault(desk.with_root("").replace("<output", "<earlier filename='o*.csv'/><output"))
    assert fault.startswith("line 1: The output is the same file as the earlier release: ")


def test_the_folder_of_the_output_must_exist_and_the_output_be_no_folder(desk):
    (desk.folder / "sub").mkdir()
    assert desk.fault(desk.with_root(""), output="no/such/out.csv") == (
        "The output, 'no/such/out.csv', lies in a folder that does not exist. Make the folder first, or write another path."
    )
    assert desk.fault(desk.with_root(""), output=".") == "The output, '.', is a folder. Write the path of a file."
    assert desk.fault(desk.with_root(""), output=str(desk.folder / "sub")) == (
        f"The output, {str(desk.folder / 'sub')!r}, is a folder. Write the path of a file."
    )


class Nodes:
    """What may stand where a file is to be written, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "file").write_text("mine")
        os.mkfifo(folder / "pipe")
        with socket.socket(socket.AF_UNIX) as server:
            os.chdir(folder)  # the path of a socket may not be long
            server.bind("socket")
        for name, target in (("link", "file"), ("nowhere", "absent"), ("circle", "circle"), ("piped", "pipe")):
            (folder / name).symlink_to(target)

    def kinds(self) -> dict[str, str]:
        links = {name: f"a symbolic link to {str((self.folder / name).readlink())!r}" for name in LINKS}
        return {"pipe": "a named pipe", "socket": "a socket", **links}


LINKS = ("link", "nowhere", "circle", "piped")


@pytest.fixture
def nodes(desk, monkeypatch):
    monkeypatch.chdir(desk.folder)  # so that it is undone
    return Nodes(desk.folder)


def remedy(kind: str) -> str:
    is_link = kind.startswith("a symbolic link")
    return "Write the path of the file itself, or remove the link." if is_link else "Write the path of a file."


@pytest.mark.parametrize("option", ["output", "report", "rejects", "store"])
def test_what_is_written_replaces_a_file_or_nothing(desk, nodes, option):
    role = "output" if option == "output" else f"file of --{option}"
    for name, kind in nodes.kinds().items():
        path = str(desk.folder / name)
        assert desk.fault(desk.with_root(""), **{option: path}) == f"The {role}, {path!r}, is {kind}. {remedy(kind)}"
    desk.read(desk.with_root(""), **{option: str(desk.folder / "file")})


def test_all_that_cannot_be_replaced_is_told_in_one_run(desk, nodes):
    with pytest.raises(ConfigurationError) as caught:
        desk.read(desk.with_root(""), output="pipe", report="link", rejects="socket", store="nowhere")
    assert [fault.found.split(", ")[0] for fault in caught.value.faults] == [
        "The file of --rejects", "The file of --report", "The file of --store", "The output",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["release_QIT.csv", "release_ST.csv"])
def test_neither_table_of_anatomy_replaces_anything_but_a_file(desk, name):
    os.mkfifo(desk.folder / name)
    text = desk.with_root("").replace("out.csv'", "release.csv' format='anatomy'")
    assert desk.fault(text) == (
        f"line 1: The output, {str(desk.folder / name)!r}, is a named pipe. Write the path of a file."
    )


@pytest.mark.parametrize("number", [1, 7])
def test_no_piece_of_a_release_replaces_anything_but_a_file(desk, number):
    path = desk.folder / f"out-{number:05}.csv"
    os.mkfifo(path)
    fault = desk.fault(several("", "filename='in.csv'"), split_size="1MB")
    assert fault == f"line 1: The piece of the output, {str(path)!r}, is a named pipe. Write the path of a file."


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device")
def test_a_device_is_not_replaced_even_by_root(desk):
    """A private one; the system's own are never named in a test."""
    try:
        os.mknod(desk.folder / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except OSError as error:
        pytest.skip(f"No device can be made here: {error.strerror}.")
    (desk.folder / "link").symlink_to("null")
    assert "is a device. Write the path of a file." in desk.fault(desk.with_root(""), output=str(desk.folder / "null"))
    assert "is a symbolic link to 'null'." in desk.fault(desk.with_root(""), output=str(desk.folder / "link"))
    assert stat.S_ISCHR((desk.folder / "null").stat().st_mode)


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/dev/../dev/stdout", "/proc/self/fd/1"])
def test_a_release_does_not_go_into_a_stream(desk, path):
    assert desk.fault(desk.with_root(""), output=path) == (
        f"The output, {path!r}, is a stream. Files come to their names as a whole, which a stream cannot take. "
        "Write the path of a file, and read it when the run is over."
    )


def test_a_folder_may_be_reached_by_a_link(desk):
    (desk.folder / "real").mkdir()
    (desk.folder / "linked").symlink_to("real")
    assert desk.read(desk.with_root(""), output=str(desk.folder / "linked" / "out.csv")).output.path.name == "out.csv"


def test_a_name_that_no_file_can_have_is_no_accident(desk):
    desk.read(desk.with_root(""), output=str(desk.folder / ("x" * 5000)))  # the writer will say so


def test_whether_the_input_exists_is_left_to_the_loader(desk):
    assert desk.read(desk.with_input("filename='absent.csv'")).input.path == Path(desk.folder / "absent.csv")


# Several inputs, and releases in several files


def several(inside: str, attributes: str = "") -> str:
    return (
        f"<config><input {attributes}>{inside}</input><output filename='out.csv'/><qid><att index='0'/></qid></config>"
    )


def test_several_inputs_are_read_in_their_order(desk):
    config = desk.read(several("<file name='b.csv'/>\n<file name='sub/*.csv'/>", "filename='c.csv'"))
    assert config.input.names == tuple(desk.folder / name for name in ("c.csv", "b.csv", "sub/*.csv"))
    assert desk.read(several("<file name='b.csv'/>")).input.names == (desk.folder / "b.csv",)


def test_inputs_on_the_command_line_win_over_all_that_the_configuration_names(desk):
    config = desk.read(several("<file name='b.csv'/>", "filename='c.csv'"), input=("x.csv", "/y.csv"))
    assert config.input.names == (Path("x.csv"), Path("/y.csv"))
    assert desk.read(several("<file name='b.csv'/>"), input="x.csv").input.names == (Path("x.csv"),)


def test_a_file_without_a_name_is_reported(desk):
    assert (
        desk.fault(several("<file/><file name='a.csv'/>"))
        == "line 1: <file> lacks the attribute 'name'. Add name='...'."
    )
    assert desk.fault(several("<file name=' '/>")) == "line 1: name=' ' names no file. Write the path of a file."


def test_no_release_is_written_over_one_of_several_inputs(desk):
    for name in ("in-1.csv", "in-2.csv"):
        desk.write(name, "1\n")
    fault = desk.fault(several("<file name='in-*.csv'/>").replace("out.csv", "in-2.csv"))
    assert fault == (
        f"line 1: The output is the same file as the input: {str(desk.folder / 'in-2.csv')!r}. "
        "Write another path for the output."
    )


@pytest.mark.parametrize("method", ["genVals", "anatomy"])
def test_no_piece_of_a_release_is_written_over_one_of_several_inputs(desk, method):
    suffix = "_ST" if method == "anatomy" else ""
    desk.write(f"in{suffix}-00003.csv", "1\n")
    text = several(f"<file name='in{suffix}-*.csv'/>").replace(
        "filename='out.csv'", f"filename='in.csv' splitSize='1MB' format='{method}'"
    )
    assert "The piece of the output is the same file as the input: " in desk.fault(text)


@pytest.mark.parametrize("option", ["rejects", "report", "store"])
@pytest.mark.parametrize("name", ["out_ST-00002.csv", "sub/../out_ST-90210.csv"])
def test_nothing_beside_a_release_in_pieces_is_named_like_one_that_may_come(desk, option, name):
    (desk.folder / "sub").mkdir()
    text = several("", "filename='in.csv'").replace("<output ", "<output format='anatomy' ")
    path = str(desk.folder / name)
    assert desk.fault(text, split_size="1MB", **{option: path}) == (
        f"The file of --{option} is the same file as the piece of the output: {path!r}. "
        f"Write another path for the file of --{option}."
    )
    desk.read(text, **{option: path})
    desk.read(text, split_size="1MB", **{option: str(desk.folder / "sub/out_ST-00002.csv")})


@pytest.mark.parametrize(
    ("text", "size"),
    [("500MB", 500_000_000), ("2GiB", 2 * 1024**3), ("0.5 kb", 500), (" 1 KiB ", 1024), ("3TB", 3 * 10**12)],
)
def test_the_size_of_the_files_of_a_release_is_read(desk, text, size):
    assert (
        desk.read(
            several("", "filename='in.csv'").replace("'out.csv'", f"'out.csv' splitSize='{text}'")
        ).output.split_size
        == size
    )
    assert desk.read(several("", "filename='in.csv'"), split_size=text).output.split_size == size


@pytest.mark.parametrize("text", ["", "500", "0MB", "-1MB", "0.0001KB", "MB", "five MB", "1e3MB"])
def test_a_wrong_size_is_reported(desk, text):
    fault = desk.fault(several("", "filename='in.csv'"), split_size=text)
    assert (
        fault == f"--split-size {text!r} is not the size of a file. Write a number and a unit, such as 500MB or 2GiB."
    )


def test_what_compatibility_writes_is_not_split(desk):
    fault = desk.fault(several("", "filename='in.csv'"), split_size="1MB", compatibility="utd")
    assert fault == "The toolbox of 2010, which compatibility asks for, wrote one file. Leave one of the two out."


def test_parquet_within_a_compressed_file_is_refused(desk):
    fault = desk.fault(several("", "filename='in.csv'").replace("out.csv", "out.parquet.gz"))
    assert fault.endswith("would be a compressed file with text in it, and not Parquet. End its name with .parquet.")


# Lines that may be left out


@pytest.mark.parametrize(
    ("text", "portion"),
    [
        ("0", Portion(Decimal(0))),
        ("250", Portion(Decimal(250))),
        ("1%", Portion(Decimal(1), is_percentage=True)),
        (" 2.5 % ", Portion(Decimal("2.5"), is_percentage=True)),
        ("100%", Portion(Decimal(100), is_percentage=True)),
    ],
)
def test_the_most_lines_that_may_be_rejected_are_a_number_or_a_share(desk, text, portion):
    written = several("", f"filename='in.csv' maxRejects='{text}'")
    assert desk.read(written).input.max_rejects == portion
    assert desk.read(several("", "filename='in.csv' maxRejects='7'"), max_rejects=text).input.max_rejects == portion
    assert desk.read(several("", "filename='in.csv'")).input.max_rejects is None


@pytest.mark.parametrize("text", ["many", "-1", "1.5", "101%", "1e3", "%", "9" * 5000])
def test_any_other_text_is_a_fault(desk, text):
    fault = desk.fault(several("", "filename='in.csv'"), max_rejects=text)
    assert fault.startswith("--max-rejects ")
    assert fault.endswith("is neither a number nor a percentage. Write a number such as 20, or a share such as 1%.")
