"""The JSON responses of the API as pydantic models, one file per group of routes."""
