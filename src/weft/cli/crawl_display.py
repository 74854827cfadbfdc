"""What a live crawl shows on standard error while it runs."""

import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from weft.cli.output import escape_for_terminal, print_note, settings, styles_enabled
from weft.core.text import pluralise

if TYPE_CHECKING:
    from weft.gather.fetch.engine import CrawlEvent, Progress

LINE_SECONDS = 10.0
MAX_REASONS = 4


class CrawlDisplay:
    """Two lines that are drawn anew every second on a terminal, else a line every ten seconds."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.reasons: Counter[str] = Counter()
        self.last_url = ""
        self._printed = time.monotonic()
        self._live: Any = None

    def __enter__(self) -> "CrawlDisplay":
        if sys.stderr.isatty() and styles_enabled() and not settings.quiet:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), transient=True, refresh_per_second=4)
            self._live.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._live is not None:
            self._live.__exit__(*exc)

    def show(self, event: "CrawlEvent") -> None:
        """Take in an event of the crawl."""
        from weft.gather.fetch.engine import FetchFailed, PageFetched, Progress, UrlRefused

        if isinstance(event, PageFetched):
            self.last_url = event.url
            if event.status >= 400:
                self.reasons[f"HTTP {event.status}"] += 1
        elif isinstance(event, UrlRefused | FetchFailed):
            self.reasons[event.reason] += 1
        elif isinstance(event, Progress):
            self._show_progress(event)

    def _show_progress(self, progress: "Progress") -> None:
        rate = progress.pages / progress.seconds if progress.seconds else 0.0
        harvest = progress.harvest_rate
        text = (
            f"{progress.earlier_pages + progress.pages:,} of {self.pages:,} pages · {rate:.1f}/s"
            f" · {progress.size / 1e6:.1f} MB"
            f"{'' if harvest is None else f' · harvest rate {harvest:.2f}'}"
            f" · {progress.waiting:,} URLs waiting on {pluralise(progress.hosts, 'host')}"
            f" · {progress.in_flight} in flight"
        )
        errors = ", ".join(f"{n:,} {reason}" for reason, n in self.reasons.most_common(MAX_REASONS))
        if self._live is not None:
            from rich.text import Text

            lines = [text, f"last: {escape_for_terminal(self.last_url)}", errors]
            self._live.update(Text("\n".join(line for line in lines if line), no_wrap=True))
        elif time.monotonic() - self._printed >= LINE_SECONDS:
            self._printed = time.monotonic()
            print_note(f"{text}{' · ' if errors else ''}{errors}")
