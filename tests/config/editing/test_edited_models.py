"""A list of models is written whole; comments in it stay."""

from toolbox.config.editing.edited import EditedDocument, list_required_models, set_models


def test_a_list_replaces_the_parameters_of_the_root_and_the_models_that_were_listed() -> None:
    document = EditedDocument("<config k='3'><privacy><!-- why --><model name='x'/></privacy></config>", "a test")
    set_models(document, [{"name": "k-anonymity", "k": "5"}], is_k_usual=False)
    assert list_required_models(document) == [{"name": "k-anonymity", "k": "5"}]
    assert "<!-- why -->" in document.text() and document.said() == {}
    set_models(document, [], is_k_usual=True)
    assert list_required_models(document) == [], "which is a fault, and no sudden k"
