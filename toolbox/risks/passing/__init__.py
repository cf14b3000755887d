"""What the columns that pass through a release look like, whatever their owner has declared."""
