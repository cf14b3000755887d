"""What is uploaded is complete: built from a copy, checked, installed into an empty environment, run outside the tree."""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest
from helpers import children

TOP = Path(__file__).parents[1]
NEEDED = ("pyproject.toml", "README.md", "LICENSE", "schemas", "toolbox")
LEFT_OUT = shutil.ignore_patterns("__pycache__")


def run(*command: str | Path, folder: Path) -> str:
    # An installer that saw this checkout on the path would take it for installed.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [str(word) for word in command]
    finished = children.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with a wheel and an sdist; the wheel is built from the sdist, as installers do."""
    pytest.importorskip("build", reason="build is not installed: pip install -e '.[dev]'")
    source = tmp_path_factory.mktemp("source")
    for name in NEEDED:
        if (TOP / name).is_dir():
            shutil.copytree(TOP / name, source / name, symlinks=True, ignore=LEFT_OUT)
        else:
            shutil.copy(TOP / name, source / name)
    target = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--outdir", target, source, folder=source)
    return target


@pytest.mark.slow
def test_the_checks_of_the_index_pass(built: Path) -> None:
    pytest.importorskip("twine", reason="twine is not installed: pip install -e '.[dev]'")
    run(sys.executable, "-m", "twine", "check", "--strict", *built.iterdir(), folder=built)


@pytest.mark.slow
def test_each_file_of_the_package_is_in_both(built: Path) -> None:
    package = TOP / "toolbox"
    files = {
        path.relative_to(TOP).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc" and path.name != "README.md"
    }
    (wheel,) = built.glob("*.whl")
    (sdist,) = built.glob("*.tar.gz")
    with ZipFile(wheel) as archive:
        assert files - set(archive.namelist()) == set()
    with tarfile.open(sdist) as archive:
        assert files - {name.partition("/")[2] for name in archive.getnames()} == set()


@pytest.mark.slow
def test_it_runs_where_nothing_else_is_installed(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    programs = tmp_path / "empty" / "bin"
    run(programs / "pip", "install", "--quiet", wheel, folder=tmp_path)
    shutil.copytree(TOP / "configs", tmp_path / "configs")
    run(programs / "toolbox", "-config", "configs/census_mondrian.xml", "-output", "release.csv", folder=tmp_path)
    run(programs / "toolbox", "check", "release.csv", "-config", "configs/census_mondrian.xml", folder=tmp_path)
    where = run(programs / "python", "-c", "import toolbox; print(toolbox.__file__)", folder=tmp_path)
    assert str(tmp_path) in where
    public = "import toolbox; print(len([getattr(toolbox, name) for name in toolbox.__all__]))"
    assert int(run(programs / "python", "-c", public, folder=tmp_path)) > 50
