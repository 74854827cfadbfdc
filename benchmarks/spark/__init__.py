"""Spark against one machine: what a sweep costs, what archives become, what losses change."""
