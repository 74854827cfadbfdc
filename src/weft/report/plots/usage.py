"""Plots of usage: visits over time, and the first steps of sessions as a flow diagram."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from weft.core.html import Markup, html_element
from weft.core.text import pluralise, shorten, strip_scheme
from weft.gather.url import host
from weft.report.plots.charts import LEFT, RIGHT_MARGIN, TITLE_HEIGHT, TOP, Axis, format_tick
from weft.report.plots.svg import (
    COLOURS,
    DEFAULT_FRAME,
    SMALL_FONT_SIZE,
    Frame,
    Heading,
    fill_attributes,
    stroke_attributes,
    svg_document,
    svg_text,
)
from weft.usage.overview import LEFT as LEFT_SITE
from weft.usage.overview import OTHER_PAGES
from weft.usage.usage import Usage

BARS_HEIGHT, FLOW_HEIGHT, AXIS_HEIGHT = 150.0, 330.0, 26.0
NODE_WIDTH, NODE_GAP = 9.0, 12.0
MAX_DATE_LABELS, DATE_LABEL_WIDTH, DATE_STEPS = 8, 80.0, (1, 2, 7, 14, 28, 91, 182, 364)
LETTER_WIDTH = 5.9
NARROW_STEPS, LINK_OPACITY = 3, "0.35"
NO_TITLES: Mapping[str, str] = {}
FLOW_COLOURS = ("t1", "t2", "t3", "t4", "t5", "t8", "t9")


def draw_usage_plots(
    usage: Usage, frame: Frame = DEFAULT_FRAME, titles: Mapping[str, str] = NO_TITLES
) -> dict[str, Markup]:
    """Draw the plots of a usage result, by name; some methods have none.

    Pages are labelled by their titles, or by their addresses where these are not known.
    """
    draw = USAGE_PLOT_FUNCTIONS.get(usage.method)
    return dict(draw(usage, frame, titles)) if draw else {}


def _plot_overview(
    usage: Usage, frame: Frame, titles: Mapping[str, str]
) -> Iterator[tuple[str, Markup]]:
    yield "flow", draw_flow(usage, frame, titles)
    if len(usage.to_table("days")):
        yield "visits", draw_visits(usage, frame)


def draw_visits(usage: Usage, frame: Frame = DEFAULT_FRAME) -> Markup:
    """A bar of sessions for each day, from the first to the last."""
    table = usage.to_table("days")
    days = np.array(table["day"].to_pylist(), "datetime64[D]")
    counts = table["sessions"].to_numpy()
    place = (days - days[0]).astype(int)
    bottom = TOP + BARS_HEIGHT
    x = Axis(-0.6, float(place[-1]) + 0.6, LEFT, frame.width - RIGHT_MARGIN)
    y = Axis(0.0, float(counts.max(initial=1)) * 1.05, bottom, TOP, max_ticks=4)
    width = max(0.8 * (x.position(1) - x.position(0)), 1.0)
    parts: list[Markup] = []
    for value in y.ticks():
        at = y.position(value)
        ends = {"x1": f"{LEFT:g}", "x2": f"{x.end:g}", "y1": f"{at:.1f}", "y2": f"{at:.1f}"}
        parts.append(html_element("line", **ends, **stroke_attributes("line")))
        tick = format_tick(value)
        parts.append(svg_text(LEFT - 6, at + 4, tick, "soft", SMALL_FONT_SIZE, text_anchor="end"))
    for day, where, count in zip(days, place.tolist(), counts.tolist(), strict=True):
        top = y.position(count)
        parts.append(
            html_element(
                "rect",
                html_element("title", f"{day}: {pluralise(count, 'session')}"),
                x=f"{x.position(where) - width / 2:.1f}",
                y=f"{top:.1f}",
                width=f"{width:.1f}",
                height=f"{bottom - top:.1f}",
                **fill_attributes("t1"),
            )
        )
    last = int(place[-1])
    for where in range(0, last + 1, _date_step(last, x)):
        label = str(days[0] + where)
        at = min(x.position(float(where)), frame.width - DATE_LABEL_WIDTH / 2)
        parts.append(
            svg_text(at, bottom + 16, label, "soft", SMALL_FONT_SIZE, text_anchor="middle")
        )
    total = pluralise(usage["sessions"], "session")
    heading = Heading("Sessions a day", f"Sessions a day from {days[0]} to {days[-1]}.", total)
    return svg_document(frame, bottom + AXIS_HEIGHT, TITLE_HEIGHT, heading, *parts)


def _date_step(last: int, x: Axis) -> int:
    """The days between two dates: as few as there is room for, whole weeks if over two."""
    room = min(MAX_DATE_LABELS, int((x.end - x.start) / DATE_LABEL_WIDTH))
    return next(
        (step for step in DATE_STEPS if last // step < room), DATE_STEPS[-1] * (1 + last // 364)
    )


@dataclass(slots=True)
class FlowNode:
    """A page of a step: where it is drawn, and how much of it is taken by links so far."""

    name: str
    title: str = ""
    address: str = ""
    sessions_in: int = 0
    sessions_out: int = 0
    x: float = 0.0
    y: float = 0.0
    height: float = 0.0
    taken_in: float = 0.0
    taken_out: float = 0.0

    @property
    def sessions(self) -> int:
        """How many sessions were on it."""
        return max(self.sessions_in, self.sessions_out)

    @property
    def is_page(self) -> bool:
        """Whether it is one page."""
        return self.name not in {OTHER_PAGES, LEFT_SITE}


def draw_flow(
    usage: Usage, frame: Frame = DEFAULT_FRAME, titles: Mapping[str, str] = NO_TITLES
) -> Markup:
    """The first steps of sessions: pages as bars, the way between them as bands."""
    rows = usage.to_table("flow").to_pylist()
    last_step = max((row["step"] for row in rows), default=0)
    last_step = min(last_step, NARROW_STEPS - 1) if frame.narrow else last_step
    others = (OTHER_PAGES, OTHER_PAGES)  # this band would be the widest, and say nothing
    rows = [row for row in rows if row["step"] <= last_step and (row["from"], row["to"]) != others]
    description = f"The first {last_step + 1} pages of sessions, and the way between them."
    heading = Heading("First steps", description, "the most frequent pages of each step")
    if not rows:
        message = svg_text(12, 62, "nothing to draw", "soft")
        return svg_document(frame, 80, 44, heading._replace(subtitle=""), message)
    columns = _flow_columns(rows, last_step)
    scale = _place_nodes(columns, frame)
    _name_nodes([node for column in columns for node in column.values()], titles)
    parts = list(_draw_bands(rows, columns, scale))
    for k, column in enumerate(columns):
        right = columns[k + 1] if k + 1 < len(columns) else None
        room = _label_room(column, right, frame)
        for number, node in enumerate(column.values()):
            parts.append(_draw_node(node, FLOW_COLOURS[number % len(FLOW_COLOURS)], room))
    for k, column in enumerate(columns):
        at = next(iter(column.values())).x
        label = "first page" if k == 0 else f"page {k + 1}"
        parts.append(svg_text(at, TOP - 9, label, "soft", SMALL_FONT_SIZE))
    return svg_document(frame, TOP + FLOW_HEIGHT + 12, TITLE_HEIGHT, heading, *parts)


def _flow_columns(rows: Sequence[dict[str, object]], last_step: int) -> list[dict[str, FlowNode]]:
    """The pages of each step by name, with as many sessions as come in or go out."""
    columns: list[dict[str, FlowNode]] = [{} for _ in range(last_step + 1)]
    for row in rows:
        step, sessions = int(str(row["step"])), int(str(row["sessions"]))
        source, target = str(row["from"]), str(row["to"])
        columns[step - 1].setdefault(source, FlowNode(source)).sessions_out += sessions
        columns[step].setdefault(target, FlowNode(target)).sessions_in += sessions
    return [{n.name: n for n in sorted(column.values(), key=_node_order)} for column in columns]


def _node_order(node: FlowNode) -> tuple[int, int, str]:
    """Pages by their sessions, then the other pages, then the end."""
    place = {OTHER_PAGES: 1, LEFT_SITE: 2}.get(node.name, 0)
    return place, -node.sessions, node.name


def _place_nodes(columns: Sequence[dict[str, FlowNode]], frame: Frame) -> float:
    """Set the places of all nodes; the height of one session."""
    gaps = max(NODE_GAP * (len(column) - 1) for column in columns)
    most = max(sum(node.sessions for node in column.values()) for column in columns)
    scale = (FLOW_HEIGHT - gaps) / max(most, 1)
    label_room = 0.65 * (frame.width - 24) / len(columns)
    distance = (frame.width - 24 - label_room) / max(len(columns) - 1, 1)
    for k, column in enumerate(columns):
        y = TOP
        for node in column.values():
            node.x, node.y, node.height = 12 + k * distance, y, max(node.sessions * scale, 1.0)
            y += node.height + NODE_GAP
    return scale


def _draw_bands(
    rows: Sequence[dict[str, object]], columns: Sequence[dict[str, FlowNode]], scale: float
) -> Iterator[Markup]:
    """The bands between two steps, in the order of their ends, so that few cross."""
    for step, (left, right) in enumerate(pairwise(columns), start=1):
        order = {name: k for k, name in enumerate(left)}
        target_order = {name: k for k, name in enumerate(right)}
        between = [row for row in rows if row["step"] == step]
        between.sort(key=lambda r: (order[str(r["from"])], target_order[str(r["to"])]))
        for row in between:
            source, target = left[str(row["from"])], right[str(row["to"])]
            width = int(str(row["sessions"])) * scale
            start = source.y + source.taken_out + width / 2
            end = target.y + target.taken_in + width / 2
            source.taken_out += width
            target.taken_in += width
            x1, x2 = source.x + NODE_WIDTH, target.x
            middle = (x1 + x2) / 2
            colour = FLOW_COLOURS[order[source.name] % len(FLOW_COLOURS)]
            colour = "t10" if source.name == OTHER_PAGES else colour
            sessions = pluralise(int(str(row["sessions"])), "session")
            title = f"{sessions}: {source.name} → {target.name}"
            turn = f"C{middle:.1f} {start:.1f} {middle:.1f} {end:.1f} {x2:.1f} {end:.1f}"
            path = f"M{x1:.1f} {start:.1f}{turn}"
            yield html_element(
                "path",
                html_element("title", title),
                d=path,
                stroke_opacity=LINK_OPACITY,
                **stroke_attributes(colour, max(width, 0.6)),
            )


def _label_room(
    column: dict[str, FlowNode], right: dict[str, FlowNode] | None, frame: Frame
) -> int:
    """How many letters fit between a column and the next."""
    x = next(iter(column.values())).x + NODE_WIDTH
    end = next(iter(right.values())).x if right else frame.width - 4
    return max(int((end - x - 8) / LETTER_WIDTH), 4)


def _draw_node(node: FlowNode, colour: str, room: int) -> Markup:
    bar = html_element(
        "rect",
        x=f"{node.x:.1f}",
        y=f"{node.y:.1f}",
        width=f"{NODE_WIDTH:g}",
        height=f"{node.height:.1f}",
        **fill_attributes(colour if node.is_page else "t10"),
    )
    text = shorten(node.title, room) if node.title else _shorten_address(node.address, room)
    at = node.y + node.height / 2 + 4
    halo = {"stroke": COLOURS["ground"], "stroke_width": "3", "paint_order": "stroke"}
    label = svg_text(node.x + NODE_WIDTH + 4, at, text, "ink", SMALL_FONT_SIZE, **halo)
    title = html_element("title", f"{node.name}: {pluralise(node.sessions, 'session')}")
    key = {"data_key": node.name, "tabindex": "-1"} if node.is_page else {}
    return html_element("a" if node.is_page else "g", title, bar, label, **key)


def _name_nodes(nodes: Sequence[FlowNode], titles: Mapping[str, str]) -> None:
    """Give nodes the titles that no other page has, and addresses without a common host."""
    pages = {node.name for node in nodes if node.is_page}
    owners = Counter(titles.get(page, "") for page in pages)
    one_host = len({host(page) for page in pages}) == 1
    for node in nodes:
        title = titles.get(node.name, "")
        node.title = title if owners[title] == 1 else ""
        node.address = strip_scheme(node.name).removeprefix("www.")
        if one_host and "/" in node.address:
            node.address = node.address[node.address.index("/") :]


def _shorten_address(address: str, room: int) -> str:
    """The beginning of an address and its last part, which tells most."""
    start, _, end = address.rpartition("/")
    if len(address) <= room or not (start and end):
        return shorten(address, room)
    kept = room - len(end) - 2
    return f"{start[:kept]}…/{end}" if kept > room // 4 else f"…{address[-(room - 1) :]}"


Draw = Callable[[Usage, Frame, Mapping[str, str]], Iterator[tuple[str, Markup]]]
USAGE_PLOT_FUNCTIONS: dict[str, Draw] = {"overview": _plot_overview}
