"""What searches in memory share: the distinct combinations as arrays of numpy."""
