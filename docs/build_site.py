"""Build the documentation as a site: `make docs-site`, then open build/site/index.html.

The Markdown of `docs` is what people read in the repository. Here it is copied,
its formulas are typeset, and what a site has besides is added: the navigation, a
reference of the library from its docstrings, and the pages of the root folder.
Sphinx makes the site, with warnings as errors. It works without a network, also
from a disk: `problems` names anything that would be loaded from elsewhere.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from os.path import relpath
from pathlib import Path
from urllib.parse import unquote, urlsplit

from contents import DOCS, GROUPS, groups_of
from formulas import inline, is_formula, mathml
from generate import card_name

from weft.core.register import METHODS, Method

ROOT = DOCS.parent
PROJECT = {
    "CHANGELOG.md": "Changes",
    "ARCHITECTURE.md": "Architecture",
    "CONTRIBUTING.md": "Contributing",
}
KINDS = sorted({method.kind for method in METHODS.values()})
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")
FORMULA = re.compile(r"(?<=^## Formula\n\n).*?(?=^## )", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?:^(?: {4}.*| *)\n)*^ {4}.*\n", re.MULTILINE)
TITLE_OF_CARD = re.compile(r"\A# (\S+)\n\nKind: (?!rank)(\w+)\.\n")
CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
OUTSIDE = re.compile(r"(?:https?:)?//")
LOADED_FROM_ELSEWHERE = re.compile(r"(?:url\(|@import )[\"']?(?:https?:)?//")


def main() -> int:
    """Build the site; the number of problems."""
    source, site = ROOT / "build" / "site-source", ROOT / "build" / "site"
    shutil.rmtree(site, ignore_errors=True)
    write_source(source)
    done = build(source, site)
    found = [] if done else list(problems(site))
    sys.stdout.writelines(f"{line}\n" for line in [*found, f"{site.relative_to(ROOT)}/index.html"])
    return done or len(found)


def build(source: Path, site: Path) -> int:
    """Run Sphinx; its exit code. A warning fails the build."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "auto"]
    folders = map(str, ("-c", DOCS / "sphinx", "-d", source.parent / "doctrees", source, site))
    return subprocess.run([*command, *folders], check=False).returncode


def write_source(folder: Path) -> None:
    """Write what the site is built from; files that stay the same keep their time."""
    wanted = {place: text.encode() for place, text in _pages()}
    wanted |= {path.relative_to(DOCS): path.read_bytes() for path in _other_files()}
    for path in folder.rglob("*") if folder.exists() else ():
        if path.is_file() and path.relative_to(folder) not in wanted:
            path.unlink()
    for place, data in wanted.items():
        path = folder / place
        if not path.exists() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


def _other_files() -> Iterator[Path]:
    """Pictures, and the notebooks that pages link to."""
    found = [*(DOCS / "images").rglob("*"), *DOCS.rglob("*.ipynb")]
    return (path for path in found if path.is_file())


def _pages() -> Iterator[tuple[Path, str]]:
    for path in sorted(DOCS.rglob("*.md")):
        place = path.relative_to(DOCS)
        text = _relinked(path.read_text("utf-8"), path, place)
        if place.parent == Path("methods"):
            text = TITLE_OF_CARD.sub(r"# \2 \1\n", with_typeset_formulas(text))
        yield place, text + navigation(place)
    for name in PROJECT:
        place = Path("project") / name
        yield place, _relinked((ROOT / name).read_text("utf-8"), ROOT / name, place)
    for module in ("weft", *(f"weft.{kind}" for kind in _packages())):
        yield Path("reference/python") / f"{module}.md", module_page(module)


def _relinked(text: str, path: Path, place: Path) -> str:
    """A page whose links lead to where the linked files are in the source of the site."""

    def relink(found: re.Match[str]) -> str:
        target = (path.parent / found[2]).resolve()
        if OUTSIDE.match(found[2]) or not target.exists():
            return found[0]
        return found[1] + relpath(_place_of(target), place.parent) + found[3]

    return LINK.sub(relink, text)


def _place_of(target: Path) -> Path:
    if target.name in PROJECT:
        return Path("project") / target.name
    is_there = target.is_file() and target.is_relative_to(DOCS)
    return target.relative_to(DOCS) if is_there else Path("index.md")


def with_typeset_formulas(text: str) -> str:
    """The card of a method with MathML in its section Formula."""

    def typeset(block: re.Match[str]) -> str:
        lines = block[0].strip("\n").splitlines()
        if not is_formula(lines):
            return block[0]
        return f'\n<div class="formula">{mathml(lines)}</div>\n\n'

    def section(found: re.Match[str]) -> str:
        blocks = INDENTED.sub(typeset, found[0])
        return CODE.sub(lambda code: inline(code[1]) or code[0], blocks)

    return FORMULA.sub(section, text)


def navigation(place: Path) -> str:
    """The tables of contents that a page has on the site."""
    match str(place):
        case "index.md":
            guides = ["how-to/index", "methods", "explanation/index", "reference/index"]
            return "".join(
                [
                    _toctree(["tutorial", "gallery"]),
                    _toctree(
                        [f"for/{stem}" for stem in " ".join(GROUPS["for"].values()).split()],
                        "Who you are",
                    ),
                    _toctree(guides, "Guides"),
                    _toctree([f"project/{name[:-3]}" for name in PROJECT], "Project"),
                ]
            )
        case "methods.md":
            return "".join(_toctree(list(map(_entry, _methods(kind))), kind) for kind in KINDS)
        case "reference/index.md":
            modules = ["python/weft", *(f"python/weft.{kind}" for kind in _packages())]
            links = "".join(f"- [`{name[7:]}`]({name}.md)\n" for name in modules)
            return (
                f"\n**From the docstrings**\n\n{links}" + _folder(place.parent) + _toctree(modules)
            )
    return _folder(place.parent) if place.name == "index.md" else ""


def _folder(folder: Path) -> str:
    groups = groups_of(str(folder))
    return "".join(
        _toctree([page.stem for page in pages], title) for title, pages in groups.items()
    )


def _toctree(entries: list[str], caption: str = "") -> str:
    lines = [":hidden:", *([f":caption: {caption}"] if caption else []), "", *entries]
    return "\n```{toctree}\n" + "\n".join(lines) + "\n```\n"


def _entry(method: Method) -> str:
    return f"{method.kind} {method.name} <methods/{card_name(method)}>"


def _methods(kind: str) -> list[Method]:
    return [method for _, method in sorted(METHODS.items()) if method.kind == kind]


def _packages() -> list[str]:
    """The packages that register methods; `suggest` lives in `weft.similar`."""
    modules = {method.run.__module__.split(".")[1] for method in METHODS.values()}
    return sorted(modules)


def module_page(name: str) -> str:
    """The public names of a module, from their docstrings."""
    module = import_module(name)
    cards = {method.run.__name__: method for method in METHODS.values()}
    parts = [f"# {name}", _directive("automodule", name)]
    for public in module.__all__:
        found = getattr(module, public)
        if public.startswith("_") or not callable(found):
            continue
        parts.append(f"## {public}")
        if isinstance(found, type):
            parts.append(_directive("autoclass", f"{name}.{public}", ":members:"))
            continue
        parts.append(_directive("autofunction", f"{name}.{public}"))
        if public in cards and name != "weft":
            parts.append(f"[The card of the method](../../methods/{card_name(cards[public])}.md)")
    return "\n\n".join(parts) + "\n"


def _directive(kind: str, name: str, *options: str) -> str:
    lines = [f".. {kind}:: {name}", *(f"   {option}" for option in options)]
    return "```{eval-rst}\n" + "\n".join(lines) + "\n```"


class _Page(HTMLParser):
    """What an HTML page links to, loads, and can be linked to."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.anchors: set[str] = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember where a tag leads."""
        given = {name: value or "" for name, value in attrs}
        self.anchors.add(given.get("id", ""))
        target = given.get("href", given.get("src", ""))
        is_loaded = tag != "a" and given.get("rel") not in {"canonical", "next", "prev", "search"}
        (self.loads if is_loaded else self.links).add(target)


def problems(site: Path) -> Iterator[str]:
    """Links of a built site that lead nowhere, and files that it would load from elsewhere."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        pages[path] = page = _Page()
        page.feed(path.read_text("utf-8"))
    for path, page in pages.items():
        name = path.relative_to(site)
        yield from (f"{name}: loads {target}" for target in page.loads if OUTSIDE.match(target))
        for target in sorted(page.links | page.loads):
            if urlsplit(target).scheme or OUTSIDE.match(target):
                continue
            file, _, anchor = target.partition("#")
            found = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            is_there = found.exists() and (
                found not in pages or unquote(anchor) in pages[found].anchors
            )
            if not is_there:
                yield f"{name}: nothing at {target}"
    for style in sorted(site.rglob("*.css")):
        if LOADED_FROM_ELSEWHERE.search(style.read_text("utf-8")):
            yield f"{style.relative_to(site)}: loads from elsewhere"


if __name__ == "__main__":
    sys.exit(bool(main()))
