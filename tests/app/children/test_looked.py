"""What is found out of columns says a role of a project, a kind and a builder for each."""

from pathlib import Path

from toolbox.app.children.profile_cache import profile_columns


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
