"""Wrong data, each with what must be said about it."""

from __future__ import annotations

import gzip

from helpers.hostile import configuration
from helpers.wrong import GOOD, INPUT, MAPPED, NUMBER, UNSATISFIABLE, Wrong

DATA = [
    Wrong("an input that is not there", ("in.csv", "No such file"), INPUT, data=None),
    Wrong(
        "a pattern without files",
        ("no file has a name of this pattern",),
        INPUT,
        config=configuration(source="no-*.csv"),
    ),
    Wrong("an empty input", ("in.csv is empty", "at least one record"), INPUT, data=""),
    Wrong("an input of blank lines", ("only empty lines",), INPUT, data="\n\r\n\n"),
    Wrong("an input with a header only", ("holds no record",), INPUT, data="a,b\n"),
    Wrong(
        "a word in a column of numbers",
        ("column a", "'aaaa'", "line 3", "no number", "type='category'"),
        INPUT,
        data="a,b\n1,2\nJohn,3\n2,4\n",
        config=configuration(NUMBER),
        hides=("John",),
    ),
    *(
        Wrong(
            f"{text} in a column of numbers",
            ("column a", "line 4", "no number"),
            INPUT,
            data=f"a,b\n1,2\n1,3\n{text},4\n",
            config=configuration(NUMBER),
        )
        for text in ("NaN", "inf", "-Infinity", "1e400", "0x1F", "1__0", "12 000", "٣")
    ),
    Wrong(
        "a word in a column of numbers, behind a separator of five characters",
        ("column a", "line 3", "no number"),
        INPUT,
        data="a-----b\n1-----2\nJohn-----3\n2-----4\n",
        config=configuration(NUMBER, given="header='true' separator='-----'"),
        hides=("John",),
    ),
    Wrong(
        "faults among records that are skipped: only the faulty line is named",
        ("'aaa' (line 3) is no number",),
        INPUT,
        data="a,b\n30,\nabc,1\n31,1\n32,?\n",
        config=configuration(NUMBER, sens="<att name='b' type='category'/>"),
    ),
    Wrong(
        "a fault behind a quoted line end: the line is that of an editor",
        ("'aa' (line 5) is no number",),
        INPUT,
        data='a,b\n1,"x\ny\nz"\nzz,3\n',
        config=configuration(NUMBER),
    ),
    Wrong(
        "a value outside the hierarchy",
        ("column a", "'999'", "line 3", "outside the hierarchy", "Widen"),
        INPUT,
        data="a,b\n1,2\n107,3\n",
        config=configuration("<att name='a'><vgh value='[0:100]'/></att>"),
        hides=("107",),
    ),
    Wrong(
        "a number that the hierarchy file does not list",
        ("column a", "line 3", "outside the hierarchy"),
        INPUT,
        data="a,b\n1,2\n3,3\n",
        config=configuration("<att name='a'><vgh file='h.csv'/></att>"),
        others=(("h.csv", "1;*\n2;*\n"),),
    ),
    Wrong(
        "a quasi-identifier's category that the map lacks",
        ("column a", "'green'", "line 3", "no declared category", "Declare it"),
        INPUT,
        data="a,b\nred,2\ngreen,3\n",
        config=configuration(f"<att name='a'>{MAPPED}</att>"),
    ),
    Wrong(
        "a sensitive category that the map lacks: its value is not shown",
        ("column b", "'aaa 9'", "line 3", "no declared category"),
        INPUT,
        data="a,b\nx,red\nx,flu 7\n",
        config=configuration(sens=f"<att name='b'>{MAPPED}</att>"),
        hides=("flu 7",),
    ),
    Wrong("lines of any length but the first one's", ("none of 2 lines fits",), INPUT, data="a,b\n1\n1,2,3\n"),
    Wrong(
        "a quote that never closes",
        ("in.csv, line 3", "a quote opens here and never closes", '""'),
        INPUT,
        data='a,b\n1,2\n1,"x\n1,3\n1,4\n',
    ),
    Wrong(
        "a quote that never closes, in the last line",
        ("in.csv, line 4", "a quote opens here and never closes"),
        INPUT,
        data='a,b\n1,2\n1,2\n1,"x',
    ),
    Wrong(
        "a quote that never closes, in the header: no cell is shown",
        ("in.csv, line 1", "quote"),
        INPUT,
        data='"a,b\n1,measles\n1,mumps\n',
        hides=("measles", "mumps"),
    ),
    Wrong(
        "text that is not UTF-8",
        ("in.csv, line 4", "not", "encoding='windows-1252'"),
        INPUT,
        data="a,b\n1,2\n1,3\n1,\xe9\n1,4\n".encode("latin-1"),
    ),
    Wrong(
        "text that is not UTF-8, far behind the beginning",
        ("in.csv, line 5004", "not", "encoding='windows-1252'"),
        INPUT,
        data=("a,b\n1,2\n1,3\n" + "2,2222222\n" * 5000 + "2,\xe9\n2,5\n").encode("latin-1"),
    ),
    Wrong(
        "text that is not ASCII, as it says",
        ("in.csv", "not", "encoding="),
        INPUT,
        data="a,b\n1,2\n1,é\n",
        config=configuration(given="header='true' encoding='ascii'"),
    ),
    Wrong(
        "text that is not UTF-16, as it says",
        ("in.csv", "not utf-16", "encoding='utf-8'"),
        INPUT,
        config=configuration(given="header='true' encoding='utf-16'"),
    ),
    Wrong(
        "missing values where they are forbidden",
        ("values are missing", "column a: missing (lines 3, 5)", "onMissing='skip'"),
        INPUT,
        data="a,b\n1,2\n,3\n1,4\n?,5\n",
        config=configuration(given="header='true' onMissing='fail'"),
    ),
    Wrong(
        "nothing but missing values",
        ("all 3 records lack a declared value", "onMissing="),
        INPUT,
        data="a,b\n?,2\n,3\n?,4\n",
    ),
    Wrong(
        "a missing number where missing is a category",
        ("column a", "line 3", "onMissing='skip'"),
        INPUT,
        data="a,b\n1,2\n?,3\n",
        config=configuration(NUMBER, given="header='true' onMissing='keep'"),
    ),
    Wrong("a gzip file that is cut off", ("in.csv",), INPUT, data=gzip.compress(GOOD.encode() * 2000)[:-40]),
    Wrong("a gzip file that lacks its last byte", ("in.csv",), INPUT, data=gzip.compress(GOOD.encode())[:-1]),
    Wrong(
        "a gzip file of which a byte has changed",
        ("in.csv",),
        INPUT,
        data=b"%b\0%b" % (gzip.compress(GOOD.encode())[:-6], gzip.compress(GOOD.encode())[-5:]),
    ),
    Wrong("a gzip file that is none", ("in.csv",), INPUT, data=b"\x1f\x8bno gzip at all"),
    Wrong(
        "a Parquet file that is none",
        ("in.parquet", "not a readable Parquet file"),
        INPUT,
        config=configuration(source="in.parquet"),
        others=(("in.parquet", "PAR1 and nothing else"),),
    ),
    Wrong(
        "a table with fewer records than k",
        ("4 records", "at least 5", "Lower k"),
        UNSATISFIABLE,
        arguments=("-k", "5"),
    ),
    Wrong(
        "a table with fewer records than k once those with missing values are skipped",
        ("1 record,", "at least 2"),
        UNSATISFIABLE,
        data="a,b\n1,2\n?,3\n",
        config=configuration(given="header='true' onMissing='skip'"),
    ),
    Wrong(
        "more than one record in a hundred that lacks a value, and nobody has chosen what becomes of it",
        ("2 of 4 records lack a declared value (a 2)", "onMissing='skip' leaves them out", "onMissing='keep'"),
        data="a,b\nx,2\n?,3\nx,3\n,1\n",
    ),
]
