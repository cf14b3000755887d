"""The public calls, a module for each; `toolbox` has them all under their own names."""
