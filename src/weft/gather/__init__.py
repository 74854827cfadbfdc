"""Bring the outside world in, as `Page` records or edges."""
