"""Reports for eyes: tables on standard output."""
