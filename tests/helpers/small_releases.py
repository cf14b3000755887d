"""Small finished tables, and releases of them as their receivers read them."""

from dataclasses import replace

from helpers.small_tables import load
from sqlalchemy import Integer, case, cast, literal, select

from toolbox.config.model import Config, Output
from toolbox.release.files.part import Part
from toolbox.release.returned import to_arrow
from toolbox.store.engine.store import Store
from toolbox.store.load.loading import Loaded
from toolbox.store.tables import Tables

PEOPLE = """
id  age  illness  sex  note
a   20   flu      F    x
b   31   cold     M    y
c   38   gout     M    z
d   20   flu      F    u
e   44   cold     F    v
"""
HIERARCHIES = {"age": "20 young *\n31 old *\n38 old *\n44 old *", "sex": "F person\nM person"}
KEEP = Config(source="the test", path=None, input=None, output=Output(path=None), quasi_identifiers=())
DROP = replace(KEEP, output=Output(path=None, suppressed="drop"))


def finished(store: Store, *, suppress_from: int = 44) -> tuple[Tables, Loaded]:
    """Generalise age by one level, and suppress who is that old or older."""
    loaded = load(store, PEOPLE, "sex age", hierarchies=HIERARCHIES, identifiers="id")
    tables = loaded.tables
    sex, age = tables.quasi_identifiers
    combination = tables.combinations
    is_old = age.ground.c.value >= suppress_from
    chosen = select(
        combination.c.combination_id,
        combination.c.size,
        is_old.label("suppressed"),
        case((is_old, cast(literal(sex.root), Integer)), else_=combination.c.interval_1).label("interval_1"),
        case((is_old, cast(literal(age.root), Integer)), else_=age.level(1)).label("interval_2"),
    ).join_from(combination, age.ground, age.ground.c.level_0 == combination.c.interval_2)
    return tables.recoded(chosen), loaded


def read(store: Store, part: Part) -> list[str]:
    rows = to_arrow(store, part).to_pydict()
    return [" ".join(part.headers), *(" ".join(map(str, row)) for row in zip(*rows.values(), strict=True))]
