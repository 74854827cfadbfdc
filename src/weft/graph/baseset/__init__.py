"""The base set of a query: how it is expanded, filtered and described."""
