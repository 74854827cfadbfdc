"""Describe the structure of the whole graph; importing this folder registers its methods."""

from weft.structure.average_clicks import average_clicks
from weft.structure.bowtie import BowTie, bow_tie
from weft.structure.components import connected_components
from weft.structure.degrees import degree_distribution
from weft.structure.depth import depth
from weft.structure.distances import distances
from weft.structure.faloutsos import faloutsos
from weft.structure.patterns import link_patterns
from weft.structure.reciprocity import reciprocity
from weft.structure.shape import Shape

__all__ = [
    "BowTie",
    "Shape",
    "average_clicks",
    "bow_tie",
    "connected_components",
    "degree_distribution",
    "depth",
    "distances",
    "faloutsos",
    "link_patterns",
    "reciprocity",
]
