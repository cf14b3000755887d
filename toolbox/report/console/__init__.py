"""Tables of the reports, on a console; they are given the parts that they print, and know no report."""
