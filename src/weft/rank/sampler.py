"""Draw scores of hubs and authorities from what the links say about them."""

from dataclasses import dataclass, replace

import numpy as np

from weft.core.arrays import Flags, Floats
from weft.core.progress import track
from weft.engine import Trace

WORK = 1 << 15
FEW, MANY = 4, 64
WARM = 200
AIM = 0.44
ALIKE = 1.05


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Scores of hubs and authorities, and what makes hubs link; chains, if several, come first."""

    hub: Floats
    authority: Floats
    tendency: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """How links come about; `links` has a row per hub and a column per authority.

    The log odds of a link are the product of both scores and the tendency of
    the hub; without a spread of tendencies they are the log of the product.
    Scores are exponential with mean one, tendencies normal.
    """

    links: Floats
    mean: float = 0.0
    spread: float = 0.0

    def log_odds(self, state: State) -> Floats:
        """The log odds of every link."""
        hub, authority = state.hub[..., :, None], state.authority[..., None, :]
        if self.spread:
            return hub * authority + state.tendency[..., :, None]
        return np.log(hub) + np.log(authority)

    def chances(self, state: State) -> Floats:
        """How unlikely it is that a link is missing, as minus the log, for every pair."""
        odds = self.log_odds(state)
        small = np.abs(odds)
        np.negative(small, out=small)
        np.exp(small, out=small)
        small += 1
        np.log(small, out=small)
        np.maximum(odds, 0, out=odds)
        odds += small
        return odds

    def pull(self, name: str, state: State) -> Floats:
        """How much the links gain for each unit that a score, or its log, is larger."""
        if self.spread and name == "authority":
            return state.hub @ self.links
        if self.spread and name == "hub":
            return state.authority @ self.links.T
        degrees: Floats = self.links.sum(axis=0 if name == "authority" else 1)
        return degrees

    def log_tendency(self, tendency: Floats) -> Floats:
        """How unlikely a tendency is, as minus the log of its density."""
        if not self.spread:
            return np.zeros_like(tendency)
        return np.square((tendency - self.mean) / self.spread) / 2


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The averages of a sample with their standard errors, and how the sampling went."""

    mean: State
    error: State
    trace: Trace

    def pooled(self, out: Floats, into: Floats) -> "Draws":
        """The same with pages of equal degree taken together, where they must have equal scores."""

        def pool(state: State) -> State:
            hub, authority = _averages(state.hub, out), _averages(state.authority, into)
            return replace(state, hub=hub, authority=authority)

        return Draws(pool(self.mean), pool(self.error), self.trace)


def sample(model: Model, samples: int, seed: int, label: str) -> Draws:
    """Average many draws by Metropolis, from several chains at once.

    Given the hubs, the authorities do not depend on each other, so that all
    are moved at once, each by its own chance; then all hubs, all tendencies,
    and both sides together by a factor that leaves every link as it is. The
    steps are fitted while the chains warm up and kept from then on. The
    sample has settled when chains agree about as well as with themselves.
    """
    random = np.random.default_rng(seed)
    hubs, authorities = model.links.shape
    chains = int(np.clip(WORK // (hubs * authorities), FEW, MANY))
    rounds = -(-samples // chains)
    warm = max(WARM, rounds // 4)
    walk = Walk.start(model, chains, random)
    total = np.zeros((chains, 2 * hubs + authorities))
    squares = np.zeros_like(total)
    for at in track(range(warm + rounds), label, warm + rounds):
        walk.sweep()
        if at < warm:
            walk.fit(at)
            continue
        here = walk.here()
        total += here
        squares += np.square(here)
    means = total / rounds
    spread = means.std(axis=0, ddof=1)
    within = (squares / rounds - np.square(means)).mean(axis=0)
    apart = np.sqrt(1 + np.square(spread) / np.where(within > 0, within, 1)).max()
    error = spread / np.sqrt(chains)
    trace = Trace(
        warm + rounds,
        float(error.max()),
        converged=bool(apart < ALIKE),
        stopped="settled" if apart < ALIKE else "limit",
        error=float(error[: hubs + authorities].max()),
    )
    cuts = [hubs, hubs + authorities]
    return Draws(State(*np.split(means.mean(axis=0), cuts)), State(*np.split(error, cuts)), trace)


@dataclass(slots=True, eq=False)
class Walk:
    """Where all chains stand, how far they try to go, and how often they went."""

    model: Model
    random: np.random.Generator
    state: State
    chances: Floats
    steps: dict[str, Floats]
    taken: dict[str, Floats]

    @classmethod
    def start(cls, model: Model, chains: int, random: np.random.Generator) -> "Walk":
        """Chains that set out far from each other."""
        hubs, authorities = model.links.shape
        normal = random.standard_normal
        state = State(
            np.exp(0.5 * normal((chains, hubs))),
            np.exp(0.5 * normal((chains, authorities))),
            model.mean + model.spread * normal((chains, hubs)),
        )
        steps = {
            "authority": np.ones(authorities),
            "hub": np.ones(hubs),
            "tendency": np.full(hubs, 2 * model.spread),
            "both": np.full(1, 2 / np.sqrt(hubs + authorities)),
        }
        return cls(model, random, state, model.chances(state), steps, {})

    def sweep(self) -> None:
        """Move everything once."""
        self._stretch("authority", axis=1)
        self._stretch("hub", axis=2)
        if self.model.spread:
            self._shift()
        self._exchange()

    def fit(self, at: int) -> None:
        """Lengthen steps that are taken too often, shorten those taken too seldom."""
        for name, taken in self.taken.items():
            pull = np.exp((taken - AIM) / np.sqrt(at + 1))
            self.steps[name] = np.clip(self.steps[name] * pull, 1e-9, 5)

    def here(self) -> Floats:
        """All coordinates in a row per chain."""
        return np.hstack([self.state.hub, self.state.authority, self.state.tendency])

    def _stretch(self, name: str, axis: int) -> None:
        old: Floats = getattr(self.state, name)
        log = self.steps[name] * self.random.standard_normal(old.shape)
        new = old * np.exp(log)
        more = self.model.pull(name, self.state) * (new - old if self.model.spread else log)
        self._choose(name, new, old - new + log + more, axis)

    def _shift(self) -> None:
        old = self.state.tendency
        new = old + self.steps["tendency"] * self.random.standard_normal(old.shape)
        gain = self.model.log_tendency(old) - self.model.log_tendency(new)
        more = self.model.pull("tendency", self.state) * (new - old)
        self._choose("tendency", new, gain + more, 2)

    def _choose(self, name: str, new: Floats, gain: Floats, axis: int) -> None:
        chances = self.model.chances(replace(self.state, **{name: new}))
        yes = self._accept(name, gain + self.chances.sum(axis=axis) - chances.sum(axis=axis))
        kept = np.where(yes, new, getattr(self.state, name))
        self.state = replace(self.state, **{name: kept})
        np.copyto(self.chances, chances, where=np.expand_dims(yes, axis))

    def _exchange(self) -> None:
        """Multiply authorities and divide hubs by the same: no link gets more or less likely."""
        hub, authority = self.state.hub, self.state.authority
        log = self.steps["both"] * self.random.standard_normal((len(hub), 1))
        larger, smaller = authority * np.exp(log), hub * np.exp(-log)
        gain = (authority - larger).sum(axis=1) + (hub - smaller).sum(axis=1)
        balance = authority.shape[1] - hub.shape[1]
        yes = self._accept("both", gain[:, None] + balance * log)
        authority, hub = np.where(yes, larger, authority), np.where(yes, smaller, hub)
        self.state = replace(self.state, authority=authority, hub=hub)

    def _accept(self, name: str, gain: Floats) -> Flags:
        yes: Flags = -self.random.standard_exponential(gain.shape) < gain
        self.taken[name] = yes.mean(axis=0)
        return yes


def _averages(values: Floats, degrees: Floats) -> Floats:
    _, kind, size = np.unique(degrees, return_inverse=True, return_counts=True)
    averages: Floats = (np.bincount(kind, values) / size)[kind]
    return averages
