"""Spark as an engine."""

from toolbox.engines.spark.engine import Spark

__all__ = ["Spark"]
