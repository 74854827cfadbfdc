"""Bayesian hubs and authorities: posterior means of a model of links, by Metropolis sampling."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from weft.core.arrays import Flags, Floats, Offsets
from weft.core.errors import BadParameter
from weft.core.params import Seed
from weft.core.progress import track
from weft.core.register import Dimensions, method
from weft.engine import CLOSED_FORM, Trace
from weft.graph.webgraph import WebGraph
from weft.rank.hits import NO_LINKS_ZERO_NOTE
from weft.rank.ranking import Contributions, Ranking, unique_certainty

TARGET_CELLS_PER_SWEEP = 1 << 15
MIN_CHAINS, MAX_CHAINS = 4, 64
MIN_WARMUP_SWEEPS = 200
TARGET_ACCEPTANCE_RATE = 0.44
MAX_R_HAT = 1.05


@dataclass(frozen=True, slots=True, eq=False)
class ModelParameters:
    """Hub scores, authority scores and link tendencies of hubs; the first axis may be chains."""

    hub: Floats
    authority: Floats
    tendency: Floats


@dataclass(frozen=True, slots=True, eq=False)
class LinkModel:
    """A model of links between hubs i (rows of `links`) and authorities j (columns).

    The log odds of a link are h_i a_j + e_i, with priors h, a ~ Exp(1) and
    e ~ N(mean, sd^2) for the tendency of a hub to link. With `sd` zero, the
    simplified model: the odds are h_i a_j.
    """

    links: Floats
    mean: float = 0.0
    sd: float = 0.0

    def log_odds(self, parameters: ModelParameters) -> Floats:
        """The log odds of a link, for every pair."""
        hub, authority = parameters.hub[..., :, None], parameters.authority[..., None, :]
        if self.sd:
            return hub * authority + parameters.tendency[..., :, None]
        return np.log(hub) + np.log(authority)

    def missing_link_nll(self, parameters: ModelParameters) -> Floats:
        """The negative log-likelihood of a missing link, log(1 + exp(log odds)), for every pair."""
        odds = self.log_odds(parameters)
        # max(x, 0) + log(1 + exp(-|x|)), which cannot overflow, in place
        log_term = np.abs(odds)
        np.negative(log_term, out=log_term)
        np.exp(log_term, out=log_term)
        log_term += 1
        np.log(log_term, out=log_term)
        np.maximum(odds, 0, out=odds)
        odds += log_term
        return odds

    def log_odds_sum_derivative(self, parameter: str, parameters: ModelParameters) -> Floats:
        """The derivative of sum over links of the log odds, by a score or its logarithm."""
        if self.sd and parameter == "authority":
            return parameters.hub @ self.links
        if self.sd and parameter == "hub":
            return parameters.authority @ self.links.T
        degrees: Floats = self.links.sum(axis=0 if parameter == "authority" else 1)
        return degrees

    def tendency_neg_log_prior(self, tendency: Floats) -> Floats:
        """The negative log-density of tendencies, up to a constant."""
        if not self.sd:
            return np.zeros_like(tendency)
        return np.square((tendency - self.mean) / self.sd) / 2


@dataclass(frozen=True, slots=True, eq=False)
class PosteriorSummary:
    """Posterior means with their Monte Carlo standard errors, and the trace of the sampler."""

    mean: ModelParameters
    standard_error: ModelParameters
    trace: Trace

    def average_equal_degrees(self, outdegrees: Floats, indegrees: Floats) -> "PosteriorSummary":
        """Average pages of equal degree, for models in which these have equal scores."""

        def pool_parameters(parameters: ModelParameters) -> ModelParameters:
            return replace(
                parameters,
                hub=_mean_by_degree(parameters.hub, outdegrees),
                authority=_mean_by_degree(parameters.authority, indegrees),
            )

        return PosteriorSummary(
            pool_parameters(self.mean), pool_parameters(self.standard_error), self.trace
        )


def sample_posterior(model: LinkModel, samples: int, seed: int, label: str) -> PosteriorSummary:
    """Estimate posterior means by a Metropolis sampler with several chains.

    Given the hubs, the authorities are independent of each other, so that all
    are updated at once, each accepted or rejected on its own; then all hubs,
    all tendencies, and a common factor of both sides. Step sizes adapt during
    the warm-up and are fixed from then on. The sample has converged if the
    Gelman-Rubin statistic R-hat of every parameter is below 1.05.
    """
    rng = np.random.default_rng(seed)
    hubs, authorities = model.links.shape
    chains = int(np.clip(TARGET_CELLS_PER_SWEEP // (hubs * authorities), MIN_CHAINS, MAX_CHAINS))
    sweeps = -(-samples // chains)
    warmup = max(MIN_WARMUP_SWEEPS, sweeps // 4)
    sampler = MetropolisSampler.start_chains(model, chains, rng)
    total = np.zeros((chains, 2 * hubs + authorities))
    total_squares = np.zeros_like(total)
    for sweep in track(range(warmup + sweeps), label, warmup + sweeps):
        sampler.sweep()
        if sweep < warmup:
            sampler.adapt_step_sizes(sweep)
            continue
        draw = sampler.parameter_vectors()
        total += draw
        total_squares += np.square(draw)
    # R-hat^2 = 1 + variance between the means of chains / variance within chains
    chain_means = total / sweeps
    between_sd = chain_means.std(axis=0, ddof=1)
    within = (total_squares / sweeps - np.square(chain_means)).mean(axis=0)
    r_hat = np.sqrt(1 + np.square(between_sd) / np.where(within > 0, within, 1)).max()
    standard_error = between_sd / np.sqrt(chains)
    trace = Trace(
        warmup + sweeps,
        float(standard_error.max()),
        converged=bool(r_hat < MAX_R_HAT),
        stopped="converged" if r_hat < MAX_R_HAT else "max_iter",
        error=float(standard_error[: hubs + authorities].max()),
    )
    cuts = [hubs, hubs + authorities]
    return PosteriorSummary(
        ModelParameters(*np.split(chain_means.mean(axis=0), cuts)),
        ModelParameters(*np.split(standard_error, cuts)),
        trace,
    )


@dataclass(slots=True, eq=False)
class MetropolisSampler:
    """The state of all chains, with the step size and acceptance rate of each parameter.

    `missing_link_nll` of the current state is kept, so that a proposal costs
    one evaluation.
    """

    model: LinkModel
    rng: np.random.Generator
    parameters: ModelParameters
    missing_link_nll: Floats
    step_sizes: dict[str, Floats]
    acceptance_rates: dict[str, Floats]

    @classmethod
    def start_chains(
        cls, model: LinkModel, chains: int, rng: np.random.Generator
    ) -> "MetropolisSampler":
        """Chains from overdispersed random starts."""
        hubs, authorities = model.links.shape
        normal = rng.standard_normal
        state = ModelParameters(
            np.exp(0.5 * normal((chains, hubs))),
            np.exp(0.5 * normal((chains, authorities))),
            model.mean + model.sd * normal((chains, hubs)),
        )
        steps = {
            "authority": np.ones(authorities),
            "hub": np.ones(hubs),
            "tendency": np.full(hubs, 2 * model.sd),
            "both": np.full(1, 2 / np.sqrt(hubs + authorities)),
        }
        return cls(model, rng, state, model.missing_link_nll(state), steps, {})

    def sweep(self) -> None:
        """Update every parameter once."""
        self._update_scores("authority", axis=1)
        self._update_scores("hub", axis=2)
        if self.model.sd:
            self._update_tendencies()
        self._rescale_hubs_and_authorities()

    def adapt_step_sizes(self, iteration: int) -> None:
        """Lengthen steps accepted too often and shorten the others, less with each iteration."""
        for name, rate in self.acceptance_rates.items():
            factor = np.exp((rate - TARGET_ACCEPTANCE_RATE) / np.sqrt(iteration + 1))
            self.step_sizes[name] = np.clip(self.step_sizes[name] * factor, 1e-9, 5)

    def parameter_vectors(self) -> Floats:
        """All parameters as one vector per chain."""
        return np.hstack([self.parameters.hub, self.parameters.authority, self.parameters.tendency])

    def _update_scores(self, parameter: str, axis: int) -> None:
        old: Floats = getattr(self.parameters, parameter)
        log_step = self.step_sizes[parameter] * self.rng.standard_normal(old.shape)
        new = old * np.exp(log_step)
        likelihood = self.model.log_odds_sum_derivative(parameter, self.parameters) * (
            new - old if self.model.sd else log_step
        )
        # old - new: the exponential prior; log_step: the Jacobian of the multiplicative step
        self._accept_or_reject(parameter, new, old - new + log_step + likelihood, axis)

    def _update_tendencies(self) -> None:
        old = self.parameters.tendency
        new = old + self.step_sizes["tendency"] * self.rng.standard_normal(old.shape)
        prior = self.model.tendency_neg_log_prior(old) - self.model.tendency_neg_log_prior(new)
        likelihood = self.model.log_odds_sum_derivative("tendency", self.parameters) * (new - old)
        self._accept_or_reject("tendency", new, prior + likelihood, 2)

    def _accept_or_reject(
        self, parameter: str, proposal: Floats, log_ratio: Floats, axis: int
    ) -> None:
        """Accept proposals with probability min(1, exp(log ratio of the posteriors)).

        `log_ratio` has the priors and the links; the pairs without a link are
        added here, summed over `axis`, the other side of the pairs.
        """
        nll = self.model.missing_link_nll(replace(self.parameters, **{parameter: proposal}))
        accepted = self._draw_acceptances(
            parameter, log_ratio + self.missing_link_nll.sum(axis=axis) - nll.sum(axis=axis)
        )
        values = np.where(accepted, proposal, getattr(self.parameters, parameter))
        self.parameters = replace(self.parameters, **{parameter: values})
        np.copyto(self.missing_link_nll, nll, where=np.expand_dims(accepted, axis))

    def _rescale_hubs_and_authorities(self) -> None:
        """Multiply all authorities by a factor and divide all hubs by it.

        Every product h_i a_j stays, and so does the likelihood: only the priors
        and the Jacobian decide.
        """
        hub, authority = self.parameters.hub, self.parameters.authority
        log_factor = self.step_sizes["both"] * self.rng.standard_normal((len(hub), 1))
        new_authority, new_hub = authority * np.exp(log_factor), hub * np.exp(-log_factor)
        prior = (authority - new_authority).sum(axis=1) + (hub - new_hub).sum(axis=1)
        jacobian = (authority.shape[1] - hub.shape[1]) * log_factor
        accepted = self._draw_acceptances("both", prior[:, None] + jacobian)
        authority = np.where(accepted, new_authority, authority)
        hub = np.where(accepted, new_hub, hub)
        self.parameters = replace(self.parameters, authority=authority, hub=hub)

    def _draw_acceptances(self, parameter: str, log_ratio: Floats) -> Flags:
        # minus a standard exponential is the logarithm of a uniform random number
        accepted: Flags = -self.rng.standard_exponential(log_ratio.shape) < log_ratio
        self.acceptance_rates[parameter] = accepted.mean(axis=0)
        return accepted


def _mean_by_degree(values: Floats, degrees: Floats) -> Floats:
    _, group, size = np.unique(degrees, return_inverse=True, return_counts=True)
    means: Floats = (np.bincount(group, values) / size)[group]
    return means


MeanTendency = Annotated[
    float, Field(ge=-100, le=100, description="prior mean of the tendency to link, as log odds")
]
TendencySd = Annotated[
    float, Field(gt=0, le=100, description="prior standard deviation of that tendency")
]
SampleCount = Annotated[int, Field(ge=100, le=100_000_000, description="number of random samples")]

MAX_PAIRS = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class HubAuthorityMatrix:
    """The adjacency matrix of hubs by authorities, both given by page number, sorted by name."""

    hubs: Offsets
    authorities: Offsets
    matrix: Floats


BAYESIAN_DIMENSIONS = Dimensions(
    model="probabilistic model",
    metric="hub and authority scores",
    algorithm="sampling",
    scope="single page",
    applications=("web search", "topic distillation"),
)


@method("rank", "bayesian", cites="borodin2001", dimensions=BAYESIAN_DIMENSIONS)
def bayesian(
    graph: WebGraph,
    *,
    mean: MeanTendency = -5.0,
    sd: TendencySd = 0.1,
    samples: SampleCount = 20_000,
    seed: Seed = 0,
) -> Ranking:
    """Score authorities and hubs by a Bayesian model of links.

    The log odds of a link are the hub's score times the authority's, plus the
    hub's tendency to link, with priors Exp(1) for scores and N(mean, sd^2) for
    tendencies. The scores are posterior means, estimated from random samples.
    Pairs without a link count as evidence too, so that graphs are limited to a
    million pairs of hub and authority.

    Examples
    --------
    >>> bayesian(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by bayesian, led by x>
    """
    links = build_link_matrix(graph)
    if not graph.link_count:
        return _zero_ranking("bayesian", graph)
    posterior = sample_posterior(LinkModel(links.matrix, mean, sd), samples, seed, "bayesian")
    return _ranking_from_posterior("bayesian", graph, links, posterior)


@method("rank", "bayesian-simple", cites="borodin2001", dimensions=BAYESIAN_DIMENSIONS)
def bayesian_simple(graph: WebGraph, *, samples: SampleCount = 20_000, seed: Seed = 0) -> Ranking:
    """Score authorities and hubs by a simpler Bayesian model.

    The odds of a link are the hub's score times the authority's. Only the
    number of links to a page matters then: the order is that of the in-degree,
    and pages of equal degree, which have equal scores, are averaged. Graphs are
    limited to a million pairs of hub and authority.

    Examples
    --------
    >>> bayesian_simple(WebGraph.from_links([("a", "x"), ("b", "x"), ("b", "y")]))
    <Ranking of 4 pages by bayesian-simple, led by x>
    """
    links = build_link_matrix(graph)
    if not graph.link_count:
        return _zero_ranking("bayesian-simple", graph)
    posterior = sample_posterior(LinkModel(links.matrix), samples, seed, "bayesian-simple")
    pooled = posterior.average_equal_degrees(links.matrix.sum(axis=1), links.matrix.sum(axis=0))
    return _ranking_from_posterior("bayesian-simple", graph, links, pooled)


def build_link_matrix(graph: WebGraph) -> HubAuthorityMatrix:
    """The dense adjacency matrix of hubs by authorities; an error if it is too large."""
    hubs = np.flatnonzero(np.diff(graph.outlinks.starts))
    authorities = np.flatnonzero(np.diff(graph.inlinks.starts))
    pairs = len(hubs) * len(authorities)
    if pairs > MAX_PAIRS:
        raise BadParameter(
            f"{pairs:,} pairs of hub and authority are too many to sample",
            hint="rank a part of the graph, such as the pages around a query",
        )
    hubs, authorities = _sort_by_name(graph, hubs), _sort_by_name(graph, authorities)
    row, column = np.zeros((2, len(graph)), np.int64)
    row[hubs], column[authorities] = np.arange(len(hubs)), np.arange(len(authorities))
    sources = graph.outlinks.row_ids().astype(np.int64)
    matrix = np.zeros((len(hubs), len(authorities)))
    matrix[row[sources], column[graph.outlinks.ids]] = 1
    return HubAuthorityMatrix(hubs, authorities, matrix)


def _sort_by_name(graph: WebGraph, pages: Offsets) -> Offsets:
    # so that a page gets the same random numbers however pages are numbered
    order = pc.sort_indices(graph.names.take(pa.array(pages)))
    by_name: Offsets = pages[order.to_numpy()]
    return by_name


def _ranking_from_posterior(
    name: str, graph: WebGraph, links: HubAuthorityMatrix, posterior: PosteriorSummary
) -> Ranking:
    def expand_to_all_pages(values: Floats, pages: Offsets) -> Floats:
        full = np.zeros(len(graph))
        full[pages] = values
        return full

    scores = {
        "authority": expand_to_all_pages(posterior.mean.authority, links.authorities),
        "hub": expand_to_all_pages(posterior.mean.hub, links.hubs),
    }
    errors = {
        "authority error": expand_to_all_pages(
            posterior.standard_error.authority, links.authorities
        ),
        "hub error": expand_to_all_pages(posterior.standard_error.hub, links.hubs),
        "tendency": expand_to_all_pages(posterior.mean.tendency, links.hubs),
    }
    note = f"means of a random sample, standard error up to {posterior.trace.error:.2g}"
    return Ranking(
        name,
        graph.pages,
        scores,
        posterior.trace,
        unique_certainty(note),
        _undivided_contributions(graph, scores),
        errors,
    )


def _zero_ranking(name: str, graph: WebGraph) -> Ranking:
    scores = {"authority": np.zeros(len(graph)), "hub": np.zeros(len(graph))}
    return Ranking(
        name,
        graph.pages,
        scores,
        CLOSED_FORM,
        unique_certainty(NO_LINKS_ZERO_NOTE),
        _undivided_contributions(graph, scores),
    )


def _undivided_contributions(
    graph: WebGraph, scores: Mapping[str, Floats]
) -> dict[str, Contributions]:
    """One source for all: a posterior mean does not split into sums over links."""
    links = {"authority": graph.inlinks, "hub": graph.outlinks}
    zeros = np.zeros(len(graph))
    return {
        name: Contributions(
            links[name], zeros, other_sources={"all links and missing links": score}
        )
        for name, score in scores.items()
    }
