"""Handlers that read a crawl: its status, and a picture of its harvest rate."""

import os
from dataclasses import fields
from typing import Annotated, Literal

from pydantic import Field

from weft.core.errors import WeftError
from weft.crawl.crawl import Crawl
from weft.crawl.evaluation import harvest_curve
from weft.report.plots.crawls import draw_harvest, sample_places
from weft.report.plots.svg import Frame
from weft.server.downloads import Download
from weft.server.params import Params, PictureTitled, PictureWidth
from weft.server.schemas.crawl import (
    CrawlCounts,
    CrawlHost,
    CrawlPage,
    CrawlPlanSchema,
    CrawlRefusal,
    CrawlResponse,
    CrawlUrl,
    HarvestPoint,
)
from weft.server.session import Session
from weft.workspace.crawl import CrawlPlan
from weft.workspace.crawl_folder import HARVEST_WINDOW, CrawlFolder, CrawlStatus, log_steps


class CrawlParams(Params):
    """How much of a crawl to list."""

    top: Annotated[int, Field(ge=1, le=100, description="number of URLs, hosts and pages")] = 20


class CrawlPictureParams(Params):
    """A picture of the first pages of a crawl."""

    pages: Annotated[int, Field(ge=1, le=10**7, description="number of pages")]
    picture: Annotated[Literal["harvest"], Field(description="name of the picture")] = "harvest"
    width: PictureWidth = 640
    titled: PictureTitled = True


NO_COUNTS = CrawlCounts(waiting=0, in_flight=0, done=0, refused=0, hosts=0)


def get_crawl(session: Session, params: CrawlParams) -> CrawlResponse:
    """Where the crawl of the collection stands: pages, harvest rate, frontier, refusals."""
    files = CrawlFolder(session.workspace.folder)
    if not files.has_crawl:
        plan = CrawlPlan(contact=os.environ.get("WEFT_CONTACT", ""))
        return CrawlResponse(
            snapshot=session.snapshot_number,
            state="none",
            ended="",
            hint="",
            plan=_plan_schema(plan),
            pages=0,
            harvest_rate=0.0,
            last_harvest_rate=0.0,
            pages_last_minute=0,
            counts=NO_COUNTS,
            curve=[],
            best=[],
            hosts=[],
            refused=[],
            last_pages=[],
        )
    status = files.read_status(params.top)
    document = status.to_document(params.top)
    frontier = document["frontier"]
    return CrawlResponse(
        snapshot=session.snapshot_number,
        state=status.state,
        ended=status.outcome.ended,
        hint=status.outcome.hint,
        plan=_plan_schema(status.plan),
        pages=document["pages"],
        harvest_rate=document["harvest_rate"],
        last_harvest_rate=document["last_harvest_rate"],
        pages_last_minute=status.pages_last_minute,
        counts=CrawlCounts(**frontier["counts"]),
        curve=_harvest_points(status),
        best=[CrawlUrl(**url) for url in frontier["best"]],
        hosts=[CrawlHost(**host) for host in frontier["hosts"]],
        refused=[CrawlRefusal(reason=r, urls=n) for r, n in frontier["refused"].items()],
        last_pages=[
            CrawlPage(**page, in_collection=session.collection.page_number(page["url"]) >= 0)
            for page in reversed(document["last_pages"])
        ],
    )


def _plan_schema(plan: CrawlPlan) -> CrawlPlanSchema:
    """The plan without folders and addresses, which only the command line names."""
    words = {item.name: getattr(plan, item.name) for item in fields(plan)}
    words |= {"topic": plan.source.topic, "examples": list(plan.source.examples)}
    known = {name: words[name] for name in CrawlPlanSchema.model_fields}
    return CrawlPlanSchema(**known)


def _harvest_points(status: CrawlStatus) -> list[HarvestPoint]:
    relevance = status.crawl.relevance
    all_pages, last = harvest_curve(relevance), harvest_curve(relevance, HARVEST_WINDOW)
    return [
        HarvestPoint(
            pages=k + 1, harvest_rate=float(all_pages[k]), last_harvest_rate=float(last[k])
        )
        for k in sample_places(len(relevance)).tolist()
    ]


def get_harvest_svg(session: Session, params: CrawlPictureParams) -> Download:
    """The harvest rate of the first pages of the crawl as SVG."""
    files = CrawlFolder(session.workspace.folder)
    plan, log = files.read_plan(), files.read_log()
    if not len(log):
        raise WeftError("no page was fetched yet", hint="try again in a moment")
    steps = log_steps(log.slice(0, params.pages))
    crawl = Crawl(plan.method, plan.source.topic, steps, failures={}, waiting=0)
    path = session.temp_path("svg")
    path.write_text(str(draw_harvest(crawl, Frame(params.width, params.titled))), "utf-8")
    return Download(path, "harvest.svg")
