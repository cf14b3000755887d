"""Examples in docstrings, README.md and docs/ are run as they stand, commands and files among them."""

import doctest
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd
import pytest
from helpers import children, postgres_server
from helpers.amounts import is_thorough, times
from helpers.hostile import Run, run_here
from helpers.running import run_as_program
from helpers.saved_workbook import workbook_of

import toolbox
from toolbox import checks
from toolbox.checks import of_models
from toolbox.extensions import load_reference
from toolbox.methods import anonymizer as methods
from toolbox.methods.anonymizer import Anonymizer
from toolbox.privacy import registry as models
from toolbox.privacy.model import PrivacyModel

PACKAGE = Path(toolbox.__file__).parent
TOP = PACKAGE.parent
ADD_A_METHOD = TOP / "docs" / "add_a_method.md"
WITH_EXAMPLES = sorted(
    ".".join(path.relative_to(TOP).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)
RECORDS = 5000
"""Of configs/census_5000.csv."""
NAMED_TEST = re.compile(r"`((?:tests/)?[\w/]*test_\w+\.py)`")
PAGES = [path.relative_to(TOP).as_posix() for path in (TOP / "README.md", *sorted((TOP / "docs").rglob("*.md")))]
ABOUT_ONE_THING = ("docs/methods/", "docs/models/", "docs/metrics/", "docs/treatments/")
"""Folders with a page for each method, privacy model, loss metric and treatment, which are alike."""
WALKS = ("docs/first_release.md", "docs/migration/", "docs/tutorials/")
"""Long ways through the same commands on tables of their own; what a command prints has a page besides."""
TAKE_LONG = (
    *("docs/compare.md", "docs/report.md"),  # release or judge all the census several times
    *("docs/add_a_method.md", "docs/experiments.md", "docs/promises.md"),  # try many small releases
    *(
        "docs/recodings.md",
        "docs/persons.md",
        "docs/judging.md",
        "docs/init.md",
        "docs/samples.md",
        "docs/compatibility.md",
        "docs/engines.md",
        "docs/hierarchies.md",
        "docs/session.md",
    ),  # and several files
)
"""Pages that take as long as ten others each."""
ALIKE = ("toolbox.loss.", "toolbox.methods.")
"""Packages whose examples are alike: a small table is released, by one method, or one metric tells what was lost."""
_BLOCK = re.compile(r"^([ ]*)```(\w+) ?([^\n]*)\n(.*?)^\1```", flags=re.MULTILINE | re.DOTALL)
_FLAGS = doctest.NORMALIZE_WHITESPACE
_OF_PYTHON = re.compile(
    r"(toolbox|pytest) ([^|<>;&$`~*?]*?)( 2>&1)?( \|\| echo status \$\?)?(?: \| head -(\d+))?(?: > (\S+))?"
)
"""A command that this process can run, and the little of a shell that pages write behind one."""
_COLUMNS = "100"
"""How wide the consoles of the pages are."""


class Block(NamedTuple):
    """A fenced block of a page."""

    line: int
    """Where it begins."""
    language: str
    file: str
    """The file that it shows, named behind the language; empty if it shows none."""
    source: str


def blocks(text: str) -> list[Block]:
    """Return every block that says its language."""
    return [
        Block(text[: found.start(4)].count("\n") + 1, found[2], found[3].strip(), _dedented(found[4], len(found[1])))
        for found in _BLOCK.finditer(text)
    ]


def _dedented(block: str, blanks: int) -> str:
    return "\n".join(line[blanks:] for line in block.split("\n"))


def run_block(source: str, *, name: str, line: int, names: dict[str, Any]) -> None:
    """Run one block: a dialogue is compared with what it prints, all else is executed."""
    if ">>>" not in source:
        exec(compile("\n" * (line - 1) + source, name, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(source, names, name, name, line - 1)
    report: list[str] = []
    results = doctest.DocTestRunner(optionflags=_FLAGS).run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert results.failed == 0, "".join(report)


def run_console(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run each line that begins with a dollar; what stands below it is what it prints, dots for anything."""
    for command, _, expected in (part.partition("\n") for part in re.split(r"^\$ ", source, flags=re.MULTILINE)[1:]):
        status, printed = run_line(command, capsys)
        assert status == 0, f"{command}\n{printed}"
        fits = doctest.OutputChecker().check_output(expected, printed, _FLAGS | doctest.ELLIPSIS)
        assert fits, f"{command}\n{printed}"


def run_line(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run commands one after the other, as long as none of them fails."""
    status, printed = 0, ""
    for one in command.split(" && "):
        status, more = run_command(one, capsys)
        printed += more
        if status:
            break
    return status, printed


def run_command(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Run a program of Python in this process, which costs a third, and what only a shell understands in a shell."""
    if not (found := _OF_PYTHON.fullmatch(command)):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path}
        finished = children.run(command, shell=True, capture_output=True, text=True, env=environment, check=False)
        return finished.returncode, finished.stdout + finished.stderr
    program, words, together, told, most, file = found.groups()
    run = (run_here if program == "toolbox" else run_pytest_here)(shlex.split(words), capsys)
    status, out, err = run.status, run.out, run.err
    if together:
        out, err = out + err, ""
    if told and status:
        status, out = 0, f"{out}status {status}\n"
    if most:
        status, out = 0, "".join(out.splitlines(keepends=True)[: int(most)])
    if file:
        Path(file).write_text(out, encoding="utf-8")
        out = ""
    return status, out + err


def run_pytest_here(arguments: Sequence[str | Path], capsys: pytest.CaptureFixture[str]) -> Run:
    """Run pytest within a test, with none of the plugins that happen to be installed."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        capsys.readouterr()
        status = pytest.main(["-s", "-p", "no:cacheprovider", *map(str, arguments)])
    return Run(status, *capsys.readouterr())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder with a copy of configs/ and the workbook of a guide, from which modules can be imported until the test ends.

    By default, each check of a method tries the first of its tables, and each check of a model the first parameters.
    """
    monkeypatch.setattr(of_models, "_MOST_MODELS", times(1, slow=of_models._MOST_MODELS))
    fewer = [replace(check, tables=check.tables[: times(1, slow=100)]) for check in checks.CHECKS]
    monkeypatch.setattr(checks, "CHECKS", fewer)
    shutil.copytree(TOP / "configs", tmp_path / "configs")
    workbook_of(tmp_path / "configs" / "patients_200.csv").rename(tmp_path / "people.xlsx")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in {path.stem for path in tmp_path.glob("*.py")}:
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", [name for name in WITH_EXAMPLES if not name.startswith(ALIKE)])
def test_the_examples_of_a_module_are_true(name: str) -> None:
    require_true_examples(name)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [name for name in WITH_EXAMPLES if name.startswith(ALIKE)])
def test_the_examples_of_loss_metrics_and_methods_are_true(name: str) -> None:
    require_true_examples(name)


def require_true_examples(name: str) -> None:
    """Run the examples of a module, of which there is at least one."""
    results = doctest.testmod(importlib.import_module(name), optionflags=_FLAGS)
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow] * (page in TAKE_LONG))
        for page in PAGES
        if not page.startswith((*ABOUT_ONE_THING, *WALKS))
    ],
)
def test_a_page_is_true_from_top_to_bottom(
    page: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    follow(page, folder, capsys, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith(WALKS)])
def test_a_walk_through_the_commands_is_true(
    page: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    follow(page, folder, capsys, monkeypatch)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith(ABOUT_ONE_THING)])
def test_a_page_about_one_method_model_or_metric_is_true(
    page: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    follow(page, folder, capsys, monkeypatch)


def follow(page: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that it shows are written, its python is run, and so are the commands of its consoles."""
    monkeypatch.setenv("COLUMNS", _COLUMNS)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks((TOP / page).read_text(encoding="utf-8")):
        if block.file:
            (folder / block.file).write_text(block.source, encoding="utf-8")
        elif block.language == "python":
            run_block(block.source, name=page, line=block.line, names=names)
        elif block.language == "console":
            run_console(block.source, capsys)


ENGINES = TOP / "docs" / "engines.md"


@pytest.mark.parametrize(
    "block", [block for block in blocks(ENGINES.read_text(encoding="utf-8")) if block.language == "xml"]
)
def test_a_configuration_that_needs_a_server_has_no_fault(block: Block, folder: Path) -> None:
    (folder / "engine.xml").write_text(block.source, encoding="utf-8")
    config = toolbox.load_config(folder / "engine.xml")
    assert config.input is not None
    assert config.input.remote is not None
    assert (config.engine is not None) == ("<engine" in block.source)


@pytest.mark.slow
def test_the_rights_that_the_page_has_granted_are_enough_for_a_release(tmp_path: Path) -> None:
    if reason := postgres_server.why_not():
        pytest.skip(reason)
    (grants,) = (block for block in blocks(ENGINES.read_text(encoding="utf-8")) if block.language == "postgresql")
    with postgres_server.running() as server:
        server.run("CREATE DATABASE census")
        with server.connect(dbname="census") as connection:
            connection.execute("REVOKE ALL ON DATABASE census FROM PUBLIC")
            connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
            connection.execute(
                "CREATE TABLE people AS SELECT n % 5 AS age, 'flu' AS illness FROM generate_series(1, 50) n"
            )
            for statement in grants.source.strip().split(";\n"):
                connection.execute(statement)
            connection.execute(f"ALTER ROLE releaser PASSWORD '{server.password}'")
        url = server.url_of("releaser", "census")
        config = tmp_path / "rights.xml"
        config.write_text(
            f"<config k='5'><input url='{url}' table='public.people'/><output url='{url}' table='release.people'/>"
            "<qid><att name='age'/></qid></config>"
        )
        for more in ((), ("--replace",)):
            run_as_program("-config", config, *more).succeeded()
        with server.connect(dbname="census") as connection:
            assert connection.execute("SELECT count(*) FROM release.people").fetchone() == (50,)


def test_the_example_with_dask_is_true(folder: Path) -> None:
    pytest.importorskip("dask.dataframe", reason="Dask is not installed: pip install 'dask[dataframe]'")
    (script,) = (block for block in blocks(ENGINES.read_text(encoding="utf-8")) if block.file == "release_with_dask.py")
    run_block(script.source, name="engines.md", line=script.line, names={"__name__": "__main__"})
    assert len(pd.read_parquet(folder / "release")) == RECORDS


def test_the_statements_for_warehouses_are_true(folder: Path) -> None:
    """DuckDB stands in for a warehouse: nothing in the statements is its own."""
    (statements,) = (block for block in blocks(ENGINES.read_text(encoding="utf-8")) if block.language == "sql")
    count, write, recount, publish = statements.source.strip().removesuffix(";").split(";")
    database = duckdb.connect()
    database.sql("CREATE TABLE people AS FROM read_csv('configs/census_5000.csv')")
    columns = {"quasi_identifiers": ["age", "sex", "education"], "sensitive": ["diagnosis"]}
    made = toolbox.generalise(database.sql(count), k=5, **columns)
    database.register("mapping", made.mapping)
    database.register("classes", made.classes)
    database.sql(write)
    assert made.verify(database.sql(recount)).records == RECORDS
    database.sql(publish)
    assert database.sql("SELECT count(*) FROM release").fetchall() == [(RECORDS,)]


JOBS = blocks((TOP / "docs" / "jobs.md").read_text(encoding="utf-8"))


def test_the_line_for_cron_releases_in_the_environment_that_cron_knows(folder: Path) -> None:
    """cron starts a shell with next to no environment, in the home of the user."""
    (configuration,) = (block for block in JOBS if block.file == "census.xml")
    (line,) = (block.source for block in JOBS if block.language == "cron")
    assert re.match(r"30 2 1 \* \*  cd /srv/census && ", line)
    (folder / "census.xml").write_text(configuration.source, encoding="utf-8")
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "toolbox").symlink_to(Path(sys.executable).with_name("toolbox"))
    command = line.split(maxsplit=5)[5].replace("/srv/census", str(folder))
    done = children.run(command, shell=True, capture_output=True, env={"PATH": "/usr/bin:/bin"}, cwd="/", text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "release.csv").exists()
    assert (folder / "report.json").exists()


def test_the_task_of_airflow_tries_again_only_where_that_helps(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("airflow.sdk", reason="Airflow is not installed: pip install 'apache-airflow>=3'")
    from airflow.sdk.exceptions import AirflowFailException

    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    (configuration,) = (block for block in JOBS if block.file == "census.xml")
    (task,) = (block for block in JOBS if block.file == "census_dag.py")
    names: dict[str, Any] = {"__name__": "census_dag"}
    run_block(task.source, name="jobs.md", line=task.line, names=names)
    with pytest.raises(AirflowFailException, match="There is no such file"):
        names["release"].function()
    (folder / "census.xml").write_text(configuration.source.replace("census_5000", "absent"), encoding="utf-8")
    with pytest.raises(subprocess.CalledProcessError) as failed:
        names["release"].function()
    assert failed.value.returncode == 4
    (folder / "census.xml").write_text(configuration.source, encoding="utf-8")
    names["release"].function()
    assert (folder / "release.csv").exists()


def test_the_readme_shows_python() -> None:
    assert "python" in [block.language for block in blocks((TOP / "README.md").read_text(encoding="utf-8"))]


def test_the_commands_of_the_readme_run_on_a_fresh_clone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (TOP / "README.md").read_text(encoding="utf-8").replace("\\\n", "")
    commands = re.findall(r"^toolbox .+$", text, flags=re.MULTILINE)
    # What needs a database or a cluster has pages of its own; so has what takes long.
    elsewhere = ("--engine", *(() if is_thorough() else (" compare ", " singletons ", " experiment ")))
    own = [command for command in commands if not any(part in command for part in elsewhere)]
    assert len(own) >= 8
    for command in own:
        status, printed = run_line(command, capsys)
        assert status == 0, f"{command}\n{printed}"
    assert (folder / "release.html").exists()


def test_a_block_is_found_where_it_stands() -> None:
    text = "# Page\n\n```python\na = 1\n```\n\n- item\n\n  ```python b.py\n  if b:\n      b = 3\n  ```\n```\nls\n```\n"
    assert blocks(text) == [Block(4, "python", "", "a = 1\n"), Block(10, "python", "b.py", "if b:\n    b = 3\n")]


def test_a_wrong_example_fails() -> None:
    names: dict[str, Any] = {}
    run_block(">>> n = 1\n>>> n\n1\n", name="page", line=1, names=names)
    assert names["n"] == 1
    with pytest.raises(AssertionError, match="Expected"):
        run_block(">>> n + 1\n3\n", name="page", line=5, names=names)
    with pytest.raises(NameError):
        run_block("missing\n", name="page", line=9, names=names)


def test_a_wrong_command_fails(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_console("$ echo one; echo two\none\n...\n$ true\n", capsys)
    run_console("$ toolbox --version > version\n$ toolbox --version && cat version\ntoolbox ...\ntoolbox ...\n", capsys)
    for wrong in ("$ echo one\ntwo\n", "$ false\n", "$ toolbox nothing\n", "$ false && toolbox --version\n..."):
        with pytest.raises(AssertionError):
            run_console(wrong, capsys)


# The method and the privacy model of docs/add_a_method.md


@pytest.fixture
def shown(folder: Path) -> dict[str, str]:
    """Write the files that the page shows; return its blocks by file or language."""
    page = blocks(ADD_A_METHOD.read_text(encoding="utf-8"))
    for block in page:
        if block.file:
            (folder / block.file).write_text(block.source, encoding="utf-8")
    return {block.file or block.language: block.source for block in page}


def test_the_entry_points_of_the_page_lead_to_what_it_shows(shown: dict[str, str]) -> None:
    groups = tomllib.loads(shown["toml"])["project"]["entry-points"]
    assert groups.keys() == {methods.GROUP, models.GROUP}
    for group, base in ((methods.GROUP, Anonymizer), (models.GROUP, PrivacyModel)):
        for name, target in groups[group].items():
            assert load_reference(target, base, "class").name == name


def test_once_installed_both_are_known_to_a_configuration_by_their_names(
    folder: Path, shown: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The working folder itself is none of those where Python finds what is installed.
    monkeypatch.setenv("PYTHONPATH", str(folder))
    facts = folder / "theirs-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    groups = tomllib.loads(shown["toml"])["project"]["entry-points"]
    lines = (f"[{group}]\n" + "".join(f"{name} = {to}\n" for name, to in groups[group].items()) for group in groups)
    (facts / "entry_points.txt").write_text("\n".join(lines))
    config = shown["patients.xml"].replace(" k='3'", " method='samarati'")
    listed = "<privacy><model name='k-anonymity' k='2'/><model name='alpha-deassociation' alpha='0.6'/></privacy>"
    (folder / "patients.xml").write_text(config.replace("<qid>", f"{listed}<qid>"))
    finished = run_as_program("-config", "patients.xml", "--json", cwd=folder).succeeded()
    assert finished.document["method"] == "Samarati"
    assert [(one["name"], one["achieved"]) for one in finished.document["models"]] == [
        ("k-anonymity", 6),
        ("alpha-deassociation", 0.5),
    ]


def test_each_test_that_the_promises_name_is_there() -> None:
    named = NAMED_TEST.findall((TOP / "SECURITY.md").read_text(encoding="utf-8"))
    present = {path.relative_to(TOP).as_posix() for path in (TOP / "tests").rglob("test_*.py")}
    assert len(named) > 10
    assert [name for name in named if not any(path.endswith(name) for path in present)] == []
