"""Which pages the documentation has, by folder and group: for its lists and for the site.

A page that is in no group stands under "More" of its folder, so that a new page
appears by itself. `<!-- pages of how-to -->` … `<!-- end -->` in a page is where
`docs/generate.py` writes the list of a folder.
"""

import re
from itertools import chain
from os.path import relpath
from pathlib import Path

DOCS = Path(__file__).parent
MORE = "More"
GROUPS = {
    "for": {
        "By what you do": "archivist researcher site-owner search-engineer teacher",
    },
    "how-to": {
        "Install": "install",
        "Collect": "add-inputs folders edge-lists common-crawl crawl logs url-rules",
        "Find and understand": "search topics rank why communities structure similar-and-suggest "
        "classify usage",
        "Choose and compare": "choose-a-method compare-methods compare-sites",
        "Decide": "curate",
        "Show and share": "serve workbench report export library notebooks mcp",
        "Keep": "maintain resume",
        "Scale up": "gpu spark",
    },
    "explanation": {
        "Weft and other tools": "other-tools workbench-before",
        "Pages and collections": "what-is-a-page folding main-content numbering idempotent-adds "
        "fetching demo-web",
        "How results come about": "search-order link-weights topics-auto topics-leiden-votes "
        "engine",
        "Measured quality": "topics-senses topics-quality communities-quality classify-quality "
        "link-prediction crawl-strategies next scent methods-side-by-side",
        "Measured webs and speed": "structure-of-webs distances speed how-large",
    },
    "reference": {
        "Interfaces": "cli library api",
        "Files and rules": "collection-format promises versions",
    },
}
PAGE_LIST = re.compile(
    r"^(<!-- pages of ([\w-]+) -->\n).*?(?=^<!-- end -->$)", re.MULTILINE | re.DOTALL
)


def groups_of(folder: str, docs: Path = DOCS) -> dict[str, list[Path]]:
    """The pages of a folder by group, without its index."""
    groups = {
        title: [docs / folder / f"{stem}.md" for stem in stems.split()]
        for title, stems in GROUPS[folder].items()
    }
    listed = set(chain.from_iterable(groups.values()))
    found = {path for path in (docs / folder).glob("*.md") if path.stem != "index"}
    if gone := sorted(path.stem for path in listed - found):
        raise SystemExit(f"docs/contents.py lists pages that {folder} lacks: {', '.join(gone)}")
    others = sorted(found - listed)
    return groups | ({MORE: others} if others else {})


def title_of(page: Path) -> str:
    """The heading of a page; of "How to do it" only "Do it"."""
    heading = page.read_text("utf-8").partition("\n")[0].removeprefix("# ")
    short = heading.removeprefix("How to ") if page.parent.name == "how-to" else heading
    return short[0].upper() + short[1:]


def with_page_lists(text: str, page: Path) -> str:
    """A page with current lists of the pages of folders."""

    def current(found: re.Match[str]) -> str:
        parts = []
        for title, pages in groups_of(found[2]).items():
            links = (f"- [{title_of(p)}]({relpath(p, page.parent)})\n" for p in pages)
            parts.append(f"**{title}**\n\n{''.join(links)}")
        return found[1] + "\n" + "\n".join(parts) + "\n"

    return PAGE_LIST.sub(current, text)
