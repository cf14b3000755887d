"""What columns that pass through a release look like, beside what their owner has declared."""
