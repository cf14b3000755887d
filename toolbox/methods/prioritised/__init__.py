"""The search of PrioPrivacy: rounds over quasi-identifiers from the least important to the most."""
