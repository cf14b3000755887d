"""Privacy models by other people that fail, or give what is no answer: an error that names them and what is expected."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pandas as pd
import pytest

import toolbox
from toolbox.errors import ModelError

_MODULE = """
from dataclasses import dataclass
from sqlalchemy import func, literal, select
from toolbox import PrivacyModel

@dataclass(frozen=True, kw_only=True)
class Mine(PrivacyModel):
    name = "mine"
    monotone = True
    suppression_helps = True

    @property
    def required(self):
        return {required}

    @property
    def least_records(self):
        return {least}

    def achieved(self, classes):
        key, size = classes.sizes.c.equivalence_id, classes.sizes.c.size
        return {achieved}

    def holds(self, achieved):
        return {holds}

    def worst(self, achieved):
        return {worst}
"""
SOUND = {
    "required": "2",
    "least": "2",
    "achieved": "select(key, size.label('achieved'))",
    "holds": "achieved >= 2",
    "worst": "func.min(achieved)",
}
PEOPLE = pd.DataFrame({"age": [23, 25, 24, 61, 67, 64], "ill": list("abcabc")})
_SELECT = (
    "achieved() must return a select of equivalence_id and achieved, a number, with one row for each class. "
    "Nothing was released."
)
_ROW = (
    "It must give each class one row: its equivalence_id, and achieved, a number that holds() can judge. "
    "Nothing was released."
)
_SQL = "() must return SQL, an expression of the achieved value. Nothing was released."
_CORRECT = "Correct the model. Nothing was released."
WRONG = [
    ("achieved", "select(key, size)", f"its select has no column 'achieved'; it has equivalence_id, size. {_SELECT}"),
    (
        "achieved",
        "select(size.label('achieved'))",
        f"its select has no column 'equivalence_id'; it has achieved. {_SELECT}",
    ),
    ("achieved", "None", f"achieved() returned NoneType, no select. {_SELECT}"),
    ("achieved", "select(key, func.no_such(size).label('achieved'))", f"CatalogException. {_SELECT}"),
    ("achieved", "select(key, literal('x').label('achieved'))", f"BinderException. {_SELECT}"),
    ("achieved", "{}['x']", f"KeyError in theirs.py, line 22. {_CORRECT}"),
    ("achieved", "classes.histogram.c.value", f"AttributeError in theirs.py, line 22. {_CORRECT}"),
    ("achieved", "select(key, size.label('achieved')).where(size < 0)", f"of one class it has 0 rows. {_ROW}"),
    (
        "achieved",
        "select(key, size.label('achieved')).union_all(select(key, size))",
        f"of one class it has 2 rows. {_ROW}",
    ),
    ("achieved", "select(key, func.nullif(size, 6).label('achieved'))", f"achieved is NoneType, no number. {_ROW}"),
    (
        "achieved",
        "select(literal(5).label('equivalence_id'), size.label('achieved'))",
        f"its equivalence_id is that of no class. {_ROW}",
    ),
    ("holds", "True", f"holds() returned bool. holds{_SQL}"),
    ("holds", "1 / 0", f"ZeroDivisionError in theirs.py, line 25. {_CORRECT}"),
    ("holds", "achieved + 1", f"holds() is int, neither true nor false. {_ROW}"),
    ("worst", "2", f"worst() returned int. worst{_SQL}"),
    ("least", "'x'", "least_records is str. Return a whole number. Nothing was released."),
    ("least", "{}[1]", f"KeyError in theirs.py, line 18. {_CORRECT}"),
    ("required", "None", "required is NoneType. Return a number. Nothing was released."),
]


def model(folder: Path, monkeypatch: pytest.MonkeyPatch, **said: str) -> toolbox.PrivacyModel:
    written = _MODULE
    for name, code in {**SOUND, **said}.items():
        written = written.replace(f"{{{name}}}", code)
    (folder / "theirs.py").write_text(written)
    monkeypatch.syspath_prepend(str(folder))
    # It is imported anew for each test; errors find the file of the module that is imported then.
    monkeypatch.setitem(sys.modules, "theirs", None)
    del sys.modules["theirs"]
    importlib.invalidate_caches()
    made: toolbox.PrivacyModel = importlib.import_module("theirs").Mine()
    return made


def anonymised(mine: toolbox.PrivacyModel, method: str) -> toolbox.Result:
    return toolbox.anonymize(
        PEOPLE,
        quasi_identifiers=["age"],
        sensitive=["ill"],
        hierarchies={"age": "intervals:10,50"},
        models=[mine],
        method=method,
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["Mondrian", "Flash"])
def test_a_sound_model_is_honoured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    (proved,) = anonymised(model(tmp_path, monkeypatch), method).summary.proof.models
    assert (proved.name, proved.required, proved.holds) == ("mine", 2, True)
    assert proved.achieved >= 2


@pytest.mark.slow
@pytest.mark.parametrize(("part", "code", "said"), WRONG)
def test_a_wrong_model_is_named_with_what_is_expected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, code: str, said: str
) -> None:
    mine = model(tmp_path, monkeypatch, **{part: code})
    with pytest.raises(ModelError) as caught:
        anonymised(mine, "Mondrian")
    assert str(caught.value) == f"The privacy model mine failed: {said}"
