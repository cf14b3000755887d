"""Wrong configurations and command lines, each with what must be said about it."""

from __future__ import annotations

from helpers.hostile import CATEGORY, configuration
from helpers.wrong import MAPPED, Wrong, number_with

REMOTE = "<config>\n<input {given}/>\n<output {release}/>\n<qid><att name='a'/></qid></config>"
DATABASE = "postgresql://ada:s3cret@h/db"

CONFIGURATIONS = [
    Wrong(
        "a configuration that is not there",
        ("c.xml: There is no such file. Write the path of a configuration.",),
        config=None,
    ),
    Wrong("a configuration that is no XML", ("line 1", "not an XML file", "Begin it with <config>"), config="k = 5\n"),
    Wrong("a configuration that is empty", ("The file is empty", "<config>"), config=""),
    Wrong("an element that is not closed", ("line 2", "<input>", "</config>"), config="<config>\n<input>\n</config>"),
    Wrong("another root element", ("line 1", "<konfig>", "<config>"), config="<konfig/>"),
    Wrong(
        "an entity bomb",
        ("line 2", "DOCTYPE", "Remove it"),
        config="<?xml version='1.0'?>\n<!DOCTYPE c [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]>\n<config k='&b;'/>",
    ),
    Wrong(
        "an entity that is another file",
        ("line 1", "DOCTYPE"),
        config="<!DOCTYPE c [<!ENTITY x SYSTEM 'secret.txt'>]><config>&x;</config>",
        hides=("hush",),
        others=(("secret.txt", "hush"),),
    ),
    Wrong(
        "an XInclude",
        ("XInclude", "refused"),
        config=configuration().replace(
            "<id>", "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='secret.txt' parse='text'/><id>"
        ),
        hides=("hush",),
        others=(("secret.txt", "hush"),),
    ),
    Wrong(
        "a method that does not exist",
        ("line 1", "'Mondrain'", "Did you mean 'Mondrian'", "Datafly"),
        config=configuration(root="method='Mondrain'"),
    ),
    Wrong(
        "a setting that the method does not have",
        ("line 1", "'dimensoin'", "Did you mean 'dimension'"),
        config=configuration(root="dimensoin='range'"),
    ),
    Wrong(
        "a setting with a word that is none of its own",
        ("line 1", "cut='both'", "fallback, classic"),
        config=configuration(root="cut='both'"),
    ),
    Wrong(
        "a format that does not exist",
        ("line 3", "'genVal'", "Did you mean 'genVals'", "anatomy"),
        config=configuration(output="format='genVal'"),
    ),
    Wrong("k = 0", ("line 1", "k='0'", "too small", "at least 1"), config=configuration(root="k='0'")),
    Wrong("k = -1", ("line 1", "k='-1'", "too small", "at least 1"), config=configuration(root="k='-1'")),
    Wrong("k = abc", ("line 1", "k='abc'", "not a whole number"), config=configuration(root="k='abc'")),
    Wrong("l = 0", ("line 1", "l='0'", "not positive", "above 0"), config=configuration(root="l='0'")),
    Wrong("t = 1.5", ("line 1", "t='1.5'", "not between 0 and 1", "0.2"), config=configuration(root="t='1.5'")),
    Wrong("t = nan", ("line 1", "t='nan'", "not a number"), config=configuration(root="t='nan'")),
    Wrong("no <qid>", ("line 1", "no <qid>", "Add <qid>"), config="<config><input filename='in.csv'/></config>"),
    Wrong("an empty <qid>", ("line 5", "<qid> is empty", "<att>"), config=configuration("")),
    Wrong("an <att> that names no column", ("line 5", "names no column", "index="), config=configuration("<att/>")),
    Wrong(
        "a column that is declared twice",
        ("'a' is declared twice", "line 5 (qid)", "line 6 (sens)", "Keep one"),
        config=configuration(sens="<att name='a'/>"),
    ),
    Wrong(
        "a column that is declared by name and by index",
        ("the same column 0", "Declare it once"),
        config=configuration(CATEGORY, sens="<att index='0'/>"),
    ),
    Wrong(
        "a name where the input has no header",
        ("line 5", "'a'", "header='true'"),
        config=configuration(given=""),
    ),
    Wrong(
        "a name that the header lacks",
        ("line 5", "no column 'aa'", "Did you mean 'a'"),
        config=configuration("<att name='aa'/>"),
    ),
    Wrong(
        "an index beyond the last column because the separator is wrong",
        ("in.csv has 1 column", "separated by a comma, not by ';'", "separator=','"),
        config=configuration("<att index='1'/>", given="separator=';'"),
    ),
    Wrong(
        "an index beyond the last column",
        ("line 5", "index 2", "2 columns", "at most 1"),
        config=configuration("<att index='2'/>"),
    ),
    Wrong(
        "a category twice in a map",
        ("'x'", "line 5 already", "Keep one"),
        config=configuration("<att name='a'><map><entry cat='x' int='0'/>\n<entry cat='x' int='1'/></map></att>"),
    ),
    Wrong(
        "a root that leaves out a category",
        ("line 5", "[1:2]", "'red'", "[0:1]"),
        config=configuration(f"<att name='a'>{MAPPED}<vgh value='[1:2]'/></att>"),
    ),
    Wrong(
        "a gap between two nodes",
        ("line 7", "[40:60)", "no child"),
        config=configuration(number_with("<node value='[0:40)'/>", "<node value='[60:100]'/>")),
    ),
    Wrong(
        "a node outside its parent",
        ("line 7", "[50:120]", "does not lie within", "[0:100]", "Widen the parent"),
        config=configuration(number_with("<node value='[0:50)'/>", "<node value='[50:120]'/>")),
    ),
    Wrong(
        "leaves of unequal depth, for a method that generalises level by level",
        ("line 7", "The leaf [50:100]", "Mondrian does not need that"),
        config=configuration(
            number_with(
                "<node value='[0:50)'><node value='[0:20)'/><node value='[20:50)'/></node>", "<node value='[50:100]'/>"
            ),
            root="method='Datafly' k='2'",
        ),
    ),
    Wrong(
        "an interval that is none",
        ("line 5", "'0-100'", "[a:b]"),
        config=configuration("<att name='a'><vgh value='0-100'/></att>"),
    ),
    Wrong(
        "a hierarchy file that is not there",
        ("line 5", "h.csv", "no such file"),
        config=configuration("<att name='a'><vgh file='h.csv'/></att>"),
    ),
    Wrong(
        "a hierarchy file with a short row",
        ("h.csv, line 2", "2 columns", "line 1 has 3", "on each level"),
        config=configuration("<att name='a'><vgh file='h.csv'/></att>"),
        others=(("h.csv", "1;low;*\n2;*\n"),),
    ),
    Wrong(
        "a hierarchy file in which a label has two parents",
        ("h.csv, line 2", "Lines 1 and 2", "'low'", "'x'", "'y'", "one parent only"),
        config=configuration("<att name='a'><vgh file='h.csv'/></att>"),
        others=(("h.csv", "1;low;x;*\n2;low;y;*\n"),),
    ),
    Wrong(
        "Datafly without a hierarchy",
        ("line 5", "hierarchy", "Datafly", "Mondrian"),
        config=configuration(root="method='Datafly' k='2'"),
    ),
    Wrong(
        "an output that is the input",
        ("line 3", "same file as the input", "in.csv"),
        config=configuration(target="in.csv"),
    ),
    Wrong("an output that is the configuration", ("same file as the configuration",), arguments=("-output", "c.xml")),
    Wrong(
        "a report that is the output",
        ("file of --report", "same file as the output"),
        arguments=("--report", "out.csv"),
    ),
    Wrong(
        "an output in a folder that is not there",
        ("line 3", "folder that does not exist", "Make the folder"),
        config=configuration(target="nowhere/out.csv"),
    ),
    Wrong(
        "an output below a regular file",
        ("line 3", "folder that does not exist"),
        config=configuration(target="in.csv/out.csv"),
    ),
    Wrong("an output that is a folder", ("line 3", "is a folder"), config=configuration(target=".")),
    Wrong("an output without a name", ("-output ''", "names no file"), arguments=("-output", "")),
    Wrong(
        "an output whose name is too long for the file system",
        ("too long",),
        arguments=("-output", "x" * 300),
    ),
    Wrong(
        "a report whose name is too long for the file system",
        ("too long", "y" * 300),
        arguments=("--report", "y" * 300),
        hides=("out.csv cannot",),
    ),
    Wrong("a store whose name is too long for the file system", ("too long",), arguments=("--store", "z" * 300)),
    Wrong(
        "an encoding that does not exist",
        ("line 2", "'utf-9'", "utf-8"),
        config=configuration(given="encoding='utf-9'"),
    ),
    Wrong(
        "a database whose URL holds a password",
        ("line 2", "url holds a password", ".pgpass"),
        config=REMOTE.format(given="url='postgresql://ada:s3cret@h/db' table='t'", release="filename='out.csv'"),
        hides=("s3cret",),
    ),
    Wrong(
        "a URL with a password that is no URL",
        ("line 2", "url is no URL"),
        config=REMOTE.format(given="url='postgresql://ada@h:s3cret/db' table='t'", release="filename='out.csv'"),
        hides=("s3cret",),
    ),
    Wrong(
        "a password in the parameters of a URL",
        ("line 3", "url holds a password"),
        config=REMOTE.format(
            given="filename='in.csv' header='true'", release="url='postgresql://h/db?password=s3cret' table='t'"
        ),
        hides=("s3cret",),
    ),
    Wrong(
        "a table without a database",
        ("line 2", "Nothing names the database of the input", "postgresql://HOST/DATABASE"),
        config=REMOTE.format(given="table='t'", release="filename='out.csv'"),
    ),
    Wrong("an empty separator", ("line 2", "separator=''", "is empty"), config=configuration(given="separator=''")),
]

COMMAND_LINES = [
    Wrong("a command that does not exist", ("'anonymise'", "anonymize", "--help"), arguments=("anonymise",)),
    Wrong("a misspelt option with two dashes", ("'--sepparator", "--separator"), arguments=("--sepparator=;",)),
    Wrong("a misspelt option with one dash", ("'-metod'", "-method"), arguments=("-metod", "Datafly")),
    Wrong(
        "a misspelt option that begins like another one",
        ("'-confg'", "-config"),
        arguments=("-confg", "c.xml"),
    ),
    Wrong("an option without its value", ("-method", "lacks its value"), arguments=("-method",)),
    Wrong("a switch with a value", ("--quiet", "'yes'"), arguments=("--quiet=yes",)),
    Wrong("a stray word", ("'c2.xml'",), arguments=("c2.xml",)),
    Wrong("a k that is no whole number", ("-k '2.5'", "not a whole number"), arguments=("-k", "2.5")),
    Wrong("a k beyond all numbers", ("-k", "too large"), arguments=("-k", "9" * 5000)),
    Wrong("a format that does not exist", ("-outputFormat 'csv'", "genVals"), arguments=("-outputFormat", "csv")),
    Wrong("--set without a value", ("--set is 'cut'", "NAME=VALUE"), arguments=("--set", "cut")),
    Wrong("--set of an unknown setting", ("Mondrian has no setting --kut", "cut"), arguments=("--set", "kut=1")),
    Wrong(
        "an input that is a database with a password",
        ("-input holds a password", "PGPASSFILE"),
        arguments=("-input", DATABASE, "--input-table", "t"),
        hides=("s3cret",),
    ),
    Wrong(
        "an output that is a database with a password",
        ("-output holds a password",),
        arguments=("-output", DATABASE, "--output-table", "t"),
        hides=("s3cret",),
    ),
    Wrong(
        "an address of a cluster with a token",
        ("--engine-url holds a password", "spark-defaults.conf"),
        arguments=("--engine", "spark", "--engine-url", "sc://h/;token=s3cret"),
        hides=("s3cret",),
    ),
    Wrong(
        "an engine that does not exist",
        ("--engine 'sparc'", "Did you mean 'spark'"),
        arguments=("--engine", "sparc"),
    ),
    Wrong("an engine without an address", ("spark has no address", "local[4]"), arguments=("--engine", "spark")),
    Wrong(
        "an order of the input on an engine",
        ("order=input", "keeps no order"),
        arguments=("--engine", "spark", "--engine-url", "local[4]"),
    ),
    Wrong(
        "an input table without a database",
        ("Nothing names the database of the input",),
        arguments=("--input-table", "t"),
    ),
    Wrong("a file that is to be replaced", ("replace cannot be combined",), arguments=("--replace",)),
    Wrong("no threads", ("--threads '0'", "at least 1"), arguments=("--threads", "0")),
    Wrong("a memory limit without a unit", ("--memory-limit '5'", "512MB"), arguments=("--memory-limit", "5")),
    Wrong("a memory limit that is too small", ("--memory-limit",), arguments=("--memory-limit", "1KB")),
]
