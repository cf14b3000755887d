"""What searches share: the distinct combinations as arrays of numpy, a table at a lattice node, and room in memory."""
