"""Doors for people and programs."""
