"""Where to draw the nodes of a graph, so that those that are linked stand together."""

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, dijkstra

from weft.core.arrays import Floats, Ids, stacked, unstacked

ROUNDS, FEWEST, PAIRS = 300, 80, 60_000_000
PIVOTS = 24
PULL = 0.05
GAP = 0.6
DIGITS = 4
GOLDEN = np.pi * (3 - 5**0.5)

Singles = npt.NDArray[np.float32]


def layout(n: int, source: Ids, target: Ids) -> Floats:
    """A place for each node, as two numbers from -1 to 1; the same links give the same places.

    Nodes push each other away, those with many links harder, and links pull
    their ends together. What hangs together is drawn together, the largest
    piece in the middle. Directions, parallel links and links to oneself do not
    matter.

    Examples
    --------
    >>> chain = layout(3, np.array([0, 1]), np.array([1, 2]))
    >>> np.ptp(chain, axis=0).round(1).tolist()
    [2.0, 0.0]
    """
    if n == 0:
        return np.zeros((0, 2))
    low, high = np.minimum(source, target), np.maximum(source, target)
    key = np.unique(stacked(low, high)[low != high])
    one, two = unstacked(key)
    cells = coo_array((np.ones(len(key)), (one, two)), shape=(n, n))
    _, label = connected_components(cells, directed=False)
    places = np.zeros((n, 2))
    pieces = sorted(_members(label), key=lambda piece: (-len(piece), int(piece[0])))
    drawn = []
    for piece in pieces:
        inside = label[one] == label[piece[0]]
        ends = np.searchsorted(piece, one[inside]), np.searchsorted(piece, two[inside])
        drawn.append(_piece(len(piece), *ends))
    centres = _packed([_radius(own) for own in drawn])
    for piece, own, centre in zip(pieces, drawn, centres, strict=True):
        places[piece] = own + centre
    return _framed(places)


def _members(label: Ids) -> list[Ids]:
    order = np.argsort(label, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)


def _piece(k: int, one: Ids, two: Ids) -> Floats:
    """The places of nodes that all hang together."""
    if k <= 2:
        return np.array([[-0.5, 0.0], [0.5, 0.0]])[:k] * (k > 1)
    degree = np.bincount(one, minlength=k) + np.bincount(two, minlength=k)
    start = _spread(k, one, two) * k**0.5
    settled = _settled(start, one, two, degree)
    return _upright(settled)


def _spread(k: int, one: Ids, two: Ids) -> Floats:
    """A first sketch: how far nodes are from a few of them, along the two widest directions."""
    graph = coo_array((np.ones(len(one)), (one, two)), shape=(k, k)).tocsr()
    pivot, far = 0, np.full(k, np.inf)
    columns = []
    for _ in range(min(PIVOTS, k)):
        [steps] = dijkstra(graph, directed=False, indices=[pivot], unweighted=True)
        columns.append(steps)
        far = np.minimum(far, steps)
        pivot = int(np.argmax(far))
    square = np.column_stack(columns) ** 2
    centred = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    sketch = centred @ vectors[:, :-3:-1]
    sketch = sketch / max(float(np.abs(sketch).max()), 1e-9)
    lead = np.argmax(np.abs(sketch).round(6), axis=0)
    sketch = sketch * np.sign(sketch[lead, [0, 1]] + 1e-12)
    # nodes that are equally far from all others start on the turns of a sunflower, apart
    turn = np.arange(k) * GOLDEN
    reach = 0.1 * np.sqrt((np.arange(k) + 0.5) / k)
    start: Floats = (
        np.round(sketch, 6) + np.column_stack([np.cos(turn), np.sin(turn)]) * reach[:, None]
    )
    return start


def _settled(start: Floats, one: Ids, two: Ids, degree: Ids) -> Floats:
    """Let pushes and pulls work, and nodes move less and less."""
    k = len(start)
    rounds = int(np.clip(PAIRS // k**2, FEWEST, ROUNDS))
    mass = (1.0 + np.log1p(degree)).astype(np.float32)
    place = start.astype(np.float32)
    push = np.empty((k, k), np.float32)
    other = np.empty((k, k), np.float32)
    spread = 1 / np.sqrt(np.minimum(degree[one], degree[two])).astype(np.float32)
    for turn in range(rounds):
        moved = _pushed(place, mass, push, other)
        apart = place[one] - place[two]
        drawn = apart * (spread * np.sqrt((apart**2).sum(axis=1)))[:, None]
        for axis in (0, 1):
            moved[:, axis] -= np.bincount(one, drawn[:, axis], k)
            moved[:, axis] += np.bincount(two, drawn[:, axis], k)
        moved -= PULL * mass[:, None] * place
        length = np.sqrt((moved**2).sum(axis=1, keepdims=True)) + 1e-9
        step = 0.15 * k**0.5 * (1 - turn / rounds) ** 2 + 0.02
        place += moved / length * np.minimum(length / mass[:, None], step)
    return place.astype(np.float64)


def _pushed(place: Singles, mass: Singles, push: Singles, other: Singles) -> Singles:
    """How all nodes push each: by what both weigh, and less the farther apart they are."""
    x, y = place[:, 0], place[:, 1]
    np.subtract(x[:, None], x, out=push)
    np.multiply(push, push, out=push)
    np.subtract(y[:, None], y, out=other)
    np.multiply(other, other, out=other)
    np.add(push, other, out=push)
    np.add(push, 0.05, out=push)
    np.divide(mass, push, out=push)
    total = push.sum(axis=1)
    drawn = np.column_stack([np.einsum("ij,j->i", push, x), np.einsum("ij,j->i", push, y)])
    moved: Singles = mass[:, None] * (place * total[:, None] - drawn)
    return moved


def _upright(places: Floats) -> Floats:
    """The same, turned so that it is wider than high."""
    centred = places - places.mean(axis=0)
    xx, yy = (centred**2).sum(axis=0)
    xy = float((centred[:, 0] * centred[:, 1]).sum())
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)
    cos, sin = np.cos(angle), np.sin(angle)
    turned: Floats = centred @ np.array([[cos, -sin], [sin, cos]])
    return turned


def _radius(places: Floats) -> float:
    return float(np.sqrt((places**2).sum(axis=1)).max()) + GAP


def _packed(radii: list[float]) -> list[Floats]:
    """Centres of circles that do not overlap, each as near the middle as those before it let it."""
    turn = np.arange(4096)
    spiral = np.column_stack([np.cos(turn * GOLDEN), np.sin(turn * GOLDEN)])
    centres = [np.zeros(2)]
    held, taken = np.array(radii[:1]), np.zeros((1, 2))
    for radius in radii[1:]:
        reach = held[0] + radius + np.sqrt(turn) * radius
        tried = spiral * reach[:, None]
        apart = np.sqrt(((tried[:, None] - taken[None, -256:]) ** 2).sum(axis=2))
        free = (apart >= held[-256:] + radius).all(axis=1)
        chosen = tried[int(np.argmax(free))]
        centres.append(chosen)
        held, taken = np.append(held, radius), np.vstack([taken, chosen])
    return centres


def _framed(places: Floats) -> Floats:
    """The same inside a square from -1 to 1, in as many digits as a screen shows."""
    middle = (places.max(axis=0) + places.min(axis=0)) / 2
    size = max(float(np.abs(places - middle).max()), 1e-9)
    framed: Floats = np.round((places - middle) / size, DIGITS) + 0.0
    return framed
