"""Files that people have beside delimited text and Parquet: a module for each kind, and what all of them share."""
