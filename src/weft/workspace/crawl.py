"""Crawl a simulated web: join a strategy, a topic and a collection, and keep what is fetched."""

import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from pydantic import Field, TypeAdapter, ValidationError

from weft import __version__
from weft.core.errors import BadParameter, DamagedFile, WeftError
from weft.core.json import JsonObject
from weft.crawl.crawl import Crawl, CrawlStep, CrawlTask
from weft.crawl.topic import CrawlTopic
from weft.crawl.web import SimulatedWeb
from weft.gather.fetch.scope import url_matcher
from weft.gather.html import ParseOptions
from weft.gather.page import Page
from weft.gather.url import canonicalize_url, domain, host
from weft.store.collection import Collection
from weft.store.numbering import PAGE_KINDS
from weft.workspace.analyse import find_registered
from weft.workspace.ingest import add_pages

MAX_EXAMPLES, OTHER_PAGES = 50, 200
LIVE = {"live": True}
WITHIN = {"host": host, "domain": domain}


@dataclass(frozen=True, slots=True)
class TopicSource:
    """Where the topic of a crawl comes from.

    `topic` is a query or name, `examples` are URLs of pages on the topic, `like` a
    collection, a query in it and the place of one of its topics, `train` classes of
    URLs, of which `class_` is wanted. Without any, the seeds are the examples.
    """

    topic: str = ""
    examples: tuple[str, ...] = ()
    like: tuple[str, str, int] | None = None
    train: Mapping[str, str] = field(default_factory=dict)
    class_: str = ""


@dataclass(frozen=True, slots=True)
class CrawlPlan:
    """What to crawl: seeds, strategy and topic, limits and scope.

    `within` is host, domain or a pattern of URLs, `exclude` are patterns. The rest is for
    live crawls: `delay` between requests in seconds, limits in minutes, bytes (`size`),
    links from a seed (`depth`) and pages of a host, addresses that may be private, and
    a `contact` that servers are told. `wacz` packs the archive at the end; `render` lets
    a browser run the scripts of pages that are empty without them.
    """

    seeds: tuple[str, ...] = ()
    method: str = "auto"
    options: Mapping[str, Any] = field(default_factory=dict)
    source: TopicSource = TopicSource()
    pages: Annotated[int, Field(ge=1)] = 1000
    within: str = ""
    exclude: tuple[str, ...] = ()
    delay: Annotated[float, Field(ge=0)] = field(default=1.0, metadata=LIVE)
    minutes: Annotated[float, Field(ge=0)] = field(default=0.0, metadata=LIVE)
    size: Annotated[int, Field(ge=0)] = field(default=0, metadata=LIVE)
    depth: Annotated[int, Field(ge=0)] = field(default=100, metadata=LIVE)
    per_host: Annotated[int, Field(ge=1)] = field(default=100_000, metadata=LIVE)
    allow_private: tuple[str, ...] = field(default=(), metadata=LIVE)
    contact: str = field(default="", metadata=LIVE)
    wacz: bool = field(default=False, metadata=LIVE)
    render: bool = field(default=False, metadata=LIVE)

    def continued_by(self, other: "CrawlPlan", given: Iterable[str] = ()) -> "CrawlPlan":
        """The plan with more seeds, and with what another sets to something but its default.

        Settings that are `given` by name count also where they are the default.
        Options belong to a strategy: another strategy begins without those of the first.
        """
        default = CrawlPlan()
        changes = {
            item.name: getattr(other, item.name)
            for item in fields(other)
            if item.name in given or getattr(other, item.name) != getattr(default, item.name)
        }
        seeds = dict.fromkeys((*self.seeds, *other.seeds))
        is_same = other.method in (self.method, default.method)
        options = {**(self.options if is_same else {}), **other.options}
        return replace(self, **{**changes, "seeds": tuple(seeds), "options": options})

    def to_json(self) -> JsonObject:
        """The plan as it is saved with a crawl."""
        return asdict(self)

    @classmethod
    def live_settings(cls) -> set[str]:
        """The names of the settings that only live crawls have."""
        return {item.name for item in fields(cls) if item.metadata == LIVE}

    @classmethod
    def read(cls, path: Path) -> "CrawlPlan":
        """A saved plan; one that is damaged or that Weft never writes is refused."""
        try:
            plan: CrawlPlan = TypeAdapter(cls).validate_json(path.read_bytes())
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            place = ".".join(map(str, detail["loc"]))
            raise DamagedFile(
                f"{path} is damaged: {place}{': ' if place else ''}{detail['msg']}",
                hint="the pages are intact; delete the file, and give the seeds anew",
            ) from None
        return plan

    def write(self, path: Path) -> None:
        """Save the plan; a process that is killed leaves the old one or the new one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}")
        temporary.write_text(json.dumps(self.to_json(), indent=1), "utf-8")
        temporary.replace(path)


def crawl_simulated(folder: Path, plan: CrawlPlan, web: Collection) -> Crawl:
    """Crawl a collection as if it were the web, and add the fetched pages to a folder."""
    if folder.resolve() == web.folder.resolve():
        raise BadParameter(
            "a collection cannot be crawled into itself", hint="name another collection first"
        )
    if not plan.seeds:
        raise BadParameter("a crawl needs at least one seed", hint="give the URL of a page")
    method = find_registered("crawl", plan.method)
    simulated = SimulatedWeb(web)
    seeds = tuple(_seed_url(web, seed) for seed in plan.seeds)
    topic = find_topic(plan.source, simulated)
    if not topic.is_given:
        for page in (simulated.fetch(seed).page for seed in seeds):
            if page is not None:
                topic.add_example(page)
        if not topic.is_given:
            raise BadParameter(
                f"{seeds[0]} was not captured in {web.folder}",
                hint="check the seeds, or describe the topic (--topic)",
            )
    fetched: list[Page] = []

    def keep(page: Page, _step: CrawlStep) -> None:
        fetched.append(page)

    follow = url_filter(seeds, plan.within, plan.exclude)
    task = CrawlTask(simulated, seeds, topic, plan.pages, follow, keep)
    crawl: Any = method(task, **plan.options)
    source = f"crawl of {web.folder.name} by {method.name}"
    add_pages(folder, fetched, source, ParseOptions(url_policy=web.url_policy))
    provenance = {
        "collection": str(folder),
        "simulated_web": str(web.folder),
        "digest": web.digest,
        "plan": plan.to_json(),
        "weft": __version__,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    result: Crawl = replace(crawl, provenance=provenance)
    return result


def _seed_url(web: Collection, seed: str) -> str:
    """The URL of a seed as the simulated web has it; unknown ones stay, and answer 404."""
    number = web.page_number(seed)
    if number >= 0:
        return str(web.pages["url"][number].as_py())
    return canonicalize_url(seed, web.url_policy) or seed


def open_if_exists(folder: Path) -> Collection | None:
    """The collection in a folder, if there is one."""
    return Collection.open(folder) if (folder / "collection.json").exists() else None


def url_filter(seeds: Iterable[str], within: str, exclude: Iterable[str]) -> Callable[[str], bool]:
    """Which URLs a crawl may fetch: on the hosts or domains of the seeds, or by a pattern."""
    site_of, patterns = WITHIN.get(within), tuple(exclude)
    sites = {site_of(seed) for seed in seeds} if site_of else set()
    is_included = url_matcher([within]) if within and not site_of else None
    is_excluded = url_matcher(patterns) if patterns else None

    def follow(url: str) -> bool:
        inside = site_of(url) in sites if site_of else is_included is None or is_included(url)
        return bool(inside) and not (is_excluded and is_excluded(url))

    return follow


def split_training(
    source: TopicSource, collection: Collection | None
) -> tuple[TopicSource, dict[str, bool]]:
    """The source with the training pages that a collection has, and the others, to be fetched.

    Those come with whether they are of the class that is wanted.
    """
    _check_class(source)
    to_fetch = {
        url: name == source.class_
        for url, name in source.train.items()
        if collection is None or not _is_captured(collection, url)
    }
    kept = {url: name for url, name in source.train.items() if url not in to_fetch}
    return replace(source, train=kept), to_fetch


def _is_captured(collection: Collection, url: str) -> bool:
    number = collection.page_number(url)
    return number >= 0 and collection.pages["kind"][number].as_py() == PAGE_KINDS["captured"]


def find_topic(source: TopicSource, web: SimulatedWeb | None) -> CrawlTopic:
    """Build the topic: name, examples, and pages of other topics to tell it from.

    Other pages are those of other classes, or a sample of the collection that the topic is
    from. Without such pages, relevance is the cosine with the topic.
    """
    if source.like is not None:
        return _topic_like(source)
    if source.train or source.class_:
        return _topic_of_class(source, web)
    return CrawlTopic(source.topic, [_captured_page(web, url) for url in source.examples])


def _captured_page(web: SimulatedWeb | None, url: str) -> Page:
    if web is None:
        raise WeftError(f"{url} is in no collection", hint="give examples that were captured")
    stored = web.collection.stored_url(url)
    page = web.fetch(stored).page
    if page is None:
        raise WeftError(f"{stored} was not captured", hint="give a captured page as an example")
    return page


def _topic_of_class(source: TopicSource, web: SimulatedWeb | None) -> CrawlTopic:
    """The pages of a class are examples, those of the other classes are others."""
    _check_class(source)
    wanted = {url: _captured_page(web, url) for url in source.train}
    examples = [wanted[url] for url, name in source.train.items() if name == source.class_]
    others = [wanted[url] for url, name in source.train.items() if name != source.class_]
    return CrawlTopic(source.topic or source.class_, examples, others)


def _check_class(source: TopicSource) -> None:
    classes = sorted(set(source.train.values()))
    if (source.train or source.class_) and source.class_ not in classes:
        raise BadParameter(
            f"there is no class {source.class_!r} in the training data",
            hint=f"choose one of: {', '.join(classes[:20]) or 'none, it is empty'}",
        )


def _topic_like(source: TopicSource) -> CrawlTopic:
    """The topic that `weft topics` finds at a place; its leading pages are the examples."""
    from weft.workspace.workspace import Workspace  # noqa: PLC0415  Workspace.crawl calls this

    folder, query, place = source.like or ("", "", 1)
    workspace = Workspace(Path(folder))
    topics = workspace.topics(query)
    if not 1 <= place <= len(topics):
        raise BadParameter(
            f"{query!r} has {len(topics):,} topics in {folder}, so there is no topic {place}",
            hint=f"see `weft topics {folder} {query!r}`",
        )
    group = topics[place - 1]
    members = [topics.base.pages[k] for k in group.members_by_score().tolist()]
    web = SimulatedWeb(workspace.collection)
    fetched = (web.fetch(url).page for url in members[:MAX_EXAMPLES])
    examples = [page for page in fetched if page is not None]
    others = sample_pages(workspace.collection, exclude=set(members))
    return CrawlTopic(source.topic or group.name, examples, others)


def sample_pages(collection: Collection, *, exclude: set[str]) -> list[Page]:
    """A random sample of captured pages."""
    captured = np.flatnonzero(collection.pages["kind"].to_numpy() == PAGE_KINDS["captured"])
    count = min(len(captured), OTHER_PAGES + len(exclude))
    picked = random.Random(0).sample(captured.tolist(), count)
    urls = collection.pages["url"].take(pa.array(sorted(picked), pa.int64())).to_pylist()
    web = SimulatedWeb(collection)
    found: Iterable[Page | None] = (web.fetch(url).page for url in urls if url not in exclude)
    return [page for page in found if page is not None][:OTHER_PAGES]
