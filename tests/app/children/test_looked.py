"""What is found out of columns says a role of a project, a kind and a builder for each."""

import pickle
from pathlib import Path

from toolbox.app.children.profile_cache import profile_columns
from toolbox.messages import show, speak


def test_each_column_has_what_the_screen_shows(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = "".join(
        f"p{row}@example.org,{row % 28 + 1:02}.03.19{50 + row % 40},{'NA' if row % 9 else 'flu'}\n" for row in range(90)
    )
    path.write_text(f"email,born,illness\n{rows}")
    email, born, illness = profile_columns(path, header=True)
    assert (email.role, email.values, email.alone, email.missing) == ("identifier", 90, 90, 0)
    assert (born.role, born.kind, born.hierarchy) == ("quasi-identifier", "date %d.%m.%Y", "dates:month,year,decade")
    assert (illness.role, illness.missing, illness.hierarchy) == ("sensitive", 80, "auto:0")
    assert all("qid" not in column.why and "sens." not in column.why for column in (email, born, illness))


def test_what_was_found_once_is_said_in_each_language_that_is_chosen_later(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = "".join(f"{20 + row % 5},{row * 7 % 9},{row * 5 % 11},{row * 3 % 13}\n" for row in range(60))
    path.write_text(f"age,item1,item2,item3\n{rows}")
    with speak("de"):  # as a page that was asked for in German takes what a child sends
        found = pickle.loads(pickle.dumps(profile_columns(path, header=True)))
    told = {}
    for language in ("de", "en", "fr"):
        with speak(language):
            told[language] = [(show(column.why), show(column.evidence)) for column in found]
    assert told["de"][0] == ("andere können das wissen: Alter", "5 Werte")
    assert told["en"][0] == ("others may know ages", "5 values")
    assert told["de"][1][0].endswith("wenn niemand es kennt, machen Sie die Spalte sensibel")
    assert told["en"][1][0].endswith("if nobody knows it, make it sensitive")
    assert all(not set(told["fr"][place]) & {*told["de"][place], *told["en"][place]} for place in range(4))
