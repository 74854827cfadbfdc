"""PageRank and HITS where the scores of all pages fit no machine: blocks exchange payloads.

The scores of a block are a file. In a round, each block sends to each other block the
values of its pages that have links there, each value once however many links share it;
the receiver joins what comes, in the order of the senders, and adds up its rows. Only
these payloads pass through Spark; links and scores stay in files. An attempt that is
repeated reads the same files and writes the same bytes.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from weft.core.arrays import Floats
from weft.core.params import Dangling
from weft.core.progress import track
from weft.engine import Trace, safe_power
from weft.engine.fixed_point import error_bound
from weft.engine.operator import sum_rows
from weft.spark.array_folder import ArrayFolder
from weft.spark.blocks import BlockFiles, Direction, LinkBlocks, split_ends

# The score that a half step of HITS sets, and the links that it adds up.
SIDES: dict[str, Direction] = {"authority": "in", "hub": "out"}
Finish = Callable[[BlockFiles, int, Floats], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Surfer:
    """The options of PageRank."""

    damping: float
    dangling: Dangling
    weighted: bool
    tol: float
    max_iter: int


class SurferStep(NamedTuple):
    """What a block needs to finish a step of PageRank."""

    surfer: Surfer
    state: ArrayFolder
    teleport: ArrayFolder | None
    iteration: int
    dangling_mass: float

    @property
    def now(self) -> ArrayFolder:
        """The state after this step."""
        return self.state.subfolder(f"{self.iteration:06d}")

    @property
    def before(self) -> ArrayFolder:
        """The state that this step starts from."""
        return self.state.subfolder(f"{self.iteration - 1:06d}")


def surf(blocks: LinkBlocks, surfer: Surfer, teleport: Floats | None) -> tuple[ArrayFolder, Trace]:
    """PageRank by power iteration: a folder with the scores of each block, and the trace."""
    send_lists(blocks, "in")
    state = blocks.cluster.folder("surfer")
    given = None
    if teleport is not None:
        given = blocks.save_columns({"teleport": teleport})["teleport"]
    start = SurferStep(surfer, state, given, 0, 0.0)
    [change, mass, dangling_mass] = _add_up(blocks.map(partial(_start_surfer, step=start)))
    iteration, relative = 0, np.inf
    for iteration in track(range(1, surfer.max_iter + 1), "pagerank", surfer.max_iter):
        step = start._replace(iteration=iteration, dangling_mass=dangling_mass)
        load, finish = partial(_load_outgoing, step=step), _SurferFinish(step)
        sums = exchange(blocks, "in", load, finish, weighted=surfer.weighted)
        step.before.remove()
        change, mass, dangling_mass = _add_up(sums)
        relative = change / mass if mass else 0.0
        if relative < surfer.tol:
            break
    converged = relative < surfer.tol
    trace = Trace(
        iteration,
        relative,
        converged=converged,
        stopped="converged" if converged else "max_iter",
        error=error_bound(relative, surfer.damping),
    )
    scores = blocks.cluster.folder("scores-surfer")
    scale = 1.0
    if surfer.dangling == "self":
        mass += dangling_mass * (1 / (1 - surfer.damping) - 1)
    if surfer.dangling != "leak" and mass:
        scale = 1 / mass
    last = start._replace(iteration=iteration)
    blocks.map(partial(_finish_surfer, step=last, scale=scale, to=scores))
    return scores, trace


def _start_surfer(files: BlockFiles, block: int, step: SurferStep) -> tuple[float, ...]:
    """Start from the teleport distribution, or from what the first step of a series adds."""
    jumps, scale = _teleport(files, block, step), _row_scale(files, block, step.surfer)
    loses = step.surfer.dangling in {"leak", "self"}
    total = jumps * (1 - step.surfer.damping) if loses else jumps
    return _save_total(block, step, total, total, scale)


def _teleport(files: BlockFiles, block: int, step: SurferStep) -> Floats:
    if step.teleport is not None:
        return np.array(step.teleport.load(f"{block:05d}"))
    pages = files.page_slice(block)
    return np.full(pages.stop - pages.start, 1 / max(files.page_count, 1))


def _row_scale(files: BlockFiles, block: int, surfer: Surfer) -> Floats:
    """Damping over out-degree: the share of its visits that each link of a page takes."""
    degrees = files.load("out", block).totals(weighted=surfer.weighted)
    return surfer.damping * safe_power(degrees, -1.0)


def _load_outgoing(files: BlockFiles, block: int, step: SurferStep) -> Floats:
    del files
    return np.asarray(step.before.load(f"outgoing-{block:05d}"))


def _save_total(
    block: int, step: SurferStep, total: Floats, added: Floats, scale: Floats
) -> tuple[float, ...]:
    """Write the state of a block: the L1 change, the sum, and the sum at dangling pages."""
    step.now.save(f"total-{block:05d}", total)
    step.now.save(f"outgoing-{block:05d}", total * scale)
    return float(np.abs(added).sum()), float(total.sum()), float(total[scale == 0].sum())


@dataclass(frozen=True, slots=True)
class _SurferFinish:
    """Set the new total of a block: jumps, what arrived over links, and from dangling pages."""

    step: SurferStep

    def __call__(self, files: BlockFiles, block: int, arrived: Floats) -> tuple[float, ...]:
        step, surfer = self.step, self.step.surfer
        before = step.before.load(f"total-{block:05d}")
        jumps = _teleport(files, block, step)
        total = (1 - surfer.damping) * jumps + arrived
        returned = surfer.damping * step.dangling_mass
        if surfer.dangling == "teleport":
            total += returned * jumps
        elif surfer.dangling == "uniform":
            total += returned / max(files.page_count, 1)
        scale = _row_scale(files, block, surfer)
        return _save_total(block, step, total, total - before, scale)


def _finish_surfer(
    files: BlockFiles, block: int, step: SurferStep, scale: float, to: ArrayFolder
) -> None:
    total = np.array(step.now.load(f"total-{block:05d}"))
    if step.surfer.dangling == "self":
        dangling = _row_scale(files, block, step.surfer) == 0
        total[dangling] /= 1 - step.surfer.damping
    to.save(f"{block:05d}", total * scale)


class ScoreStep(NamedTuple):
    """A half step of HITS: where its scores and those before are, and what scales them."""

    now: ArrayFolder
    before: ArrayFolder | None
    scale: float


def alternate(
    blocks: LinkBlocks, norm: Literal["L2", "L1"], tol: float, max_iter: int, *, weighted: bool
) -> tuple[dict[str, ArrayFolder], Trace]:
    """HITS by power iteration from equal hubs; folders with both scores, and the trace.

    Without the acceleration of one machine, and without restarts: where two components
    are close in strength it takes long, and ends as not converged.
    """
    for direction in SIDES.values():
        send_lists(blocks, direction)
    state, change, iteration = blocks.cluster.folder("hits"), np.inf, 0
    last: dict[str, ScoreStep] = {"hub": ScoreStep(state.subfolder("hub-000000"), None, 1.0)}
    # The L2 norms and the sums of what is saved, and the norms of plain products.
    lengths, totals = {"hub": float(np.sqrt(blocks.page_count))}, {"hub": 0.0}
    products = dict[str, float]()
    blocks.map(partial(_start_hubs, to=last["hub"].now))
    for iteration in track(range(1, max_iter + 1), "hits", max_iter):
        change = 0.0
        for score, direction in SIDES.items():
            other = "hub" if score == "authority" else "authority"
            # Scaled by the last product, which is the next one once they converge.
            scale = 1 / products[score] if products.get(score) else 1.0
            before = last[score].now if score in products else None
            step = ScoreStep(state.subfolder(f"{score}-{iteration:06d}"), before, scale)
            unit = 1 / lengths[other] if lengths[other] else 0.0
            load = partial(_load_score, folder=last[other].now, scale=unit)
            sums = exchange(blocks, direction, load, _ScoreFinish(step), weighted=weighted)
            if last.get(score, step).before is not None:
                last[score].before.remove()  # type: ignore[union-attr]
            squares, totals[score], changed = _add_up(sums)
            lengths[score], last[score] = float(np.sqrt(squares)), step
            products[score] = lengths[score] / scale
            change += changed / totals[score] if totals[score] else 0.0
        if change < tol:
            break
    divisors = totals if norm == "L1" else lengths
    folders = {score: _scale(blocks, score, last[score].now, divisors[score]) for score in SIDES}
    converged = change < tol
    stopped: Literal["converged", "max_iter"] = "converged" if converged else "max_iter"
    return folders, Trace(iteration, change, converged=converged, stopped=stopped)


def _scale(blocks: LinkBlocks, score: str, folder: ArrayFolder, divisor: float) -> ArrayFolder:
    """Write the scores of all blocks, divided by a number."""
    scaled, scale = blocks.cluster.folder(f"scores-{score}"), 1 / divisor if divisor else 0.0
    blocks.map(partial(_copy_score, folder=folder, scale=scale, to=scaled))
    return scaled


def _start_hubs(files: BlockFiles, block: int, to: ArrayFolder) -> None:
    pages = files.page_slice(block)
    to.save(f"{block:05d}", np.ones(pages.stop - pages.start))


def _load_score(_files: BlockFiles, block: int, folder: ArrayFolder, scale: float) -> Floats:
    return np.asarray(folder.load(f"{block:05d}")) * scale


def _copy_score(
    files: BlockFiles, block: int, folder: ArrayFolder, scale: float, to: ArrayFolder
) -> None:
    to.save(f"{block:05d}", _load_score(files, block, folder, scale))


@dataclass(frozen=True, slots=True)
class _ScoreFinish:
    """Save the new scores of a block: the sums of their squares, of them, and of their changes."""

    step: ScoreStep

    def __call__(self, _files: BlockFiles, block: int, sums: Floats) -> tuple[float, ...]:
        scores = sums * self.step.scale
        before = self.step.before.load(f"{block:05d}") if self.step.before else np.inf
        self.step.now.save(f"{block:05d}", scores)
        change = np.abs(scores - before).sum() if len(scores) else 0.0
        return float(np.square(scores).sum()), float(scores.sum()), float(change)


def _add_up(parts: Iterable[tuple[float, ...]]) -> list[float]:
    """The sums of the blocks' values, in the order of blocks."""
    return [float(sum(values)) for values in zip(*parts, strict=True)] or [0.0, 0.0, 0.0]


def send_lists(blocks: LinkBlocks, direction: Direction) -> None:
    """Write for each block which of its pages each other block has links from.

    Each block asks the others for the pages that it needs, as it will ask for their values.
    """
    context, files = blocks.cluster.spark.sparkContext, blocks.files
    asked = context.parallelize(range(files.count), files.count).flatMap(
        partial(_ask, files, direction)
    )
    written = asked.partitionBy(files.count, int).mapPartitionsWithIndex(
        partial(_write_send_list, files, direction)
    )
    with blocks.cluster.watch("send lists"):
        written.count()


def _ask(
    files: BlockFiles, direction: Direction, receiver: int
) -> Iterator[tuple[int, tuple[int, bytes]]]:
    neighbours = files.folder.load_kept(f"{direction}-{receiver:05d}-neighbours")
    ends = split_ends(files, neighbours)
    for sender in range(files.count):
        wanted = neighbours[ends[sender] : ends[sender + 1]] - files.page_slice(sender).start
        if len(wanted):
            yield sender, (receiver, wanted.astype(np.int32).tobytes())


def _write_send_list(
    files: BlockFiles,
    direction: Direction,
    block: int,
    payloads: Iterable[tuple[int, tuple[int, bytes]]],
) -> Iterator[None]:
    lists = [np.zeros(0, np.int32)] * files.count
    for _, (receiver, wanted) in payloads:
        lists[receiver] = np.frombuffer(wanted, np.int32)
    files.folder.save(f"{direction}-{block:05d}-sent", np.concatenate(lists))
    files.folder.save(f"{direction}-{block:05d}-ends", np.cumsum([0, *map(len, lists)]))
    yield from ()


def exchange(
    blocks: LinkBlocks,
    direction: Direction,
    load: Callable[[BlockFiles, int], Floats],
    finish: Finish,
    *,
    weighted: bool = False,
) -> list[tuple[float, ...]]:
    """One round: what `finish` returns for each block of the sums over its rows.

    `load` gives the values of the pages of a block.
    """
    context, files = blocks.cluster.spark.sparkContext, blocks.files
    sent = context.parallelize(range(files.count), files.count).flatMap(
        partial(_send, files, direction, load)
    )
    received = sent.partitionBy(files.count, int).mapPartitionsWithIndex(
        partial(_receive, files, direction, finish, weighted=weighted)
    )
    with blocks.cluster.watch(""):
        return [sums for _, sums in sorted(received.collect())]


def _send(
    files: BlockFiles, direction: Direction, load: Callable[[BlockFiles, int], Floats], block: int
) -> Iterator[tuple[int, tuple[int, bytes]]]:
    values = load(files, block)
    pages = files.folder.load_kept(f"{direction}-{block:05d}-sent")
    ends = files.folder.load_kept(f"{direction}-{block:05d}-ends")
    for receiver in range(files.count):
        chosen = pages[ends[receiver] : ends[receiver + 1]]
        if len(chosen):
            yield receiver, (block, values[chosen].tobytes())


def _receive(
    files: BlockFiles,
    direction: Direction,
    finish: Finish,
    block: int,
    payloads: Iterable[tuple[int, tuple[int, bytes]]],
    *,
    weighted: bool,
) -> Iterator[tuple[int, tuple[float, ...]]]:
    parts = [
        np.frombuffer(payload) for _, (_, payload) in sorted(payloads, key=lambda row: row[1][0])
    ]
    own = files.load(direction, block)
    sums = sum_rows(own.rows, np.concatenate([np.zeros(0), *parts]), weighted=weighted)
    yield block, finish(files, block, sums)
