"""The numbers that the source documents publish, beside what the toolbox computes: one module for each document."""
