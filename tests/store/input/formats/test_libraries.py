"""Libraries of the extra: where one is not installed, its name and the command are told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from toolbox.errors import UsageError
from toolbox.store.input.formats.table import import_library


@pytest.mark.parametrize(
    ("module", "package", "name"),
    [("python_calamine", "python-calamine", "p.xlsx"), ("pyreadstat", "pyreadstat", "p.sav")],
)
def test_a_library_that_is_not_installed_is_told(
    module: str, package: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert import_library(module, Path(name)).__name__ == module
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError) as caught:
        import_library(module, Path(name))
    assert str(caught.value) == (
        f"{name}: a file that ends in {Path(name).suffix} needs {package}, which is not installed. "
        "Write: pip install 'anonymisation-toolbox[files]'."
    )
