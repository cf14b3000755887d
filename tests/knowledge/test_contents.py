"""What texts look like: each look on texts that it takes in, and on texts that only come near."""

from collections.abc import Iterator

import pytest
from sqlalchemy import String, literal, select

from toolbox.knowledge.texts import CONTACTS, extract_year, is_date, is_prose, may_be_iban
from toolbox.store.engine.store import Store

LOOKS = {look.name: look.test for look in CONTACTS} | {
    "dates": is_date,
    "prose": is_prose,
    "IBAN": may_be_iban,
}


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    with Store() as opened:
        yield opened


@pytest.mark.parametrize(
    ("look", "alike", "others"),
    [
        (
            "e-mail addresses",
            ["ada@example.org", "write to bo.c+x@mail.example.com, please", "é@exämple.at"],
            ["ada@home", "@example.org", "a at b.org", "1@2.3"],
        ),
        ("web addresses", ["https://example.org/1", "see www.example.org", "HTTP://X"], ["example.org", "www", "http"]),
        (
            "telephone numbers",
            [
                "+43 664 1234567",
                "0043/1/58801-0",
                "0664 1234567",
                "06 12 34 56 78",
                "(212) 555-0123",
                "+1-212-555-0123",
            ],
            ["01.02.1990", "1990-02-01", "2.50", "12345678", "01067", "K29.7", "2024-01-01 10:00", "10 000 000"],
        ),
        (
            "dates",
            ["1971-03-05", "5.3.1971", "03/05/1971", "1971/3/5", "1971-03-05 10:11:12", "1971-03-05T10:11:12Z"],
            ["1971", "1971-03", "5.3.71", "1.2.3.4", "12-34"],
        ),
        ("prose", ["came in with a bad cough", "Mr Gruber\ncoughs"], ["acute viral hepatitis A", "flu"]),
        ("IBAN", ["AT61 1904 3002 3457 3201", "de89370400440532013000"], ["AT61", "1904300234573201AT61", "AT6x"]),
    ],
)
def test_a_look_takes_in_what_looks_so_and_nothing_else(store: Store, look: str, alike: list, others: list) -> None:
    def takes_in(text: str) -> bool:
        return bool(store.scalar(select(LOOKS[look](literal(text, String)))))

    assert [text for text in alike if not takes_in(text)] == []
    assert [text for text in others if takes_in(text)] == []


def test_the_year_of_a_date_is_its_four_digits(store: Store) -> None:
    texts = ["1971-03-05", "05.03.1971", "3/5/1971 10:11"]
    assert [store.scalar(select(extract_year(literal(text, String)))) for text in texts] == [1971, 1971, 1971]
