"""Hypothesis strategy for small webs, and the names of graphs with published values."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

from hypothesis import strategies as st

from weft.graph.webgraph import WebGraph

Links = list[tuple[str, str]]
Spec = Callable[[str], tuple[WebGraph, dict[str, Any]]]
GRAPHS = ["G1_seed002_hits7", "G2_seed002_pr5", "G3_own10"]
webs = st.lists(st.sampled_from(list(permutations("abcdef", 2))), min_size=1, max_size=30)
