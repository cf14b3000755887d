"""The report as one page for people: what a release protects and costs, in plain words."""
