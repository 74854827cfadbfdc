"""Small pieces that several parts of a report share."""

from collections.abc import Sequence

from weft.core.markup import Markup, join, tag
from weft.core.wording import shortened
from weft.topics.evidence import Evidence
from weft.topics.titles import NO_TITLE
from weft.topics.topic import Topic

COLOURS = 10


def colour(number: int) -> str:
    """The class that gives a topic its colour; they come round again."""
    return f"t{(number - 1) % COLOURS + 1}" if number else ""


def badge(number: int) -> Markup:
    """The number of a topic on its colour."""
    return tag("span", number, class_="badge")


def called(topic: Topic) -> Markup:
    """The name of a topic."""
    return tag("bdi", shortened(topic.name, 160) or "(no words)")


def first_hub(topic: Topic) -> str:
    """The title of its best hub, unless that is its name."""
    return shortened(topic.title, 160) if topic.title != topic.name else ""


def stability(topic: Topic) -> str:
    """How stable a topic is, where that is known."""
    told = topic.facts.get("stability", "")
    return f"{told:.0%}" if isinstance(told, float) else str(told)


def headed(one: Evidence) -> str:
    """The title of a page, unless it says that there is none."""
    return "" if NO_TITLE.fullmatch(one.title) else shortened(one.title, 160)


def strength(topic: Topic) -> str:
    """How strong a topic is, to three digits."""
    return f"{topic.strength:,.0f}" if topic.strength >= 100 else f"{topic.strength:.3g}"


def table(heads: Sequence[str], rows: Sequence[Markup], kind: str) -> Markup:
    """A table with a line of heads."""
    named = tag("tr", *(tag("th", head, scope="col") for head in heads))
    return tag("table", tag("thead", named), tag("tbody", join(rows, "\n")), class_=kind)


def bar(share: float) -> Markup:
    """A bar that is so much of its place."""
    return tag(
        "svg",
        tag("rect", class_="rest", width="100", height="6"),
        tag("rect", width=f"{100 * min(max(share, 0.0), 1.0):.1f}", height="6"),
        class_="bar",
        viewBox="0 0 100 6",
        preserveAspectRatio="none",
        aria_hidden="true",
    )
