"""Which elements and attributes may stand where; the reader and the schema say the same."""

from pathlib import Path

import pytest
from lxml import etree

from toolbox.errors import ConfigurationError

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parents[3] / "schemas" / "config.xsd"))


def document(qid="<att index='0'/>", *, root="", extra="", sens=""):
    return (
        f"<config {root}><input filename='in.csv'/><output filename='out.csv'/>"
        f"<qid>{qid}</qid><sens>{sens}</sens>{extra}</config>"
    )


VALID = [
    document(),
    document(
        root="method='mondrian' k=' 5 ' l='2.5' c='-1' t='.5' compatibility='utd' suppThreshold='0' seed='+3' suppressed='DROP'"
    ),
    document(root="suppthreshold='3' cut='classic'"),
    document(root="suppThreshold='2.5%'"),
    document("<att index='0' name='a' type='Number' priority='1' weight='1e-3'/>"),
    document("<att index='0'><map><entry cat='' int='-1'/></map><vgh value=' [ -1 : 0 ] ' label='x'/></att>"),
    document("<att index='0'><vgh value='[0:2]'/><map><entry cat='a' int='0'/><entry cat='b' int='1'/></map></att>"),
    document("<att index='0'><vgh value='(0:2]'><node value='(0:1.5)' label='a'/><node value='[1.5:2]'/></vgh></att>"),
    document("<att index='0'><vgh value='[1e3]'><node value='[1000]'><node value='[1000]'/></node></vgh></att>"),
    document(sens="<att index='1'><map><entry cat='a' int='0'/></map></att>", extra="<id><att index='2'/></id>"),
    document(sens="<att index='1'><vgh value='[0:9]'><node value='[0:4]'/><node value='(4:9]'/></vgh></att>"),
    document(
        "<att index='0'><vgh build='intervals' width='5,10' origin='2' bottom='1' top='90' other='root' root='all'/></att>"
    ),
    document(
        "<att index='0'><vgh build='cuts' at='1,2/2'/></att><att index='1'><vgh build='quantiles' classes='4,2'/></att>"
    ),
    document(
        "<att index='0'><vgh build='dates' periods='month,year'/></att><att index='1'><vgh build='ages' at='2026-01-01'/></att>"
    ),
    document(
        "<att index='0'><vgh build='prefix' keep='3' mask='#'/></att><att index='1'><vgh build='telephone' country='43'/></att>"
    ),
    document(
        "<att index='0'><vgh build='order' values='a,b' size='2'/></att><att index='1'><vgh build='auto' levels='2'/></att>"
    ),
    document("<att index='0'><vgh build='icd10'/></att>", sens="<att index='1'><vgh build='ip'/></att>"),
    document("<att index='0'><vgh value='[0:1]' other='ROOT'/></att>"),
    document(extra="<id/>"),
    document("<!-- a comment --><att index='0'/>\n"),
    "<config><qid><att index='0'/></qid><output filename='b' separator='||' format='Anatomy'/>"
    "<input filename='a' separator='\\t' header='NO' encoding='latin-1' missing='' onMissing='Fail'/></config>",
    "<config><qid><att name='a'/></qid><input url=' postgresql://h/db ' table='people'/>"
    "<output url='postgresql://h/db' table='release' replace='YES'/></config>",
    "<config><engine name='PostgreSQL' url='postgresql://h/db'><set name='work_mem' value=''/></engine>"
    "<input query='SELECT 1'/><output table='release'/><qid><att name='a'/></qid></config>",
    "<config><input filename='people' format='ORC' header='true'/><output filename='s3a://b/release'/>"
    "<engine name=' spark ' url='local[4]'/><qid><att name='a'/></qid></config>",
    document(root="xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:noNamespaceSchemaLocation='nowhere.xsd'"),
]

INVALID = {
    "line 1: <config> has no element <qids>. Did you mean 'qid'? It takes: <input>, <population>, <earlier>, <output>, <engine>, <person>, <id>, <qid>, <sens>, <released>, <tables>, <privacy>.": document(
        extra="<qids/>"
    ),
    "line 1: <qid> occurs twice in <config>: in lines 1 and 1. Keep one of them.": document(
        extra="<qid><att index='5'/></qid>"
    ),
    "line 1: <qid> is empty. Put at least one <att> into it.": document(""),
    "line 1: <qid> has no element <attribute>. It takes: <att>.": document("<att index='0'/><attribute/>"),
    "line 1: <att> has no attribute 'indx'. Did you mean 'index'? It takes: index, name, type, format, hierarchy, priority, weight, minLevel, maxLevel, treat.": document(
        "<att index='0' indx='1'/>"
    ),
    "line 1: <map> is empty. Put at least one <entry> into it.": document("<att index='0'><map/></att>"),
    "line 1: <map> occurs twice in <att>: in lines 1 and 1. Keep one of them.": document(
        "<att index='0'><map><entry cat='a' int='0'/></map><map><entry cat='b' int='1'/></map></att>"
    ),
    "line 1: <entry> lacks the attribute 'int'. Add int='...'.": document(
        "<att index='0'><map><entry cat='a'/></map></att>"
    ),
    "line 1: <entry> has no attribute 'code'. It takes: cat, int.": document(
        "<att index='0'><map><entry cat='a' int='0' code='0'/></map></att>"
    ),
    "line 1: <node> lacks the attribute 'value'. Add value='...'.": document(
        "<att index='0'><vgh value='[0:1]'><node/></vgh></att>"
    ),
    "line 1: <node> has no element <vgh>. It takes: <node>.": document(
        "<att index='0'><vgh value='[0:1]'><node value='[0:1]'><vgh/></node></vgh></att>"
    ),
    "line 1: A <vgh> stands in <id>, whose columns are dropped. Remove it, or move the <att> to <qid>.": document(
        extra="<id><att index='1'><vgh value='[0:1]'/></att></id>"
    ),
    "line 1: The text 'stray' stands in <qid>, where no text is read. "
    "Remove it, or make it a comment: <!-- ... -->.": document("stray<att index='0'/>"),
    "line 1: <node> belongs to a namespace, 'urn:x'. Remove xmlns=: there are no namespaces here.": document(
        "<att index='0'><vgh value='[0:1]'><x:node xmlns:x='urn:x'/></vgh></att>"
    ),
    "line 1: <entry> has no element <entry>. It takes none.": document(
        "<att index='0'><map><entry cat='a' int='0'><entry cat='b' int='1'/></entry></map></att>"
    ),
}

REMOTE = "<config><input {}/><output filename='out'/><engine {}</engine><qid><att name='a'/></qid></config>"
SPARK = "name='spark' url='yarn'>"
INVALID |= {
    "line 1: <engine> lacks the attribute 'name'. Add name='...'.": REMOTE.format(
        "filename='a.parquet'", "url='postgresql://h/db'>"
    ),
    "line 1: <engine> has no attribute 'master'. It takes: name, url.": REMOTE.format(
        "filename='a'", f"master='yarn' {SPARK}"
    ),
    "line 1: <engine> has no element <setting>. Did you mean 'set'? It takes: <set>.": REMOTE.format(
        "filename='a'", f"{SPARK}<setting name='a' value='b'/>"
    ),
    "line 1: <set> lacks the attribute 'value'. Add value='...'.": REMOTE.format(
        "filename='a'", f"{SPARK}<set name='a'/>"
    ),
    "line 1: name='' is empty. Write a name, or leave it out.": REMOTE.format(
        "filename='a'", f"{SPARK}<set name='' value='1'/>"
    ),
    "line 1: table=' ' is empty. Write a name, or leave it out.": REMOTE.format("table=' '", f"{SPARK}"),
    "line 1: replace='perhaps' is neither true nor false. Write true or false, or yes or no.": REMOTE.format(
        "filename='a'", SPARK
    ).replace("'out'", "'out' replace='perhaps'"),
    "line 1: url is no URL of a database. Write postgresql://HOST/DATABASE, say.": (
        "<config><input url='' table='t'/><output filename='out.csv'/><qid><att name='a'/></qid></config>"
    ),
    "line 1: query='' is empty. Write a name, or leave it out.": (
        "<config><input url='postgresql://h/db' table='t' query=''/><output filename='out.csv'/>"
        "<qid><att name='a'/></qid></config>"
    ),
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("text", VALID)
def test_reader_and_schema_accept(desk, text):
    desk.read(text)
    assert SCHEMA.validate(etree.fromstring(text)), SCHEMA.error_log


@pytest.mark.parametrize(("fault", "text"), INVALID.items())
def test_reader_and_schema_refuse(desk, fault, text):
    assert desk.fault(text) == fault
    assert not SCHEMA.validate(etree.fromstring(text))


def test_the_schema_leaves_names_of_engines_and_their_formats_to_the_reader(desk):
    """Others install engines, which the schema cannot know."""
    form = REMOTE.format("filename='a' format='xlsx'", SPARK)
    assert desk.fault(form) == "line 1: format='xlsx' is unknown. Write one of: parquet, csv, orc."
    engine = REMOTE.format("filename='a'", "name='sparks' url='yarn'>")
    told = "line 1: name='sparks' is unknown. Did you mean 'spark'? Write one of: mariadb, mysql, postgresql, spark."
    assert told in map(str, desk.faults(engine))
    for text in (form, engine):
        assert SCHEMA.validate(etree.fromstring(text)), SCHEMA.error_log


def test_no_fault_speaks_the_language_of_the_parser(desk):
    for text in [*INVALID.values(), "<config", "<a></b>", "<config>&x;</config>", "\0", "<config/>x"]:
        with pytest.raises(ConfigurationError) as caught:
            desk.read(text)
        assert "not expected" not in str(caught.value)
        assert "Element '" not in str(caught.value)
