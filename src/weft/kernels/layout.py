"""Force-directed graph layout: linked nodes are drawn close together; without Numba."""

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import cKDTree

from weft.core.arrays import Floats, Ids, pack_pairs, unpack_pairs

MAX_ITERATIONS, MIN_ITERATIONS, MAX_PAIR_UPDATES = 300, 80, 60_000_000
MAX_PIVOTS = 24
GRAVITY = 0.05
COMPONENT_GAP = 0.6
COORDINATE_DIGITS = 4
MIN_REGION_SHARE, REGION_FILL, REGION_GAP = 0.28, 0.88, 0.35
REGION_ITERATIONS, SEPARATION_STEPS, LAST_STEPS = 160, 4, 400
REGION_PULL, REGION_GRAVITY = 0.06, 0.03
MIN_SPREAD_NODES = 4
NODE_GAP, SIDESTEP, APART_STEPS = 1.3, 0.1, 60
GOLDEN_ANGLE = np.pi * (3 - 5**0.5)

Float32Array = npt.NDArray[np.float32]


def force_directed_layout(n: int, source: Ids, target: Ids) -> Floats:
    """Coordinates of each node in the square from -1 to 1; the same links give the same layout.

    Nodes repel each other, those of high degree more, and links attract their
    ends. Each connected component is drawn by itself, the largest one in the
    centre. Directions, parallel links and self-links do not matter.

    Examples
    --------
    >>> chain = force_directed_layout(3, np.array([0, 1]), np.array([1, 2]))
    >>> np.ptp(chain, axis=0).round(1).tolist()
    [2.0, 0.0]
    """
    if n == 0:
        return np.zeros((0, 2))
    low, high = np.minimum(source, target), np.maximum(source, target)
    edges = np.unique(pack_pairs(low, high)[low != high])
    first, second = unpack_pairs(edges)
    matrix = coo_array((np.ones(len(edges)), (first, second)), shape=(n, n))
    _, labels = connected_components(matrix, directed=False)
    coordinates = np.zeros((n, 2))
    components = sorted(_component_members(labels), key=lambda nodes: (-len(nodes), int(nodes[0])))
    layouts = []
    for nodes in components:
        is_inside = labels[first] == labels[nodes[0]]
        ends = np.searchsorted(nodes, first[is_inside]), np.searchsorted(nodes, second[is_inside])
        layouts.append(_layout_component(len(nodes), *ends))
    centres = _pack_circles([_component_radius(layout) for layout in layouts])
    for nodes, layout, centre in zip(components, layouts, centres, strict=True):
        coordinates[nodes] = layout + centre
    return _scale_to_unit_square(coordinates)


def region_layout(
    region: Ids, source: Ids, target: Ids, aspect: float = 1.0
) -> tuple[Floats, Floats]:
    """Coordinates of nodes that lie in regions, and each region as a circle: x, y, radius.

    Circles do not overlap, have areas in proportion to their nodes, and lie
    close to those that they share links with, in a frame that is `aspect` times
    as wide as high. Inside a region linked nodes are close, spread evenly over
    the disc, and none on top of another.

    Examples
    --------
    >>> nodes, circles = region_layout(np.array([0, 0, 0, 1]), np.array([0, 1]), np.array([1, 3]))
    >>> nodes.shape, circles.shape, bool(np.abs(nodes).max() <= 1)
    ((4, 2), (2, 3), True)
    """
    if not len(region):
        return np.zeros((0, 2)), np.zeros((0, 3))
    count = int(region.max()) + 1
    sizes = np.bincount(region, minlength=count)
    radii = np.maximum(np.sqrt(sizes), MIN_REGION_SHARE * np.sqrt(sizes.max()))
    affinity = np.zeros((count, count))
    np.add.at(affinity, (region[source], region[target]), 1.0)
    centres = _place_circles(radii, affinity + affinity.T, aspect)
    coordinates = np.zeros((len(region), 2))
    for number in range(count):
        nodes = np.flatnonzero(region == number)
        is_inside = (region[source] == number) & (region[target] == number)
        ends = (np.searchsorted(nodes, side[is_inside]) for side in (source, target))
        inner = _spread_over_disc(force_directed_layout(len(nodes), *ends))
        coordinates[nodes] = centres[number] + inner * radii[number] * REGION_FILL
    low, high = (centres - radii[:, None]).min(axis=0), (centres + radii[:, None]).max(axis=0)
    scale = max(float((high - low).max()) / 2, 1e-9)
    middle = (low + high) / 2
    circles = np.column_stack([(centres - middle) / scale, radii / scale])
    return (
        np.round((coordinates - middle) / scale, COORDINATE_DIGITS) + 0.0,
        np.round(circles, COORDINATE_DIGITS) + 0.0,
    )


def _spread_over_disc(coordinates: Floats) -> Floats:
    """Move nodes along their rays so that they fill the unit disc evenly."""
    if len(coordinates) < MIN_SPREAD_NODES:
        close: Floats = coordinates * 0.6
        return close
    coordinates = coordinates - np.median(coordinates, axis=0)
    distance = np.sqrt((coordinates**2).sum(axis=1))
    rank = np.argsort(np.argsort(distance, kind="stable"), kind="stable")
    even = np.sqrt((rank + 0.5) / len(distance))
    spread = coordinates / np.maximum(distance, 1e-9)[:, None] * even[:, None]
    centred = spread - spread.mean(axis=0)
    return _keep_apart(centred / max(float(np.sqrt((centred**2).sum(axis=1)).max()), 1.0))


def _keep_apart(coordinates: Floats) -> Floats:
    """Push nodes of the unit disc apart that are closer than an even spread needs."""
    k = len(coordinates)
    gap = NODE_GAP / k**0.5
    angle = np.arange(k) * GOLDEN_ANGLE  # nodes in a line need a way out of it
    aside = np.column_stack([np.cos(angle), np.sin(angle)]) * gap * SIDESTEP
    moved: Floats = coordinates + aside
    for _ in range(APART_STEPS):
        first, second = cKDTree(moved).query_pairs(gap, output_type="ndarray").T
        if not len(first):
            break
        difference = moved[first] - moved[second]
        distance = np.sqrt((difference**2).sum(axis=1))
        push = difference * ((gap / np.maximum(distance, 1e-9) - 1) / 2)[:, None]
        for axis in (0, 1):
            moved[:, axis] += np.bincount(first, push[:, axis], k)
            moved[:, axis] -= np.bincount(second, push[:, axis], k)
        moved /= np.maximum(np.sqrt((moved**2).sum(axis=1, keepdims=True)), 1.0)
    return moved


def _place_circles(radii: Floats, affinity: Floats, aspect: float) -> Floats:
    """Centres of circles that attract each other by affinity, and do not overlap."""
    count = len(radii)
    start = np.arange(count) * GOLDEN_ANGLE
    reach = np.sqrt((radii**2).sum()) * np.sqrt((np.arange(count) + 0.5) / count)
    centres: Floats = np.column_stack([np.cos(start), np.sin(start)]) * reach[:, None]
    centres *= np.array([aspect**0.5, aspect**-0.5])
    pull = affinity / np.maximum(affinity.sum(axis=1, keepdims=True), 1.0)
    np.fill_diagonal(pull, 0.0)
    wanted = radii[:, None] + radii + REGION_GAP * radii.mean()
    gravity = np.array([1 / aspect**2, aspect**2]) * REGION_GRAVITY
    for iteration in range(REGION_ITERATIONS):
        cooling = 1 - iteration / REGION_ITERATIONS
        towards = pull @ centres - pull.sum(axis=1, keepdims=True) * centres
        centres += cooling * (REGION_PULL * towards - gravity * centres)
        for _ in range(SEPARATION_STEPS if iteration + 1 < REGION_ITERATIONS else LAST_STEPS):
            difference = centres[:, None] - centres
            distance = np.sqrt((difference**2).sum(axis=2)) + np.eye(count)
            overlap = np.maximum(wanted - distance, 0.0)
            np.fill_diagonal(overlap, 0.0)
            if not overlap.any():
                break
            centres += ((overlap / distance / 2)[:, :, None] * difference).sum(axis=1) * 0.6
    return centres


def _component_members(labels: Ids) -> list[Ids]:
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _layout_component(k: int, source: Ids, target: Ids) -> Floats:
    """Coordinates of the k nodes of one connected component."""
    if k <= 2:
        return np.array([[-0.5, 0.0], [0.5, 0.0]])[:k] * (k > 1)
    degree = np.bincount(source, minlength=k) + np.bincount(target, minlength=k)
    start = _pivot_mds(k, source, target) * k**0.5
    moved = _run_forces(start, source, target, degree)
    return _align_to_principal_axis(moved)


def _pivot_mds(k: int, source: Ids, target: Ids) -> Floats:
    """Initial coordinates by Pivot MDS (Brandes and Pich 2007).

    Distances to a few pivots, each the node farthest from those before, are
    squared and double-centred, and projected on their two principal axes.
    """
    graph = coo_array((np.ones(len(source)), (source, target)), shape=(k, k)).tocsr()
    pivot, pivot_distance = 0, np.full(k, np.inf)
    columns = []
    for _ in range(min(MAX_PIVOTS, k)):
        [distances] = dijkstra(graph, directed=False, indices=[pivot], unweighted=True)
        columns.append(distances)
        pivot_distance = np.minimum(pivot_distance, distances)
        pivot = int(np.argmax(pivot_distance))
    squared = np.column_stack(columns) ** 2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    projected = centred @ vectors[:, :-3:-1]
    projected = projected / max(float(np.abs(projected).max()), 1e-9)
    largest = np.argmax(np.abs(projected).round(6), axis=0)
    projected = projected * np.sign(projected[largest, [0, 1]] + 1e-12)
    # nodes at the same distances would coincide: a small golden-angle spiral separates them
    angle = np.arange(k) * GOLDEN_ANGLE
    radius = 0.1 * np.sqrt((np.arange(k) + 0.5) / k)
    start: Floats = (
        np.round(projected, 6) + np.column_stack([np.cos(angle), np.sin(angle)]) * radius[:, None]
    )
    return start


def _run_forces(start: Floats, source: Ids, target: Ids, degree: Ids) -> Floats:
    """Move the nodes by repulsion, attraction and gravity, in ever smaller steps."""
    k = len(start)
    iterations = int(np.clip(MAX_PAIR_UPDATES // k**2, MIN_ITERATIONS, MAX_ITERATIONS))
    mass = (1.0 + np.log1p(degree)).astype(np.float32)
    positions = start.astype(np.float32)
    weights = np.empty((k, k), np.float32)
    squares = np.empty((k, k), np.float32)
    attraction = 1 / np.sqrt(np.minimum(degree[source], degree[target])).astype(np.float32)
    for iteration in range(iterations):
        force = _repulsion(positions, mass, weights, squares)
        difference = positions[source] - positions[target]
        pull = difference * (attraction * np.sqrt((difference**2).sum(axis=1)))[:, None]
        for axis in (0, 1):
            force[:, axis] -= np.bincount(source, pull[:, axis], k)
            force[:, axis] += np.bincount(target, pull[:, axis], k)
        force -= GRAVITY * mass[:, None] * positions
        length = np.sqrt((force**2).sum(axis=1, keepdims=True)) + 1e-9
        step = 0.15 * k**0.5 * (1 - iteration / iterations) ** 2 + 0.02
        positions += force / length * np.minimum(length / mass[:, None], step)
    return positions.astype(np.float64)


def _repulsion(
    positions: Float32Array, mass: Float32Array, weights: Float32Array, squares: Float32Array
) -> Float32Array:
    """Repulsion: the sum over j of m_i m_j (x_i - x_j) / (|x_i - x_j|^2 + 0.05), for each i."""
    x, y = positions[:, 0], positions[:, 1]
    np.subtract(x[:, None], x, out=weights)
    np.multiply(weights, weights, out=weights)
    np.subtract(y[:, None], y, out=squares)
    np.multiply(squares, squares, out=squares)
    np.add(weights, squares, out=weights)
    np.add(weights, 0.05, out=weights)
    np.divide(mass, weights, out=weights)
    total = weights.sum(axis=1)
    weighted = np.column_stack([np.einsum("ij,j->i", weights, x), np.einsum("ij,j->i", weights, y)])
    force: Float32Array = mass[:, None] * (positions * total[:, None] - weighted)
    return force


def _align_to_principal_axis(coordinates: Floats) -> Floats:
    """Rotate so that the principal axis is horizontal."""
    centred = coordinates - coordinates.mean(axis=0)
    xx, yy = (centred**2).sum(axis=0)
    xy = float((centred[:, 0] * centred[:, 1]).sum())
    angle = 0.5 * np.arctan2(2 * xy, xx - yy)
    cos, sin = np.cos(angle), np.sin(angle)
    rotated: Floats = centred @ np.array([[cos, -sin], [sin, cos]])
    return rotated


def _component_radius(coordinates: Floats) -> float:
    return float(np.sqrt((coordinates**2).sum(axis=1)).max()) + COMPONENT_GAP


def _pack_circles(radii: list[float]) -> list[Floats]:
    """Centres of circles without overlap: each at the first free place on a spiral."""
    step = np.arange(4096)
    spiral = np.column_stack([np.cos(step * GOLDEN_ANGLE), np.sin(step * GOLDEN_ANGLE)])
    centres = [np.zeros(2)]
    taken_radii, taken_centres = np.array(radii[:1]), np.zeros((1, 2))
    for radius in radii[1:]:
        distance = taken_radii[0] + radius + np.sqrt(step) * radius
        candidates = spiral * distance[:, None]
        gaps = np.sqrt(((candidates[:, None] - taken_centres[None, -256:]) ** 2).sum(axis=2))
        free = (gaps >= taken_radii[-256:] + radius).all(axis=1)
        centre = candidates[int(np.argmax(free))]
        centres.append(centre)
        taken_radii, taken_centres = (
            np.append(taken_radii, radius),
            np.vstack([taken_centres, centre]),
        )
    return centres


def _scale_to_unit_square(coordinates: Floats) -> Floats:
    """Scale to the square from -1 to 1, rounded to what a screen shows."""
    middle = (coordinates.max(axis=0) + coordinates.min(axis=0)) / 2
    size = max(float(np.abs(coordinates - middle).max()), 1e-9)
    scaled: Floats = np.round((coordinates - middle) / size, COORDINATE_DIGITS) + 0.0
    return scaled
