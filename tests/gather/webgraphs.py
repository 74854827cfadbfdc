"""Write BVGraph files bit by bit, as the paper defines them: Boldi and Vigna 2004."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path

from weft.kernels.bvgraph import DELTA, GAMMA, GOLOMB, NIBBLE, UNARY, ZETA, BVGraphCoding

NAMES = {UNARY: "UNARY", GAMMA: "GAMMA", DELTA: "DELTA", ZETA: "ZETA"}
NAMES |= {NIBBLE: "NIBBLE", GOLOMB: "GOLOMB"}
Graph = Sequence[set[int]]
DEFAULT_CODING = BVGraphCoding()


def unary(x: int) -> str:
    """As many zeros, then a one."""
    return "0" * x + "1"


def gamma(x: int) -> str:
    """The bits of x + 1, after as many zeros less one."""
    return unary((x + 1).bit_length() - 1)[:-1] + f"{x + 1:b}"


def delta(x: int) -> str:
    """The number of bits of x + 1 in gamma, then these without the first."""
    bits = f"{x + 1:b}"
    return gamma(len(bits) - 1) + bits[1:]


def minimal_binary(x: int, size: int) -> str:
    """A number below `size`: the first ones have a bit less than the others."""
    width = (size - 1).bit_length()
    short = (1 << width) - size
    if x >= short:
        return f"{x + short:0{width}b}" if width else ""
    return f"{x:0{width - 1}b}" if width > 1 else ""


def zeta(x: int, k: int) -> str:
    """Which power of 2^k is below x + 1, then how far x + 1 is from it."""
    h = ((x + 1).bit_length() - 1) // k
    first, end = 1 << h * k, 1 << (h + 1) * k
    return unary(h) + minimal_binary(x + 1 - first, end - first)


def nibble(x: int) -> str:
    """Octal digits, the last after a one, the others after a zero."""
    digits = f"{x:o}"
    return "".join(f"{int(digit):04b}" for digit in digits[:-1]) + f"1{int(digits[-1]):03b}"


def golomb(x: int, modulus: int) -> str:
    """The quotient in unary, the remainder in minimal binary."""
    return unary(x // modulus) + minimal_binary(x % modulus, modulus)


def natural(x: int) -> int:
    """A natural number for an integer: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return 2 * x if x >= 0 else -2 * x - 1


def encode(graph: Graph, coding: BVGraphCoding) -> bytes:
    """The bytes of a graph."""
    bits = "".join(encode_node(graph, node, coding) for node in range(len(graph)))
    bits += "0" * (-len(bits) % 8)
    return int(f"1{bits}", 2).to_bytes(len(bits) // 8 + 1)[1:]


def encode_node(graph: Graph, node: int, coding: BVGraphCoding) -> str:
    """The bits of one node, which refers to the node in its window with most successors shared."""

    def code(x: int, kind: int) -> str:
        if kind in (ZETA, GOLOMB):
            return (zeta if kind == ZETA else golomb)(x, coding.zeta_k)
        return {UNARY: unary, GAMMA: gamma, DELTA: delta, NIBBLE: nibble}[kind](x)

    successors, bits = graph[node], [code(len(graph[node]), coding.outdegrees)]
    if not successors:
        return bits[0]
    window = range(1, min(coding.window, node) + 1)
    shared = {k: graph[node - k] & successors for k in window}
    reference = max((k for k in window if shared[k]), key=lambda k: len(shared[k]), default=0)
    bits += [code(reference, coding.references)] if coding.window else []
    if reference:
        listed = sorted(graph[node - reference])
        runs = [(key, len(list(run))) for key, run in groupby(listed, successors.__contains__)]
        lengths = [length for _, length in runs]
        blocks = (lengths if runs[0][0] else [0, *lengths])[:-1]
        bits.append(code(len(blocks), coding.block_counts))
        bits += [code(length - (k > 0), coding.blocks) for k, length in enumerate(blocks)]
        successors = successors - shared[reference]
    return "".join(bits) + encode_extra(node, sorted(successors), coding, code)


def encode_extra(
    node: int, extra: Sequence[int], coding: BVGraphCoding, code: Callable[[int, int], str]
) -> str:
    """Intervals and residuals."""
    if not extra:
        return ""
    intervals = [run for run in runs_of(extra) if len(run) >= coding.min_interval > 0]
    bits = [gamma(len(intervals))] if coding.min_interval else []
    previous = None
    for run in intervals:
        gap = natural(run[0] - node) if previous is None else run[0] - previous - 2
        bits += [gamma(gap), gamma(len(run) - coding.min_interval)]
        previous = run[-1]
    residuals = [x for x in extra if not any(x in run for run in intervals)]
    previous = None
    for x in residuals:
        gap = natural(x - node) if previous is None else x - previous - 1
        bits.append(code(gap, coding.residuals))
        previous = x
    return "".join(bits)


def runs_of(numbers: Iterable[int]) -> list[range]:
    """Runs of consecutive numbers."""
    runs: list[range] = []
    for x in numbers:
        if runs and runs[-1].stop == x:
            runs[-1] = range(runs[-1].start, x + 1)
        else:
            runs.append(range(x, x + 1))
    return runs


def properties(graph: Graph, coding: BVGraphCoding = DEFAULT_CODING, **other: object) -> str:
    """The text of a properties file; None leaves a key out."""
    flags = {
        "OUTDEGREES": coding.outdegrees,
        "REFERENCES": coding.references,
        "BLOCK_COUNT": coding.block_counts,
        "BLOCKS": coding.blocks,
        "RESIDUALS": coding.residuals,
    }
    values = {
        "version": 0,
        "nodes": len(graph),
        "arcs": sum(map(len, graph)),
        "windowsize": coding.window,
        "maxrefcount": 3,
        "minintervallength": coding.min_interval,
        "zetak": coding.zeta_k,
        "compressionflags": " | ".join(f"{key}_{NAMES[code]}" for key, code in flags.items()),
        "graphclass": "it.unimi.dsi.webgraph.BVGraph",
    }
    lines = [f"{key}={value}" for key, value in (values | other).items() if value is not None]
    return "\n".join(["#BVGraph properties", "#Wed Nov 17 23:14:11 CET 2010", *lines, ""])


def write_web_graph(
    folder: Path, graph: Graph, coding: BVGraphCoding = DEFAULT_CODING, **other: object
) -> Path:
    """Write a graph with its properties, and the path of the former."""
    (folder / "web.properties").write_text(properties(graph, coding, **other))
    path = folder / "web.graph"
    path.write_bytes(encode(graph, coding))
    return path
