"""Tables that are no files: where a configuration and the options say that they are."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from toolbox.config.model import EngineChoice, Remote

DATABASE = "postgresql://db.example/census"
OTHER = "postgresql://db.example/other"
HERE = "sqlite:///people.db"
PASSWORD = "postgresql://ada:s3cret@db.example/census"
NO_TABLE = (
    "The input is a database, and no table is named. Write table='...' or query='...' beside its url, or --input-table."
)


def written(given: str = "", release: str = "", rest: str = "", root: str = "") -> str:
    """Write a configuration whose input and output have these attributes."""
    return f"<config {root}>\n<input {given}/>\n<output {release}/>\n{rest}<qid><att name='a'/></qid></config>"


def at(url: str, name: str = "t") -> str:
    return f"url={quoteattr(url)} table={quoteattr(name)}"


def places(config):
    source = None if config.input is None else config.input.remote
    return source, config.output.remote, config.engine, config.output.replaces


def engine(url, name="postgresql", **settings):
    return EngineChoice(name=name, url=url, settings=settings)


# Databases


def test_tables_of_one_postgresql_database_stay_in_it(desk):
    read = desk.read(written(at(DATABASE, "public.people"), f"{at(DATABASE, 'release.people')} replace='true'"))
    assert places(read) == (
        Remote(url=DATABASE, table="public.people"),
        Remote(url=DATABASE, table="release.people"),
        engine(DATABASE),
        True,
    )
    assert (str(read.input.path), read.output.path) == (f"{DATABASE} public.people".replace("//", "/"), None)


def test_the_driver_that_a_url_names_makes_no_difference(desk):
    read = desk.read(written(at("postgresql+psycopg://h/db"), at("postgres://h/db", "r")))
    assert read.engine == engine("postgresql+psycopg://h/db")


@pytest.mark.parametrize(("given", "release"), [(DATABASE, OTHER), (HERE, HERE), (DATABASE, HERE), (HERE, DATABASE)])
def test_other_tables_are_read_and_written_here(given, release, desk):
    read = desk.read(written(at(given), at(release, "r")))
    assert places(read) == (Remote(url=given, table="t"), Remote(url=release, table="r"), None, False)


def test_a_table_may_become_a_file_and_a_file_a_table(desk):
    assert places(desk.read(written(at(DATABASE), "filename='out.csv'"))) == (
        Remote(url=DATABASE, table="t"),
        None,
        None,
        False,
    )
    assert places(desk.read(written("filename='in.csv' header='true'", at(DATABASE)))) == (
        None,
        Remote(url=DATABASE, table="t"),
        None,
        False,
    )


def test_a_query_stands_for_a_table(desk):
    query = "SELECT a FROM people WHERE b = 'it''s' -- 100%"
    read = desk.read(written(f"url='{DATABASE}' query={quoteattr(query)}", at(DATABASE)))
    assert read.input.remote == Remote(url=DATABASE, query=query)


def test_an_engine_gives_its_url_to_the_tables_that_have_none(desk):
    rest = f"<engine name=' PostgreSQL ' url='{DATABASE}'><set name='work_mem' value='256MB'/></engine>"
    read = desk.read(written("table='people'", "table='release'", rest))
    assert places(read) == (
        Remote(url=DATABASE, table="people"),
        Remote(url=DATABASE, table="release"),
        engine(DATABASE, work_mem="256MB"),
        False,
    )


@pytest.mark.parametrize("name", ["a b", "select", "Größe", 'pub."lic"', "100%", "a.b.c", "'", "名前"])
def test_a_table_may_have_any_name(name, desk):
    assert desk.read(written(at(DATABASE, name), at(DATABASE, "r"))).input.remote.table == name


# Options


def test_options_win_over_the_configuration(desk):
    text = written(at(DATABASE), at(DATABASE, "r"))
    read = desk.read(text, input=OTHER, input_table="x", output=OTHER, output_table="y", replace="true")
    assert places(read) == (Remote(url=OTHER, table="x"), Remote(url=OTHER, table="y"), engine(OTHER), True)
    assert places(desk.read(text, replace="no", input_table="x"))[0] == Remote(url=DATABASE, table="x")


def test_a_table_that_an_option_names_stands_for_the_query(desk):
    text = written(f"url='{DATABASE}' query='SELECT 1'", at(DATABASE))
    assert desk.read(text, input_table="x").input.remote == Remote(url=DATABASE, table="x")


def test_a_database_that_an_option_names_stands_for_the_files_and_files_for_the_database(desk):
    files = "<config><input filename='in.csv'><file name='more.csv'/></input><output filename='out.csv'/>"
    text = f"{files}<qid><att name='a'/></qid></config>"
    read = desk.read(text, input=DATABASE, input_table="t", output=OTHER, output_table="r")
    assert places(read)[:2] == (Remote(url=DATABASE, table="t"), Remote(url=OTHER, table="r"))
    (desk.folder / "in.parquet").touch()
    read = desk.read(written(at(DATABASE), at(DATABASE)), input=str(desk.folder / "in.parquet"), output="out.csv")
    assert places(read) == (None, None, None, False)
    assert (read.input.path, read.output.path) == (desk.folder / "in.parquet", Path("out.csv"))


def test_an_engine_that_an_option_names_is_not_that_of_the_configuration(desk):
    rest = f"<engine name='postgresql' url='{DATABASE}'/>"
    read = desk.read(
        written("filename='people'", "filename='release'", rest), engine="SPARK", engine_url="spark://h:7077"
    )
    assert read.engine == engine("spark://h:7077", "spark")


# Clusters


def test_a_cluster_reads_and_writes_folders(desk):
    rest = "<engine name='spark' url='local[4]'><set name='spark.executor.memory' value='8g'/></engine>"
    read = desk.read(written("filename='people' format='ORC'", "filename='s3a://bucket/release/'", rest))
    assert places(read) == (
        Remote(url=str(desk.folder / "people"), format="orc"),
        Remote(url="s3a://bucket/release/"),
        engine("local[4]", "spark", **{"spark.executor.memory": "8g"}),
        False,
    )


def test_a_folder_that_an_option_names_is_relative_to_the_working_directory(desk, monkeypatch, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    text = written("filename='people'", "filename='release'", "<engine name='spark' url='yarn'/>")
    source, release, *_ = places(desk.read(text, input="a", output="hdfs://nn:8020/b"))
    assert (source, release) == (Remote(url=str(elsewhere / "a")), Remote(url="hdfs://nn:8020/b"))
    assert places(desk.read(text))[0] == Remote(url=str(desk.folder / "people"))


def test_a_cluster_reads_a_table_of_its_catalogue(desk):
    rest = "<engine name='spark' url='sc://host:15002'/>"
    read = desk.read(written("table='main.census.people'", "filename='release'", rest))
    assert read.input.remote == Remote(table="main.census.people")
    read = desk.read(written("filename='people'", "filename='release'", rest), input_table="main.census.people")
    assert read.input.remote == Remote(table="main.census.people")


# What is refused

REFUSED = {
    "line 2: Nothing names the database of the input. Write url='postgresql://HOST/DATABASE'.": written(
        "table='t'", "filename='out.csv'"
    ),
    f"line 2: {NO_TABLE}": written(f"url='{DATABASE}'", "filename='out.csv'"),
    "line 2: The input is a database, and both table and query are named. "
    "Write table='...' or query='...' beside its url, or --input-table.": written(
        f"{at(DATABASE)} query='SELECT 1'", "filename='out.csv'"
    ),
    "line 3: The output is a database, and no table is named. Write table='...' beside its url, or --output-table.": (
        written("filename='in.parquet'", f"url='{DATABASE}'")
    ),
    "line 2: The input is a table, and filename='in.csv' cannot be combined with it. Leave one of the two out.": written(
        f"{at(DATABASE)} filename='in.csv'", "filename='out.csv'"
    ),
    "line 3: The output is a table, and filename='out.csv' cannot be combined with it. Leave one of the two out.": written(
        "filename='in.parquet'", f"{at(DATABASE)} filename='out.csv'"
    ),
    "line 2: format='csv' of input means something to the engine spark only. "
    "Leave it out: the extension of a file tells its format.": written(
        "filename='in.csv' header='true' format='csv'", "filename='out.csv'"
    ),
    "replace cannot be combined with an output that is a file. Leave it out: a file is replaced as a whole.": written(
        "filename='in.parquet'", "filename='out.csv' replace='true'"
    ),
    "The engine postgresql, the input and the output are not one database. "
    "Write one url for them, or leave out the engine.": written(
        at(DATABASE), at(OTHER), f"<engine name='postgresql' url='{DATABASE}'/>"
    ),
    "line 4: url='mysql://h/db' is no URL of PostgreSQL. Write postgresql://HOST/DATABASE, or leave out the engine.": (
        written("table='t'", "table='r'", "<engine name='postgresql' url='mysql://h/db'/>")
    ),
    "line 4: name='sparc' is unknown. Did you mean 'spark'? Write one of: mariadb, mysql, postgresql, spark.": written(
        "filename='in.parquet'", "filename='out.csv'", "<engine name='sparc' url='postgresql://h/db'/>"
    ),
}
SPARK = "<engine name='spark' url='local[4]'/>"
REFUSED_BY_SPARK = {
    "line 4: The engine spark has no address. "
    "Write url='local[4]', spark://HOST:7077, sc://HOST:15002 or yarn, or --engine-url.": written(
        "filename='a'", "filename='b'", "<engine name='spark'/>"
    ),
    "line 2: format='jsonl' is unknown. Write one of: parquet, csv, orc.": written(
        "filename='a' format='jsonl'", "filename='b'", SPARK
    ),
    "line 2: url of input means nothing to the engine spark. Name a folder by filename='...', or leave out the engine.": (
        written(f"filename='a' url='{DATABASE}'", "filename='b'", SPARK)
    ),
    "line 2: The input is a table, and filename='a' cannot be combined with it. Leave one of the two out.": written(
        "filename='a' table='t'", "filename='b'", SPARK
    ),
    "line 3: table='r' is named, and Spark writes a folder. Write filename='...', or -output.": written(
        "filename='a'", "table='r'", SPARK
    ),
    "line 4: The setting spark.hadoop.fs.s3a.secret.key is a password. "
    "Put it into spark-defaults.conf, or into a credential provider of Hadoop.": written(
        "filename='a'",
        "filename='b'",
        "<engine name='spark' url='yarn'><set name='spark.hadoop.fs.s3a.secret.key' value='s3cret'/></engine>",
    ),
    "line 5: The setting a is given twice. Keep one of them.": written(
        "filename='a'",
        "filename='b'",
        "<engine name='spark' url='yarn'><set name='a' value='1'/>\n<set name='a' value='2'/></engine>",
    ),
    "line 4: name='' is empty. Write a name, or leave it out.": written(
        "filename='a'", "filename='b'", "<engine name='spark' url='yarn'><set name='' value='1'/></engine>"
    ),
}


@pytest.mark.parametrize(("fault", "text"), [*REFUSED.items(), *REFUSED_BY_SPARK.items()])
def test_what_does_not_fit_together_is_refused(fault, text, desk):
    (desk.folder / "in.parquet").touch()
    assert desk.fault(text) == fault


def test_several_files_are_no_folder_and_a_database_is_one(desk):
    files = f"<input filename='a'><file name='b'/></input><output filename='c'/>{SPARK}"
    text = f"<config>{files}<qid><att name='a'/></qid></config>"
    several = "Several files are named, and a cluster reads one folder. Name the folder."
    assert desk.fault(text) == f"line 1: {several}"
    assert desk.fault(written("", "filename='c'", SPARK), input=["a", "b"]) == f"line 2: {several}"
    more = desk.fault(written("", "filename='c.csv'"), input=[DATABASE, "b.csv"], input_table="t")
    assert more == "-input names a database and more. Name one database, or files alone."


def test_a_table_beside_files_is_refused(desk):
    (desk.folder / "in.parquet").touch()
    path = str(desk.folder / "in.parquet")
    fault = desk.fault(written(at(DATABASE), "filename='c.csv'"), input=path, input_table="t")
    assert fault == "--input-table 't' cannot be combined with a file. Leave one of the two out."


@pytest.mark.parametrize("name", ["book.xlsx", "part-*.ods", "people.db", "folder"])
def test_the_table_of_a_file_that_holds_several_is_no_remote_one(name, desk):
    (desk.folder / "folder").mkdir()
    (desk.folder / "folder" / "a.xlsx").touch()
    (desk.folder / "part-1.ods").touch()
    read = desk.read(written(f"filename='{name}' table='Sheet 2'", "filename='c.csv'"))
    assert (read.input.remote, read.input.table) == (None, "Sheet 2")
    path = str(desk.folder / name)
    read = desk.read(written("filename='a.csv' header='true'", "filename='c.csv'"), input=path, input_table="x")
    assert (read.input.remote, read.input.table) == (None, "x")
    read = desk.read(written(f"filename='{name}' table='y'", "filename='c.csv'"), input=path)
    assert read.input.table is None


def test_a_database_beside_a_file_with_tables_is_refused_as_beside_any(desk):
    fault = desk.fault(written(f"filename='a.xlsx' {at(DATABASE)}", "filename='c.csv'"))
    assert "The input is a table, and filename='a.xlsx' cannot be combined with it. Leave one of the two out." in fault


@pytest.mark.parametrize("url", ["https://ada:s3cret@h/people.csv", "s3a://key:s3cret@bucket/people"])
def test_what_is_no_database_is_read_as_a_file_and_nothing_is_fetched(url, desk):
    (desk.folder / "in.parquet").touch()
    fault = desk.fault(written("filename='in.parquet'", "filename='c.csv'"), input=url)
    assert "is a URL. Nothing is fetched: download the file, and write its path." in fault
    assert "s3cret" not in fault


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (
            "hdfs://host/release.csv",
            "is a URL. A file is written on this machine: write a path, and copy the file there.",
        ),
        ("outdir/", "names a folder. Write the name of a file in it, such as outdir/release.csv."),
    ],
)
def test_a_release_is_a_file_of_this_machine_also_if_an_option_names_it(output, said, desk):
    (desk.folder / "in.csv").touch()
    for faults in (
        desk.faults(written("filename='in.csv'", f"filename='{output}'")),
        desk.faults(written("filename='in.csv'", "filename='c.csv'"), output=output),
    ):
        assert any(said in fault for fault in faults)
        assert not any("download" in fault for fault in faults)


# Passwords

HIDDEN = "holds a password, which files and lists of processes would show."


@pytest.mark.parametrize(
    "url",
    [PASSWORD, "postgresql://h/db?password=s3cret", "postgresql://ada:s3/cret@h:99999/db", "mysql://a:s3cret@h/d"],
)
def test_no_message_repeats_a_password(url, desk):
    text = written(at(url), at(url, "r"), f"<engine name='postgresql' url={quoteattr(url)}/>")
    faults = desk.faults(text, engine_url=url, input=url, output=url)
    names = ("-input", "-output", "--engine-url", "url")
    assert [fault.removeprefix("line 4: ").partition(" ")[0] for fault in faults if HIDDEN in fault] == [
        *("--engine-url", "-input", "-output", "url"),
    ]
    assert len(faults) == len(names)
    assert not [fault for fault in faults if "s3" in fault or "cret" in fault]
    files = {"mysql": "~/.my.cnf, or a file that read_default_file of the URL names"}
    place = files.get(url.partition(":")[0], "~/.pgpass, or a file that PGPASSFILE names")
    assert desk.faults(written(at(url), at(url, "r"))) == [
        f"line {line}: url {HIDDEN} Remove it, and put it where the driver looks: into {place}." for line in (2, 3)
    ]


@pytest.mark.parametrize("url", ["sc://h:15002/;token=s3cret", "spark://ada:s3cret@h:7077"])
def test_no_message_repeats_a_token(url, desk):
    rest = f"<engine name='spark' url='{url}'/>"
    faults = desk.faults(written("filename='s3a://k:s3cret@b/a'", "filename='s3a://k:s3cret@b/c'", rest))
    assert [fault.split(" ", 3)[2] for fault in faults] == ["filename", "filename", "url"]
    assert "s3cret" not in "".join(faults)


def test_all_faults_are_told_at_once(desk):
    rest = "<engine name='spark' url='host:7077'><set name='' value=''/></engine>"
    text = written("filename='a' table='t' format='x'", "filename='' order='input'", rest, "k='0'")
    assert [fault.partition(" is ")[0] for fault in desk.faults(text, split_size="1MB")] == [
        "--split-size",
        "order=input",
        "line 1: k='0'",
        "line 2: The input",
        "line 2: format='x'",
        "line 3: filename='' names no folder. Write the path of a folder, or its URI.",
        "line 4: name=''",
        "line 4: url",
    ]
