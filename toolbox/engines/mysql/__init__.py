"""MariaDB and MySQL: an engine whose tables hold the records and get the release."""
