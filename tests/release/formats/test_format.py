"""What each format writes, ours and those of others."""

import pytest
from helpers.small_tables import declared, load

from toolbox.config.formats import FORMATS, FormatName
from toolbox.release.release import release_parts
from toolbox.store.engine.store import Store


@pytest.mark.slow
@pytest.mark.parametrize(
    ("output_format", "headers"),
    [
        ("genVals", [("age", "illness")]),
        ("genValsDist", [("age", "age_mean:variance", "illness")]),
        ("anatomy", [("age", "group"), ("group", "illness")]),
    ],
)
def test_the_configuration_chooses_the_format(
    store: Store, output_format: FormatName, headers: list[tuple[str, ...]]
) -> None:
    config = declared("age", output_format=output_format)
    loaded = load(store, "age illness\n1 flu\n1 cold\n", config)
    assert [part.headers for part in release_parts(config, loaded.tables, loaded.layout)] == headers


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", FORMATS.names)
def test_a_format_has_a_table_for_each_of_its_suffixes(store: Store, name: FormatName) -> None:
    config = declared("age", output_format=name)
    loaded = load(store, "age illness\n1 flu\n1 cold\n", config)
    suffixes = tuple(part.suffix for part in release_parts(config, loaded.tables, loaded.layout))
    assert suffixes == FORMATS[name].suffixes
