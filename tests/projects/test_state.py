"""A project is its texts: the same texts are the same project, before and after any edits."""

from __future__ import annotations

import pytest
from helpers.amounts import times
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolbox import Project
from toolbox.config.editing.saving import list_differences
from toolbox.errors import UsageError


def test_a_state_can_be_had_again_also_in_another_process(declared: Project) -> None:
    declared.set_rows("town", [("Graz", "*"), ("Linz", "*")])
    before, config = declared.snapshot(), declared.config()
    declared.set_rows("town", [("Graz", "x", "*"), ("Linz", "y", "*")])
    declared.set_role("age", "other")
    after = declared.snapshot()
    declared.restore(before)
    assert list_differences(config, declared.config()) == []
    assert declared.hierarchy("town") == [("Graz", "*"), ("Linz", "*")]
    assert Project(declared.path, after).hierarchy("town") == [("Graz", "x", "*"), ("Linz", "y", "*")]


ROLES = st.sampled_from(["identifier", "quasi-identifier", "sensitive", "other"])
EDITS = st.one_of(
    st.tuples(st.just("set_role"), st.sampled_from(["name", "age", "town", "illness"]), ROLES),
    st.tuples(st.just("set_builder"), st.sampled_from(["age", "town"]), st.sampled_from(["auto:2", "prefix:1"])),
    st.tuples(
        st.just("set_rows"),
        st.sampled_from(["age", "town"]),
        st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=1, max_size=3),
    ),
    st.tuples(st.just("set_priority"), st.sampled_from(["age", "town"]), st.integers(1, 9)),
    st.tuples(st.just("set_kind"), st.sampled_from(["age", "town"]), st.sampled_from(["number", "category", None])),
    st.tuples(st.just("set_method"), st.sampled_from(["Mondrian", "Datafly", "OLA"])),
    st.tuples(st.just("remove_hierarchy"), st.sampled_from(["age", "town"])),
)


@pytest.mark.slow
@given(st.lists(EDITS, max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=times(10, slow=200))
def test_after_any_edits_text_and_project_are_the_same_thing(project: Project, edits: list[tuple[object, ...]]) -> None:
    start = project.snapshot()
    for name, *arguments in edits:
        try:
            getattr(project, str(name))(*arguments)
        except UsageError:
            continue
    snapshot = project.snapshot()
    again = Project(project.path, snapshot)
    assert again.snapshot() == snapshot
    assert again.columns() == project.columns()
    assert again.faults() == project.faults()
    assert [again.models, again.method] == [project.models, project.method]
    project.restore(start)
    assert project.snapshot() == start
