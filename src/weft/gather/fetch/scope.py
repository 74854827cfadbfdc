"""Where a crawl may go: hosts, domains, URL patterns, depth, and budgets."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from weft.core.errors import BadParameter
from weft.gather.fetch.traps import trap_reason
from weft.gather.url import canonicalize_url, domain_of_host, host

FETCHED_SCHEMES = ("http://", "https://")
# Files that are never pages: images, sound, film, fonts, programs, packages, styles and scripts.
NON_PAGE_ENDING = re.compile(
    r"\.(?:7z|avi|avif|bin|bmp|bz2|css|deb|dmg|docx?|eot|epub|exe|flac|gif|gz|ico|iso|jar|jpe?g|js"
    r"|m4[av]|mjs|mkv|mov|mp[34]|mpe?g|msi|odt|og[agv]|otf|pdf|png|pptx?|ps|rar|rpm|svg|tar|tgz"
    r"|tiff?|ttf|wav|web[mp]|wm[av]|woff2?|xlsx?|xz|zip|zst)(?:\?|$)",
    re.IGNORECASE,
)
FEED_ENDING = re.compile(r"\.xml\.gz(?:\?|$)", re.IGNORECASE)
DEPTH_LIMIT, OUT_OF_SCOPE, EXCLUDED = "depth limit", "out of scope", "excluded"


@dataclass(slots=True, eq=False)
class Scope:
    """Which URLs a crawl may enqueue, and how many of a kind it may fetch.

    `within` is nothing, `host` or `domain` (those of the seeds), or a URL
    pattern. A pattern is a host, which includes its subdomains, or a URL with
    `*` and `?`, whose scheme may be left out. `per_host`, `per_pattern` and
    `per_calendar` bound the pages fetched of a host, of a URL pattern such as
    `/page/N`, and of such a pattern that names dates.
    """

    within: str = ""
    exclude: tuple[str, ...] = ()
    max_depth: int = 100
    max_redirects: int = 10
    per_host: int = 100_000
    per_pattern: int = 20_000
    per_calendar: int = 500
    homes: set[str] = field(default_factory=set)
    _included: Callable[[str], object] | None = field(init=False, default=None)
    _excluded: Callable[[str], object] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.within not in ("", "host", "domain"):
            self._included = url_matcher([self.within])
        if self.exclude:
            self._excluded = url_matcher(self.exclude)

    @property
    def settings(self) -> dict[str, object]:
        """What decides whether a URL is refused, to compare with that of an earlier run."""
        names = ("within", "exclude", "max_depth", "max_redirects", "per_host")
        homes = sorted(self.homes) if self.within in ("host", "domain") else []
        return {**{name: getattr(self, name) for name in names}, "homes": homes}

    def add_home(self, url: str) -> None:
        """Include the host of a seed, and its domain if the scope is a domain."""
        self.homes.add(self._home(url))

    def refusal(self, url: str, depth: int, redirects: int = 0) -> str:
        """Why a URL is not enqueued; nothing if it is. Seeds, of depth 0, are within by themselves.

        Examples
        --------
        >>> scope = Scope(within="host")
        >>> scope.add_home("http://a.example/")
        >>> scope.refusal("http://a.example/x", 1), scope.refusal("http://b.example/", 1)
        ('', 'out of scope')
        """
        if depth > self.max_depth:
            return DEPTH_LIMIT
        if redirects > self.max_redirects:
            return "too many redirects"
        return self._place_refusal(url, is_seed=depth == 0) or trap_reason(url)

    def _place_refusal(self, url: str, *, is_seed: bool) -> str:
        if not url.startswith(FETCHED_SCHEMES):
            return "neither http nor https"
        if self.within and not is_seed and not self._is_included(url):
            return OUT_OF_SCOPE
        if self._excluded is not None and self._excluded(url):
            return EXCLUDED
        is_page = not NON_PAGE_ENDING.search(url) or FEED_ENDING.search(url)
        return "" if is_page else "not a page by its ending"

    def _is_included(self, url: str) -> bool:
        if self._included is not None:
            return bool(self._included(url))
        return self._home(url) in self.homes

    def _home(self, url: str) -> str:
        return domain_of_host(host(url)) if self.within == "domain" else host(url)


def url_matcher(patterns: Iterable[str]) -> Callable[[str], object]:
    """Match URLs by patterns: hosts with their subdomains, or URLs with `*` and `?`."""
    expressions = []
    for pattern in patterns:
        if not pattern.strip():
            raise BadParameter(
                "an empty pattern matches no URL", hint="give a host or a URL with *"
            )
        if re.search(r"[*?/]", pattern):
            expressions.append(rf"(?:https?://)?{_glob_expression(pattern)}\Z")
        else:
            if not canonicalize_url(f"http://{pattern.strip('.')}/"):
                raise BadParameter(
                    f"{pattern!r} is neither a host nor a URL pattern",
                    hint="give a host such as example.org, or a URL with *",
                )
            name = re.escape(pattern.lower().strip("."))
            expressions.append(rf"(?i:https?://(?:[^/?#]*\.)?{name}(?:[:/?#]|$))")
    return re.compile("|".join(expressions), re.DOTALL).match


def _glob_expression(pattern: str) -> str:
    """A pattern with `*` and `?` as a regular expression.

    What stands between two stars matches at its first place and never again, which finds
    every match and takes no longer for more stars.
    """
    first, *rest = (re.escape(part).replace(r"\?", ".") for part in re.split(r"\*+", pattern))
    if not rest:
        return first
    between = "".join(f"(?>.*?{part})" for part in rest[:-1])
    return f"{first}{between}.*{rest[-1]}"
