"""Communities that grow from bipartite cores."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from weft.communities.community import Communities
from weft.communities.cores import Cores, find_cores
from weft.communities.growing import Group, groups, grown
from weft.communities.partition import communities_of
from weft.core.dimensions import Dimensions
from weft.core.methods import method, options_of
from weft.core.wording import count
from weft.engine import CLOSED
from weft.graph.baseset import BaseSet
from weft.graph.views import Dropped

Expand = Annotated[
    int,
    Field(ge=0, description="how many centres, and how many hubs, HITS may add to a community"),
]
Most = Annotated[int, Field(ge=1, description="how many communities to tell of, strongest first")]

SHOWN = 1000


@method(
    "communities",
    "trawling",
    cites="kumar1999",
    dimensions=Dimensions(
        model="bipartite core",
        metric="density of links",
        algorithm="enumeration",
        scope="multiple pages",
        applications=("web communities",),
    ),
)
@options_of(find_cores)
def trawling(
    base: BaseSet, /, *, expand: Expand = 10, most: Most = 100, **options: Any
) -> Communities:
    """Trawl for cores of fans that link to the same centres, and grow communities from them.

    A core is a set of centres with enough fans in common: pages that know the
    same others, often before these know of each other. Cores that share half
    of their centres or more are of one community. It has their centres, all
    pages that link to all centres of one of them, and the best centres and
    hubs that HITS finds around these. A community is as strong as the number
    of sites that its fans are from. Communities may overlap. What the cleaning
    leaves out, and sets beyond the limit, are told.

    Examples
    --------
    >>> found = trawling([(fan, page) for fan in "abc" for page in "xyz"], sites=0)
    >>> [found.base.pages[page] for page in found[0].centres()]
    ['x', 'y', 'z']
    """
    found = find_cores(base.graph, **options)
    cores, many = groups(found, most)
    made = list(grown(found, cores, expand)) if expand else cores
    communities = communities_of(
        base,
        [group.members for group in made],
        strength=[float(group.sites) for group in made],
        facts=[_facts(group) for group in made],
        evidence=[
            {
                "fans": group.fans,
                "centres": group.centres,
                "cores": found.centres[group.cores[:SHOWN]],
            }
            for group in made
        ],
        scores=[group.scores for group in made if group.scores],
    )
    facts = {"cores": len(found), "communities": many, **found.counts}
    told = notes(found, made, many, options["limit"])
    if options["site"] == "auto" and found.cleaned.alone and base.level == "page" and len(base):
        told = (
            "each page counts as a site of its own: hardly any link leads to another domain",
            *told,
        )
    return Communities("trawling", base, communities, CLOSED, facts, told)


def _facts(group: Group) -> dict[str, int]:
    return {
        "cores": len(group.cores),
        "fans": len(group.fans),
        "centres": len(group.centres),
        "sites of fans": group.sites,
        "pages added": len(group.members) - len(np.union1d(group.fans, group.centres)),
    }


def notes(found: Cores, made: list[Group], many: int, limit: int) -> tuple[str, ...]:
    """What the cleaning left out, and where the search was cut short."""
    short, lost = found.counts["centres cut short"], found.nepotistic
    larger = sum(len(group.cores) > SHOWN for group in made)
    said = [
        (not many, "no core: fewer fans or centres, or sites=3, ask for less"),
        (
            short,
            f"more than {limit:,} sets of centres to try: {count(short, 'centre')} cut short, "
            "whose cores were not all looked for",
        ),
        (lost, f"{count(lost, 'core')} left out: their fans are of too few sites"),
        (many > len(made), f"{many:,} communities found: the first {len(made):,} are told"),
        (
            larger,
            f"{count(larger, 'community')} of more than {SHOWN:,} cores: "
            "the first of them are kept as evidence",
        ),
    ]
    cleaned = [_left_out(dropped) for dropped in found.cleaned.told]
    return (*cleaned, *(words for number, words in said if number))


def _left_out(dropped: Dropped) -> str:
    pages = f"{count(dropped.pages, 'page')} with " if dropped.pages else ""
    return f"left out, {dropped.reason}: {pages}{count(dropped.links, 'link')}"
