"""The main job from options alone, and the configuration that is saved from them: the same release, byte for byte."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import duckdb
import pytest
from helpers.running import Finished, run_in_process

TOWNS = ("Graz", "Leoben", "Linz", "Wels")
COLUMNS = ("--id", "name", "--qi", "born,town,size", "--sensitive", "ill")
DETAILS = ("--hierarchy", "town=towns.csv", "--ordered", "size=S,M,L", "--hierarchy", "born=dates:month,year,decade")
SIZES = "S;small;*\nM;not small;*\nL;not small;*\n"
PEOPLE = [
    (f"P{n}", f"19{60 + n % 30}-0{1 + n % 9}-1{n % 10}", TOWNS[n % 4], "SML"[n % 3], ("flu", "cold", "gout")[n % 7 % 3])
    for n in range(60)
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = ["name;born;town;size;ill", *(";".join(person) for person in PEOPLE)]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "towns.csv").write_text("Graz;Styria;*\nLeoben;Styria;*\nLinz;Upper;*\nWels;Upper;*\n")
    (tmp_path / "sizes.csv").write_text(SIZES)
    (tmp_path / "made").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: object) -> Finished:
    return run_in_process("anonymize", *words)


def released(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name.startswith("r")}


def saved_and_run_again(folder: Path, *words: object) -> dict[str, bytes]:
    """Run with options, then with the configuration that they have saved; return the files of the first release."""
    run("people.csv", *words, "--save-config", "made/c.xml").succeeded()
    first = released(folder / "made")
    for path in (folder / "made").glob("r*"):
        path.unlink()
    run_in_process("-config", "made/c.xml").succeeded()
    assert released(folder / "made") == first
    return first


SPLIT = ("--split-size", "2KB")
TREES = (
    *COLUMNS,
    "--hierarchy",
    "town=towns.csv",
    "--hierarchy",
    "size=sizes.csv",
    "--hierarchy",
    "born=dates:year,decade",
)


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "words",
    [
        ("-method", "Mondrian", *COLUMNS, *DETAILS, "--dimension", "distinct", "-outputFormat", "genValsDist", *SPLIT),
        ("-method", "Mondrian", *COLUMNS),
        ("-method", "Datafly", "--kind", "born=date", *TREES, "-suppThreshold", 10, "--suppressed", "drop"),
        (
            "-method",
            "Datafly",
            "--kind",
            "born=date",
            *TREES,
            "-outputFormat",
            "genValsDist",
            "--statistics",
            "rounded",
        ),
        ("-method", "Incognito_k", "--kind", "born=date", *TREES),
        ("-method", "Incognito_l", "--kind", "born=date", *TREES, "-l", 2),
        ("-method", "Incognito_t", "--kind", "born=date", *TREES, "-t", 0.6),
        ("-method", "LocalRecoding", "--kind", "born=date", *TREES, "--weight", "born=2", "--set", "loss=bits"),
        ("-method", "PrioPrivacy", "--kind", "born=date", *TREES, "--priority", "town=1", "--priority", "born=2"),
        ("-method", "Singletons", "--kind", "born=date", *TREES),
        ("-method", "Mondrian", *COLUMNS, "--model", "k-anonymity:k=4", "--model", "distinct l-diversity:l=2"),
        ("-method", "Anatomy", *COLUMNS, "-l", 2),
    ],
    ids=lambda words: f"{words[1]} {len(words)}",
)
def test_the_saved_configuration_makes_the_same_release(words: tuple[object, ...], folder: Path) -> None:
    # An anatomy takes l alone: a k beside it is refused.
    size = () if "Anatomy" in words else ("-k", 4)
    files = saved_and_run_again(folder, *words, *size, "--seed", 7, "-output", "made/r.csv")
    assert sum(len(text.splitlines()) for text in files.values()) > 40
    assert len(files) == (2 if "Anatomy" in words else 3 if SPLIT[0] in words else 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("r.parquet", ()),
        ("r.csv.gz", ("--output-separator", "|")),
        ("r.csv", ("--missing", "S", "--on-missing", "keep", "--order", "sorted")),
    ],
    ids=str,
)
def test_so_it_does_in_every_kind_of_file(name: str, words: tuple[str, ...], folder: Path) -> None:
    assert len(saved_and_run_again(folder, *COLUMNS, "-k", 4, "--seed", 7, *words, "-output", f"made/{name}")) == 1


BUILT = [
    ("-method", "Mondrian", "town=tree:places.csv:other=root", "born=dates:month,year", "size=order:file=sizes.txt"),
    ("-method", "Datafly", "town=auto", "born=ages:2026-01-01:width=5,10", "size=order:S,M,L"),
    ("-method", "Incognito_k", "town=prefix:1", "born=auto", "size=suffix"),
]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("words", BUILT, ids=lambda words: words[1])
def test_builders_are_saved_as_they_were_said(words: tuple[str, ...], folder: Path) -> None:
    (folder / "places.csv").write_text("Graz;Styria\nLeoben;Styria\nLinz;Upper\nStyria;*\nUpper;*\n")
    (folder / "sizes.txt").write_text("S\nM\nL\n")
    details = [word for hierarchy in words[2:] for word in ("--hierarchy", hierarchy)]
    saved_and_run_again(folder, *words[:2], *COLUMNS, *details, "-k", 4, "--seed", 7, "-output", "made/r.csv")
    text = (folder / "made" / "c.xml").read_text()
    assert ("'../places.csv'" in text, "'../sizes.txt'" in text) == ("Mondrian" in words, "Mondrian" in words)


def test_a_builder_that_is_wrong_is_named_by_its_option(folder: Path) -> None:
    hierarchies = ("born=ages:2026-02-30", "size=order:S,S", "town=prefix:1:othr=root")
    details = [word for hierarchy in hierarchies for word in ("--hierarchy", hierarchy)]
    done = run("people.csv", *COLUMNS, *details, "-output", "r.csv")
    assert done.status == 2
    for option in (
        "--hierarchy born: at='2026-02-30'",
        "--hierarchy size: ",
        "--hierarchy town: build='prefix' has no",
    ):
        assert option in done.stderr


@pytest.mark.slow
def test_without_a_header_columns_are_positions(folder: Path) -> None:
    lines = (folder / "people.csv").read_text().partition("\n")[2]
    (folder / "people.csv").write_text(lines)
    columns = ("--header", "no", "--id", "0", "--qi", "1,2", "--sensitive", "4", "--undeclared", "drop")
    saved_and_run_again(folder, *columns, "-k", 4, "--order", "sorted", "-output", "made/r.csv")
    assert "<att index='1' type='date'/>" in (folder / "made" / "c.xml").read_text()


@pytest.mark.slow
def test_parquet_and_several_files(folder: Path) -> None:
    duckdb.sql("FROM read_csv('people.csv')").write_parquet("people.parquet")
    words = (*COLUMNS, "-k", 4, "--order", "sorted", "--escape-formulas", "-output", "r.parquet")
    saved = run("people.parquet", *words, "--save-config", "c.xml", "--json").succeeded()
    text = (folder / "c.xml").read_text()
    assert ("separator" in text, "escapeFormulas='true'" in text) == (False, True)
    assert saved.document["sha256"]["configuration"] == sha256((folder / "c.xml").read_bytes()).hexdigest()
    # Sixty other people: whoever is in both files would be counted once in a class.
    (folder / "more.csv").write_text((folder / "people.csv").read_text().replace("P", "Q"))
    done = run("people.csv", *COLUMNS, "more.csv", "-k", 4, "-output", "r.csv", "--json").succeeded()
    assert done.document["records_read"] == 120


@pytest.mark.slow
def test_options_say_what_becomes_of_columns_and_the_release_is_proved(folder: Path) -> None:
    done = run("people.csv", *COLUMNS, "-k", 5, "--order", "sorted", "-output", "r.csv", "--json").succeeded()
    assert [(one["name"], one["required"]) for one in done.document["models"]] == [("k-anonymity", 5)]
    assert done.document["sha256"]["configuration"] is None
    first, *lines = (folder / "r.csv").read_text().splitlines()
    assert first == "born;town;size;ill"
    assert len(lines) == 60
    groups = [line.rpartition(";")[0] for line in lines]
    assert min(map(groups.count, groups)) >= 5
    assert not any(name in (folder / "r.csv").read_text() for name, *_ in PEOPLE)


@pytest.mark.slow
def test_beside_a_configuration_options_add_and_replace(folder: Path) -> None:
    (folder / "c.xml").write_text(
        "<!-- ours -->\n<config k='9'><input filename='people.csv' header='true' separator=';'/><output filename='r.csv'/>"
        "<id><att name='name'/></id><qid><att name='town' type='category'/></qid></config>"
    )
    words = (
        "-config",
        "c.xml",
        "-k",
        4,
        "--qi",
        "size",
        "--sensitive",
        "ill",
        "--undeclared",
        "drop",
        "--order",
        "sorted",
    )
    done = run(*words, "--save-config", "made/n.xml", "--json").succeeded()
    assert done.document["models"][0]["required"] == 4
    first = (folder / "r.csv").read_bytes()
    assert first.startswith(b"town;size;ill\n")
    text = (folder / "made" / "n.xml").read_text()
    assert "<!-- ours -->" in text
    assert "<att name='size' type='category'/>" in text
    run_in_process("-config", "made/n.xml").succeeded()
    assert (folder / "r.csv").read_bytes() == first
    # Next month's file, with the same configuration.
    run("people.csv", "-config", "made/n.xml").succeeded()


@pytest.mark.slow
def test_any_name_can_be_said(folder: Path) -> None:
    names = ("a,b", "c=d", 'say "hi"', "select", "größe", "e f", "1", "x:y")
    # The identifier "1" has a value of its own in each record, the other columns share four values.
    duckdb.sql("SELECT * FROM range(20) t(n)").project(
        ", ".join(f"""(n % {20 if name == "1" else 4})::text AS "{name.replace('"', '""')}" """ for name in names)
    ).write_csv("odd.csv")
    words = ["--qi", '"a,b","c=d","say ""hi"""', "--qi", "select,größe, e f ", "--id", "1", "--sensitive", "x:y"]
    kinds = [f'"{name.replace(chr(34), chr(34) * 2)}"=category' for name in names[:6]]
    details = [word for kind in kinds for word in ("--kind", kind)]
    run(
        "odd.csv", *words, *details, "-k", 5, "--order", "sorted", "-output", "r.csv", "--save-config", "c.xml"
    ).succeeded()
    first = (folder / "r.csv").read_bytes()
    run_in_process("-config", "c.xml").succeeded()
    assert (folder / "r.csv").read_bytes() == first


WRONG = [
    (
        ("people.csv", "-k", "4"),
        2,
        ["2 faults", "Write -output release.csv", "The columns are name, born, town, size, ill"],
    ),
    ((*COLUMNS, "-output", "r.csv"), 2, ["Nothing names the input. Name it after the command"]),
    (
        ("people.csv", "--id", "nam", "--qi", "bron,town", "-output", "r.csv", "--undeclared", "drop"),
        2,
        [
            "2 faults",
            "no column 'nam'. Did you mean 'name'?",
            "no column 'bron'. Did you mean 'born'?",
            "It has: name, born",
        ],
    ),
    (
        ("people.csv", "--qi", "born,town", "-output", "r.csv"),
        2,
        ["Nobody declared name, size, ill", "--id drops it", "--undeclared drop", "--undeclared pass"],
    ),
    (("people.csv", *COLUMNS, "-output", "people.csv"), 2, ["The output is the same file as the input"]),
    (
        ("people.csv", *COLUMNS, "-output", "r.csv", "--save-config", "towns.csv"),
        2,
        ["no configuration", "would be replaced"],
    ),
    (("people.csv", *COLUMNS, "-output", "r.csv", "--save-config", "r.csv"), 2, ["same file as the output"]),
    (("people.csv", *COLUMNS, "-output", "r.csv", "--save-config", "no/c.xml"), 2, ["folder that does not exist"]),
    (("people.csv", *COLUMNS, "-output", "r.csv", "--hierarchy", "town=no.csv"), 2, ["--hierarchy town", "no.csv"]),
    (
        ("people.csv", *COLUMNS, "-output", "r.csv", "-method", "Datafly"),
        2,
        ["town has no hierarchy", "--hierarchy town=FILE"],
    ),
    (
        ("people.csv", *COLUMNS, "-output", "r.csv", "--kind", "born=date", "--hierarchy", "born=towns.csv"),
        2,
        ["born is a date", "--hierarchy born=dates:month,year,decade"],
    ),
    (
        ("people.csv", *COLUMNS, "-output", "r.csv", "--ordered", "town=a,b", "--hierarchy", "town=towns.csv"),
        2,
        ["town has an order (--ordered)", "Leave one of the two out"],
    ),
    (
        ("people.csv", "--qi", "born", "--id", "name", "-method", "Incognito_t", "-output", "r.csv"),
        2,
        ["--sensitive illness"],
    ),
    (("people.csv", *COLUMNS, "-output", "r.csv", "--kind", "town=number"), 4, ["column town", "--kind town=category"]),
    (("people.csv", *COLUMNS, "-output", "r.csv", "-k", "61"), 3, ["61"]),
    (("people.xml", *COLUMNS, "-output", "r.csv"), 2, ["Write -config people.xml"]),
    (("made", *COLUMNS, "-output", "r.csv"), 4, ["folder without files"]),
    (
        ("people.csv", "--header", "no", *COLUMNS, "-output", "r.csv"),
        2,
        ["5 faults", "the position of the column, from 0"],
    ),
    (
        (
            "people.csv",
            "--qi",
            "a,a",
            "--id",
            "a",
            "--model",
            "foo",
            "--kind",
            "b=dat",
            "-k",
            "x",
            "--weight",
            "a",
            "-output",
            "",
        ),
        2,
        [
            "7 faults",
            "--model 'foo' is unknown",
            "--weight 'a' has no equals sign",
            "-k 'x'",
            "-output '' names no file",
        ],
    ),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("words", "status", "says"), WRONG, ids=[str(index) for index in range(len(WRONG))])
def test_what_is_wrong_is_told_in_the_words_of_the_options(
    words: tuple[str, ...], status: int, says: list[str], folder: Path
) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = run(*words, *(() if "--save-config" in words else ("--save-config", "made/c.xml")))
    assert (done.status, done.stdout) == (status, "")
    assert [part for part in says if part not in done.stderr] == []
    for foreign in ("<", "line 0", "Traceback", "att ", "type=", "undeclared="):
        assert foreign not in done.stderr
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert not list((folder / "made").iterdir())


def test_a_first_line_of_values_is_not_shown(folder: Path) -> None:
    (folder / "people.csv").write_text("Ada;1980-01-02;Graz\nBo;1981-01-02;Linz\n")
    for words in (("people.csv",), ("people.csv", "--qi", "born", "-output", "r.csv")):
        done = run(*words)
        assert done.status == 2
        assert not any(value in done.stderr for value in ("Ada", "1980", "Graz"))


@pytest.mark.slow
def test_a_configuration_that_is_there_stays_if_the_run_fails(folder: Path) -> None:
    old = "<config k='2'><qid><att name='age'/></qid></config>"
    (folder / "c.xml").write_text(old)
    assert run("people.csv", *COLUMNS, "-k", 61, "-output", "r.csv", "--save-config", "c.xml").status == 3
    assert (folder / "c.xml").read_text() == old
    done = run("people.csv", *COLUMNS, "-k", 4, "-output", "r.csv", "--save-config", "c.xml").succeeded()
    assert "saved c.xml. Run it: toolbox -config c.xml" in done.stderr
    assert "k='4'" in (folder / "c.xml").read_text()


def test_a_table_in_the_place_of_a_command_is_told_what_to_write(folder: Path) -> None:
    (folder / "c.xml").write_text("<config/>")
    assert "Write toolbox anonymize people.csv --qi NAMES" in run_in_process("people.csv", "-k", 3).stderr
    assert "Write toolbox -config c.xml" in run_in_process("c.xml").stderr
