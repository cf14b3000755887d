"""The search of local recoding: classes formed node by node, in the order of what a record loses there."""
