"""What the shell completes beyond commands and options: methods and the pages of a collection.

Nothing here prints or raises: where there is nothing to offer, the shell goes on as it likes.
"""

from pathlib import Path

import typer

from weft.core.errors import WeftError
from weft.core.text import strip_scheme

MAX_OFFERED = 60
KINDS = (
    *("classify", "communities", "crawl", "rank", "similar", "structure", "suggest", "topics"),
    "usage",
)


def complete_page(context: typer.Context, incomplete: str) -> list[str]:
    """The pages of the collection on the line whose URL begins like this.

    They are offered without scheme and `www.`, as every command accepts them: a shell takes
    `http` and what follows the colon for two words. Where there are too many, hosts and
    folders are offered, as a shell does with files.
    """
    import pyarrow.compute as pc

    from weft.workspace.workspace import Workspace

    folder = context.params.get("folder")
    if folder is None or not Path(folder).is_dir():
        return []
    try:
        urls = Workspace(Path(folder)).collection.pages["url"]
    except WeftError:
        return []
    start = strip_scheme(incomplete).removeprefix("www.")
    pattern = f"^[a-z]+://(?:www\\.)?{_escaped(start)}"
    found = urls.filter(pc.match_substring_regex(urls, pattern)).to_pylist()
    plain = sorted({strip_scheme(url).removeprefix("www.") for url in found})
    return plain if len(plain) <= MAX_OFFERED else _next_parts(plain, len(start))


def _escaped(text: str) -> str:
    """A text as a regular expression of RE2 that matches it alone."""
    return "".join(char if char.isalnum() or not char.isascii() else f"\\{char}" for char in text)


def _next_parts(urls: list[str], start: int) -> list[str]:
    """URLs up to the next slash, each once."""
    ends = ((url, url.find("/", start) + 1 or len(url)) for url in urls)
    return sorted({url[:end] for url, end in ends})[:MAX_OFFERED]


def complete_method(context: typer.Context, incomplete: str) -> list[str]:
    """The methods that the command takes, after the last comma of a list."""
    from weft.core.register import import_methods, methods_of

    kinds = {"report": ("topics",), "methods": KINDS}.get(context.info_name or "", ("rank",))
    for kind in kinds:
        import_methods(kind)
    before, comma, start = incomplete.rpartition(",")
    names = {name for kind in kinds for name in methods_of(kind)}
    return [before + comma + name for name in sorted(names) if name.startswith(start)]
