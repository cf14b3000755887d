"""The page of the comparison with other programs: what was measured here, and what was measured before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_PAGE = """\
# Beside other programs

The same task for each program, in turn on one machine, each a process of its own: a generated census with nine
quasi-identifiers, k = {k}, and a share of records that may be suppressed. `kept` is the share of the bits that tell
records apart. It and the smallest class are counted from the finished file by a few lines of Python, which ask none of
the programs. ANJANA, ARX, Datafly and Flash make whole columns coarser; the others need not. Flash loses the least by
another measure, LM. A command writes this page.

{machine}
{table}
sdcMicro, mu-ARGUS and Amnesia could not be installed on this machine; `none` means that nothing was measured.

## Measured before

On 2 cores too, but on other inputs, so that each line has its conditions. NCP is the loss of information, from 0 to 1.
The figures of ARX, of the toolbox of 2010 and of the Mondrian programs are our own runs of these programs.

{recorded}
## How to repeat it

In a checkout, with each other program in an environment of its own:

```
.venv/bin/python scripts/bench_peers.py {words}
```
"""
_RECORDED = """\
| program | input and task | needs |
|---|---|---|
| UT Dallas toolbox, Datafly | age, sex, race (24 nodes); 1, 20, 100 k records | 1.0, 6.5, 18 CPU s; 86, 399, 873 MB |
| the same, Mondrian | the same | 1.0, 8, 33 CPU s; 88, 486, 828 MB |
| the same, Incognito_k | the same | 1.8, 10, 19 CPU s; 126, 379, 1,119 MB |
| the same, Incognito_t | the same, 100 k records | no result in 289 s |
| the same, Incognito | 4 quasi-identifiers, 463 records | 6 to 14 s |
| ARX 3.9 (JVM, in memory), whole process | Adult, 9 quasi-identifiers, k = 5; 30 k records | 6.6 CPU s, 448 MB |
| the same | 300 k records | 5.5 s, 760 MB |
| the same | 3 M records | 12 s, 1.6 GB |
| the same | 10 M records | 33 to 42 s, 3.9 GB (load 27 s, search 6 s, save 16 s of 55 s wall) |
| the same | a 90,000-value zip code as a sixth quasi-identifier; 3 M records | no result in 500 s |
| the same | Adult, 8 quasi-identifiers, l-diversity and t-closeness | 4 to 9 CPU s |
| mosaicrown, Mondrian | Adult, 8 quasi-identifiers, k = 5 | 38 CPU s, NCP .0291 |
| anonypy, Mondrian | the same | 34.5 CPU s, NCP .0320 |
| qiyuangong, Mondrian | the same | 0.8 CPU s, NCP .0676 |
| kaylode, Mondrian with hierarchies | the same | 2.2 CPU s, NCP .127 |
| ANJANA, full-domain | the same | 4.9 CPU s, NCP .715 |
| ANJANA, k-anonymity | 3 M records | 37 CPU s |
| the Mondrian scripts in circulation, Python | 300 k records | 11 to 22 CPU s |
| the same | 3 M records | no result in 4 minutes |
| a Mondrian for Spark, local mode | 30 k records | 32 to 38 CPU s |
"""


def write_peers_page(path: Path, table: str, machine: Mapping[str, str], k: int, words: str) -> None:
    """Write the page.

    Parameters
    ----------
    table : str
        What was measured, in Markdown.
    machine : mapping
        What describes the machine, by names.
    k : int
        Fewest records of a class.
    words : str
        The options that make the page again.
    """
    told = "".join(f"- {name}: {value}\n" for name, value in machine.items())
    page = _PAGE.format(machine=told, table=table, k=k, recorded=_RECORDED, words=words)
    path.write_text(page, encoding="utf-8", newline="\n")
