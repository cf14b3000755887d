"""What methods, privacy models and formats are, in words for people who release data and do not study that."""

from __future__ import annotations

from collections.abc import Mapping

METHODS: Mapping[str, str] = {
    "Mondrian": "Divides the records again and again; each class keeps its own ranges and sets. It needs no "
    "hierarchies.",
    "LocalRecoding": "Gives each class its own levels of the hierarchies, so every value of the release is in a "
    "hierarchy. Often keeps more than methods that make whole columns coarser.",
    "Datafly": "Makes whole columns coarser, one level at a time, and suppresses the few records that are left. Quick, "
    "and keeps less than others.",
    "Flash": "Finds the way to make whole columns coarser that loses least, and proves it.",
    "OLA": "The same as Flash, in another order; quicker or slower, depending on the table.",
    "MinGen": "The same as Flash, but it checks every way. Slow if there are many.",
    "Incognito": "Makes whole columns coarser, in the way that leaves most classes.",
    "PrioPrivacy": "Changes record by record, and first the columns that matter least, by their priorities.",
    "Singletons": "Changes only the people who stand out, or whole columns, whichever leaves fewer of them.",
    "Anatomy": "Leaves all values as they are, and releases two tables: each sensitive value may "
    "belong to several people.",
}
"""In the order in which they are offered."""
FORMATS = (
    "The table, with generalised values",
    "Also the mean or the distribution of each class",
    "Two tables, which only the group connects",
)
"""In the order in which a project lists them."""
MODELS: Mapping[str, str] = {
    "k-anonymity": "Everybody looks like at least k - 1 others.",
    "distinct l-diversity": "Each class has at least l different sensitive values.",
    "entropy l-diversity": "The sensitive values of a class are as hard to guess as l equally frequent values.",
    "recursive (c,l)-diversity": "The most frequent sensitive value of a class does not stand out too much.",
    "t-closeness": "The sensitive values of a class are nearly those of the whole table; t says how far off they "
    "may be, from 0 to 1.",
    "(alpha,k)-anonymity": "At least k people in each class; no sensitive value has more than a share alpha.",
    "p-sensitive k-anonymity": "At least k people in each class, with at least p different sensitive values.",
    "delta-disclosure": "The class of a person tells little more about the sensitive value.",
    "basic beta-likeness": "The class of a person makes no sensitive value much more likely.",
    "enhanced beta-likeness": "The same as basic beta-likeness, but stricter for frequent values.",
    "k-map": "Everybody looks like at least k people of a population.",
    "delta-presence": "Nobody can be sure who is in the table at all.",
}
