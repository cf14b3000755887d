"""Tables of the reports, on a console; they get the parts that they print, not a report."""
