"""Whole-graph jobs and ingestion on Apache Spark, over edge tables and web archives."""

from weft.spark.cluster import Cluster, connect
from weft.spark.edge_table import EdgeTable, read_edges

__all__ = ["Cluster", "EdgeTable", "connect", "read_edges"]
