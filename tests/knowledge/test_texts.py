"""What the texts of a column look like together: columns that are something, and columns that only come near."""

from __future__ import annotations

import pytest

from toolbox.knowledge.texts import is_ip, is_pair_of_coordinates, may_be_names, recognise_content


def looks_like(*texts: str, records: int = 2) -> str | None:
    found = recognise_content(dict.fromkeys(texts, records))
    return None if found is None else found.meaning.key


@pytest.mark.parametrize(
    ("key", "texts"),
    [
        ("email", ["ada@example.org", "none", "nothing"]),
        ("web", ["https://example.org/a", "x"]),
        ("telephone", ["+43 664 1234567", "0664 1234567", "(212) 555-0123"]),
        ("telephone", [*(f"word {n}" for n in range(9)), "call +43 664 1234567 after five"]),
        ("telephone", [*(f"word {n}" for n in range(9)), "(+1 212 555 0123)"]),
        ("iban", [*(f"word {n}" for n in range(9)), "pays from AT61 1904 3002 3457 3201"]),
        ("iban", ["AT61 1904 3002 3457 3201", "DE89370400440532013000"]),
        ("card", ["4111 1111 1111 1111", "378282246310005"]),
        ("national", ["756.9217.0769.85", "756.1234.5678.97"]),
        ("national", ["RSSMRA85T10A562S", "MRTMTT91D08F205J"]),
        ("national", ["078-05-1120", "219-09-9999"]),
        ("uuid", ["123e4567-e89b-12d3-a456-426614174000"]),
        ("device", ["00:1B:44:11:3A:B7"]),
        ("ip", ["10.0.0.1", "2001:db8::1"]),
        ("address", ["Hauptstraße 12", "12 Main Street", "12, rue du Bac", "Via Roma 3", "Calle Mayor 5"]),
        ("coordinates", ["47.0707, 15.4395", "48.2082, 16.3738"]),
        ("sex", ["m", "f"]),
        ("sex", ["Male", "Female", "Other"]),
        ("sex", ["H", "M"]),
        ("marital", ["Married", "Divorced", "Never-married"]),
        ("marital", ["ledig", "verheiratet", "verwitwet"]),
        ("race", ["White", "Black", "Asian-Pac-Islander"]),
        ("country", ["United-States", "Cuba", "Germany", "?"]),
        ("country", ["Österreich", "Deutschland", "Italien"]),
        ("education", ["Bachelors", "Masters", "HS-grad"]),
        ("occupation", ["Sales", "Craft-repair", "Other-service"]),
        ("religion", ["römisch-katholisch", "muslimisch", "ohne Bekenntnis"]),
        ("person", ["Anna Gruber", "Paul Müller", "Xaver Zwettler"]),
        ("text", ["came in with a bad cough", "asked to be called back later"]),
    ],
)
def test_a_column_is_known_by_its_values(key: str, texts: list[str]) -> None:
    assert looks_like(*texts, records=1 if key == "text" else 3) == key


@pytest.mark.parametrize(
    "texts",
    [
        ["red", "green"],
        ["m"],
        ["f", "t"],
        ["1", "2"],
        ["12345", "67890"],
        ["1234567890123456", "1234567890123457"],
        ["AT611904300234573202", "x"],
        ["order 0012345678", "+1", "1 + 12345678", "x+1234567890"],
        ["A1", "B2"],
        ["1.2.3.4.5", "3.14"],
        ["Spring Street", "the long way home"],
        ["47.0707", "15.4395"],
        [],
    ],
)
def test_a_column_that_only_comes_near_is_nothing(texts: list[str]) -> None:
    assert looks_like(*texts) is None


def test_codes_of_diagnoses_repeat_and_begin_with_several_letters() -> None:
    assert looks_like("J45.0", "I10", "E11.9", records=5) == "icd"
    assert looks_like("P10.0", "P11.0", "P12.0", records=5) is None
    assert looks_like("P100", "Q110", "R120", records=1) is None


def test_one_address_among_five_hundred_texts_is_found_and_its_share_is_told() -> None:
    found = recognise_content({"ada@example.org": 1, "no": 499})
    assert found is not None
    assert (found.meaning.key, found.share) == ("email", 0.002)
    assert recognise_content({"ada@example.org": 1, "no": 500}) is None


def test_what_is_written_for_no_answer_does_not_count() -> None:
    assert looks_like("Not in universe", "Texas", "Ohio", "Utah", "Iowa", "Maine") == "region"
    many = recognise_content({"Not in universe": 900, "Texas": 3, "Ohio": 4})
    assert many is not None
    assert many.meaning.key == "region"


@pytest.mark.parametrize(
    ("text", "are_names"),
    [
        ("Xaver Zwettl{}", True),
        ("O'Neill{}, Mary-Ann", True),
        ("Blue{} whale", False),
        ("Anna{}", False),
        ("A{} 1", False),
    ],
)
def test_words_with_capitals_side_by_side_may_be_names(text: str, are_names: bool) -> None:
    assert may_be_names({text.format(letter): 3 for letter in "abcdefghijklmnop"}) is are_names
    assert not may_be_names({text.format(letter): 3 for letter in "abc"})


def test_remarks_that_repeat_are_no_free_text() -> None:
    assert recognise_content({"some college but no degree": 50, "high school and no more": 50}) is None


@pytest.mark.parametrize(
    ("text", "is_one"), [("192.168.0.1", True), ("::1", True), ("1.2.3", False), ("256.1.1.1", False), ("12:30", False)]
)
def test_an_address_of_a_computer(text: str, is_one: bool) -> None:
    assert is_ip(text) is is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("47.0707, 15.4395", True), ("(-33.8688;151.2093)", True), ("47.07, 15.44", False), ("91.1234, 95.1234", False)],
)
def test_a_pair_of_coordinates(text: str, is_one: bool) -> None:
    assert is_pair_of_coordinates(text) is is_one
