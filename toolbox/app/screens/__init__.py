"""The seven screens, a module for each, and what stands around them."""
