"""What methods, privacy models and formats are, in words for people who release data and do not study that."""

from __future__ import annotations

from collections.abc import Mapping

METHODS: Mapping[str, str] = {
    "Mondrian": "Divides the records again and again; each class keeps its own ranges and sets. It needs no "
    "hierarchies.",
    "LocalRecoding": "Gives each class its own levels of the hierarchies, so that every value of the release stands in "
    "one. Often keeps more than whole columns that are made coarser.",
    "Datafly": "Makes whole columns coarser, one level at a time, and suppresses the few records that are left. Quick, "
    "and keeps less than others.",
    "Flash": "Of all ways to make whole columns coarser, the one that loses least, and proves that.",
    "OLA": "As Flash, in another order; quicker or slower by the table.",
    "MinGen": "As Flash, by looking at every way. Slow where there are many.",
    "Incognito": "Makes whole columns coarser, in the way that leaves most classes.",
    "PrioPrivacy": "Changes record by record, and first the columns that matter least, by their priorities.",
    "Singletons": "Changes only the people who stand out, or whole columns, whichever leaves fewer of them.",
    "Anatomy": "Leaves all values as they are, and releases two tables: a sensitive value is only that of "
    "one of several people.",
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
    "entropy l-diversity": "The sensitive values of a class are as hard to guess as l equally frequent ones.",
    "recursive (c,l)-diversity": "The most frequent sensitive value of a class does not stand out too much.",
    "t-closeness": "The sensitive values of a class are nearly those of the whole table; t says how far off they "
    "may be, from 0 to 1.",
    "(alpha,k)-anonymity": "At least k people in a class, no sensitive value that of more than a share alpha.",
    "p-sensitive k-anonymity": "At least k people in each class, with at least p different sensitive values.",
    "delta-disclosure": "Knowing the class of somebody changes little what is known of the sensitive value.",
    "basic beta-likeness": "Knowing the class of somebody makes no sensitive value much more likely.",
    "enhanced beta-likeness": "As basic beta-likeness, and stricter for frequent values.",
    "k-map": "Everybody looks like at least k people of a population.",
    "delta-presence": "Nobody can tell who is in the table at all.",
}
