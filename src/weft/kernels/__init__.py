"""Compiled algorithms on plain arrays: graphs as CSR in, arrays out."""
