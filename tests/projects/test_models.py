"""What is required is read and written in one form, whichever form the configuration has."""

import pytest

from toolbox import Project
from toolbox.config.editing.edited import EditedDocument
from toolbox.errors import UsageError
from toolbox.projects.edited_release import list_models, set_models


@pytest.mark.parametrize(
    ("xml", "method", "models"),
    [
        ("<config/>", "Mondrian", [{"type": "k-anonymity", "k": 10}]),
        ("<config k='3' l='2' t='0.1'/>", "Datafly", [{"type": "k-anonymity", "k": 3}]),
        ("<config k='3' l='2'/>", "Incognito_l", [{"type": "entropy l-diversity", "l": 2.0}]),
        ("<config l='2' c='3'/>", "Incognito_l", [{"type": "recursive (c,l)-diversity", "c": 3.0, "l": 2.0}]),
        ("<config t='0.1'/>", "Incognito_t", [{"type": "t-closeness", "t": 0.1}]),
        ("<config k='wrong'/>", "nobody's", [{"type": "k-anonymity", "k": 10}]),
        (
            "<config><privacy><model name='K-Anonymity' k='4'/><model name='other' q='x'/></privacy></config>",
            "Mondrian",
            [{"type": "k-anonymity", "k": 4}, {"type": "other", "q": "x"}],
        ),
    ],
)
def test_models_are_read(xml: str, method: str, models: list[dict[str, object]]) -> None:
    document = EditedDocument(xml, "a test")
    assert list_models(document, method) == models
    set_models(document, models, method)
    assert list_models(document, method) == models


def test_k_alone_needs_no_list_and_all_else_does() -> None:
    document = EditedDocument("<config k='3' c='2'><privacy><!-- why --><model name='x'/></privacy></config>", "a test")
    set_models(document, [{"type": "k-anonymity", "k": 5}], "Mondrian")
    assert document.said() == {"k": "5"} and document.root.find("privacy") is None
    set_models(document, [{"type": "t-closeness", "t": 0.25, "attribute": None}], "Mondrian")
    assert document.said() == {} and "<model name='t-closeness' t='0.25'/>" in document.text()
    with pytest.raises(UsageError, match="has no type"):
        set_models(document, [{"t": 0.2}], "Mondrian")


def test_no_digit_of_what_is_required_is_lost(declared: Project) -> None:
    declared.set_models(
        [
            {"type": "t-closeness", "t": 0.1999999, "attribute": "illness"},
            {"type": "entropy l-diversity", "l": 1.9999999, "attribute": "illness"},
            {"type": "delta-presence", "max": 0.9999999},
            {"type": "k-anonymity", "k": 1_000_001},
        ]
    )
    declared.set_weight("age", 1234567.5)
    declared.set_method("Datafly")
    for text in ("t='0.1999999'", "l='1.9999999'", "max='0.9999999'", "k='1000001'", "weight='1234567.5'"):
        assert text in declared.xml()
    declared.set_models([{"type": "t-closeness", "t": 0.2}, {"type": "entropy l-diversity", "l": 2.0}])
    assert "t='0.2'" in declared.xml() and "l='2'" in declared.xml()
