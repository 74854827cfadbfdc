"""InfoSpiders: agents that live on relevant pages, learn, multiply and die."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from weft.core.arrays import Floats, Ids, Offsets
from weft.core.params import Seed
from weft.core.register import Dimensions, method
from weft.crawl.crawl import Crawl, CrawlTask, FetchedPage, Known, Scores
from weft.crawl.terms import count_terms

Energy = Annotated[float, Field(gt=0, le=1000, description="energy of an agent at its birth")]
Cost = Annotated[float, Field(ge=0, le=1, description="energy that a page costs")]
Greed = Annotated[
    float, Field(ge=0, le=100, description="how strongly an agent prefers good links")
]
Rate = Annotated[float, Field(gt=0, le=1, description="how fast an agent learns")]
MAX_KEYWORDS, MUTATION = 20, 0.1
MAX_DISTANCE = 10


@method(
    "crawl",
    "infospiders",
    cites="menczer2000",
    dimensions=Dimensions(
        "probabilistic model",
        "similarity",
        "sampling",
        "whole web",
        ("web crawling",),
        data="links and content",
    ),
)
def infospiders(
    task: CrawlTask,
    *,
    energy: Energy = 1.0,
    cost: Cost = 0.05,
    greed: Greed = 5.0,
    rate: Rate = 0.1,
    seed: Seed = 0,
) -> Crawl:
    """Let agents search that multiply on relevant pages.

    An agent has keywords, a small neural net and energy. The net scores links by
    how near the keywords stand; a page adds its relevance to the energy of the
    agents that chose it, less its cost, and teaches the net. An agent with twice
    its first energy splits in two; one without energy dies. When all are dead,
    the links left are fetched by their scores.
    """
    return task.run(InfoSpiders(task, energy, cost, greed, rate, seed), "infospiders")


@dataclass(slots=True, eq=False)
class Agent:
    """An agent: its keywords, the weights of its net, its energy, and what it saw of its link."""

    keywords: Ids
    weights: Floats
    energy: float
    inputs: Floats | None = None


class InfoSpiders:
    """Agents that each have one URL waiting; those come first, in the order of their choice."""

    batch_size = 1

    def __init__(
        self, task: CrawlTask, energy: float, cost: float, greed: float, rate: float, seed: int
    ) -> None:
        self.topic, self.random = task.topic, np.random.default_rng(seed)
        self.energy, self.cost, self.greed, self.rate = energy, cost, greed, rate
        best = np.argsort(-self.topic.vector.weights, kind="stable")[:MAX_KEYWORDS]
        self.keywords = best[self.topic.vector.weights[best] > 0].astype(np.int32)
        self.agents: dict[int, list[Agent]] = {}  # by the URL that they wait for

    def score(self, page: FetchedPage, known: Known) -> Scores:
        """Feed the agents that waited for the page, and let each choose its next link."""
        agents = self.agents.pop(page.number, None)
        if agents is None:
            agents = [Agent(self.keywords, np.ones(len(self.keywords)), self.energy)]
        links = self.topic.terms(page.page).links
        free = [k for k, target in enumerate(page.targets) if not known.is_fetched(target)]
        spans = links.anchors[page.link_rows[free]]
        scores = np.zeros(len(free))
        chosen: dict[int, float] = {}
        for agent in self._live(agents, page):
            inputs = _keyword_inputs(links.terms, spans, agent.keywords)
            estimates = np.tanh(inputs @ agent.weights)
            scores = np.maximum(scores, estimates)
            if free:
                odds = np.exp(self.greed * (estimates - estimates.max()))
                k = int(self.random.choice(len(free), p=odds / odds.sum()))
                agent.inputs = inputs[k]
                target = page.targets[free[k]]
                self.agents.setdefault(target, []).append(agent)
                chosen[target] = 1.0 + 1.0 / (1 + len(known.out_links))
        values = [
            max(chosen.get(page.targets[k], 0.0), s) for k, s in zip(free, scores, strict=True)
        ]
        return Scores([page.targets[k] for k in free], values)

    def _live(self, agents: list[Agent], page: FetchedPage) -> list[Agent]:
        """Update energy and net of agents; some split in two, some die.

        They share what the page gives, so that there are never more than pages feed.
        """
        alive = []
        for agent in agents:
            agent.energy += page.relevance / len(agents) - self.cost
            if agent.inputs is not None:
                estimate = float(np.tanh(agent.inputs @ agent.weights))
                gradient = (page.relevance - estimate) * (1 - estimate**2)
                agent.weights = agent.weights + self.rate * gradient * agent.inputs
            if agent.energy <= 0:
                continue
            alive.append(agent)
            if agent.energy > 2 * self.energy:
                agent.energy /= 2
                alive.append(self._offspring(agent, page))
        return alive

    def _offspring(self, agent: Agent, page: FetchedPage) -> Agent:
        """A copy with noisy weights, and a frequent word of the page as a further keyword."""
        distinct, counts = count_terms(self.topic.terms(page.page).terms)
        new = distinct[~np.isin(distinct, agent.keywords)]
        keywords, weights = agent.keywords, agent.weights
        if len(new) and len(keywords) < 2 * MAX_KEYWORDS:
            word = new[np.argmax(counts[np.isin(distinct, new)])]
            keywords, weights = np.append(keywords, word), np.append(weights, 1.0)
        noise = self.random.normal(0, MUTATION, len(weights))
        return Agent(keywords.astype(np.int32), weights + noise, agent.energy)


def _keyword_inputs(terms: Ids, spans: Offsets, keywords: Ids) -> Floats:
    """For each link and keyword the sum of 1/distance over its occurrences near the link."""
    inputs = np.zeros((len(spans), len(keywords)))
    for row, (first, last) in enumerate(spans.tolist()):
        a, b = max(first - MAX_DISTANCE, 0), min(last + MAX_DISTANCE, len(terms))
        position = np.arange(a, b)
        distance = np.maximum(np.maximum(first - position, position - last + 1), 1)
        near = (terms[a:b, None] == keywords[None, :]) / distance[:, None]
        inputs[row] = near.sum(axis=0)
    return inputs
