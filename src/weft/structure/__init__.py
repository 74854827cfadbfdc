"""Describe the shape of the whole graph; importing this folder registers its methods."""

from weft.structure.bowtie import BowTie, bow_tie
from weft.structure.clicks import clicks
from weft.structure.components import components
from weft.structure.degrees import degrees
from weft.structure.depth import depth
from weft.structure.distances import distances
from weft.structure.faloutsos import faloutsos
from weft.structure.patterns import patterns
from weft.structure.reciprocity import reciprocity
from weft.structure.shape import Shape

__all__ = [
    "BowTie",
    "Shape",
    "bow_tie",
    "clicks",
    "components",
    "degrees",
    "depth",
    "distances",
    "faloutsos",
    "patterns",
    "reciprocity",
]
