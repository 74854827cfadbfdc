"""Questions about the whole collection."""
