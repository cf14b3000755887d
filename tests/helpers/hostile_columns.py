"""Names of columns that engines may take for something else."""

HOSTILE = (
    "",
    "select",
    '"',
    "'; drop table x; --",
    "a b",
    "a.b",
    "100%",
    "%(x)s",
    ":x",
    "c0",
    "key",
    "record_id",
    "label_1",
    "shown_0",
    "ü\u2028",
)
