"""Describe the shape of the whole graph; importing this folder registers its methods."""

from weft.structure.shape import Shape

__all__ = ["Shape"]
