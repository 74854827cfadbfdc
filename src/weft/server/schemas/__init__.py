"""Response models that several handlers share, and those of topics and communities."""
