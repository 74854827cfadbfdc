"""Fetch pages from the live web: politely, safely, and so that a crawl can be resumed.

A crawl joins four things: the `Frontier` (which URLs wait, on disk), its `Scope` (where the crawl
may go), a `WarcWriter` (what was fetched) and a function that scores links:

    with (
        Frontier(folder / "frontier.sqlite", Scope(within="domain")) as frontier,
        WarcWriter(folder / "archive", resume_at=frontier.archived) as archive,
    ):
        frontier.add_seeds(["https://example.com/"])
        summary = crawl(
            frontier, archive, visit, settings=FetchSettings(contact="me@example.com"), listen=show
        )

`visit(FetchedPage) -> Iterable[ScoredUrl]` is called for each page, in the order in which pages
arrive, and returns the URLs to enqueue, in canonical form, with their scores. A URL keeps its
highest score, unless `visit` calls `frontier.replace_scores` or `rescore`; `revisit` enqueues pages
again. The engine applies scope, traps and limits, and sends `PageFetched`, `UrlRefused`,
`FetchFailed` and `Progress` to `listen`. A `CrawlControl` pauses and stops a crawl from another
thread. A crawl that ended in any way, also by kill -9, continues when it is called again with the
same files.

`downloader`, and with it `engine`, and `robots` need the extra `crawl`: Scrapy, aiohttp, Protego.
"""
