"""Robots: agents that say so, and visitors that behave like one."""

import re
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from weft.core.arrays import Flags, Ids
from weft.kernels.log_fields import ASSETS, LONGEST_RUN, REQUESTS, RULES, UNREFERRED

MAX_AGENT_CHARS = 500
MIN_RUN_PAGES = 30
MIN_UNREFERRED_REQUESTS, MIN_UNREFERRED_SHARE = 10, 0.9
HUMAN, ROBOT, SUSPECT = 0, 1, 2
# Words that agents of programs have and those of browsers do not.
PROGRAM_AGENT = re.compile(
    r"(?<!cu)bot\b|robot|crawl|spider|slurp|fetch|monitor|preview|headless|phantomjs|scrap"
    r"|python|curl/|wget|libwww|httpclient|http_request|http-client|okhttp|axios|guzzle|aiohttp"
    r"|java/|go-http|ruby|perl|php/|feed|validator|link ?check|archiver|pingdom|uptime|nagios"
    r"|facebookexternalhit|embedly|\+https?://",
    re.IGNORECASE,
)


@lru_cache(maxsize=1 << 16)
def is_robot_agent(agent: str) -> bool:
    """Whether an agent names itself as a program: by a generic word, or a list of crawlers.

    Examples
    --------
    >>> is_robot_agent("Mozilla/5.0 (compatible; Googlebot/2.1)")
    True
    >>> is_robot_agent("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
    False
    """
    from crawleruseragents import is_crawler  # noqa: PLC0415  reads its list of crawlers

    agent = agent[:MAX_AGENT_CHARS]
    return PROGRAM_AGENT.search(agent) is not None or is_crawler(agent)


def classify_visitors(
    counts: Ids, declared: Flags, *, has_referrers: bool
) -> npt.NDArray[np.uint8]:
    """Which visitors are robots by their agent or because they asked for the rules for robots.

    Suspects viewed 30 pages at more than one a second, or loaded no asset and
    gave no referrer for nine of ten requests. The second rule says nothing if
    the log has no referrers or no assets, or about few requests.
    """
    robots = np.full(len(counts), HUMAN, np.uint8)
    requests, assets = counts[:, REQUESTS], counts[:, ASSETS]
    robots[counts[:, LONGEST_RUN] >= MIN_RUN_PAGES] = SUSPECT
    if has_referrers and assets.any():
        share = counts[:, UNREFERRED] / np.maximum(requests, 1)
        is_silent = (assets == 0) & (share >= MIN_UNREFERRED_SHARE)
        robots[is_silent & (requests >= MIN_UNREFERRED_REQUESTS)] = SUSPECT
    robots[declared | (counts[:, RULES] > 0)] = ROBOT
    return robots
