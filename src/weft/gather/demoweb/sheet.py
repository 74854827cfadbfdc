"""A page as HTML, in the manner of its site: the skin gives the tags, the sheet fills them."""

from collections.abc import Iterable, Mapping
from typing import Any

from weft.gather.demoweb.banks import skins
from weft.gather.demoweb.links import Pointer
from weft.gather.demoweb.plan import Site


class Sheet:
    """One page being written. A sheet for a copy writes all its links in full."""

    def __init__(self, site: Site, url: str, *, copied: bool = False) -> None:
        self._site, self._url = site, url
        self._skin: Mapping[str, Any] = skins()[site.look % len(skins())]
        self._style = 0 if copied or site.kind == "company" else (site.look >> 8) % 4
        self._body: list[str] = []
        self._foot: list[str] = []
        self._nav = ""
        self._head = ""

    def heading(self, text: str) -> None:
        """The name of the page, in large letters."""
        self._body.append(self._skin["heading"].format(text=text))

    def subheading(self, text: str) -> None:
        """The name of a part."""
        self._body.append(self._skin["subheading"].format(text=text))

    def paragraph(self, *sentences: str) -> None:
        """Some sentences that belong together."""
        self._body.append(self._skin["paragraph"].format(text=" ".join(sentences)))

    def listing(self, pointers: Iterable[Pointer]) -> None:
        """A list of links, with what is said about each."""
        opening, item, closing = self._skin["list"]
        self._body.append(opening)
        for pointer in pointers:
            about = self._skin["about"].format(about=pointer.about) if pointer.about else ""
            self._body.append(item.format(link=self.link(pointer), about=about))
        self._body.append(closing)

    def details(self, rows: Iterable[tuple[str, str]]) -> None:
        """A small table of facts."""
        opening, row, closing = self._skin["details"]
        lines = [row.format(label=label, value=value) for label, value in rows]
        self._body += [opening, *lines, closing]

    def navigation(self, pointers: Iterable[Pointer]) -> None:
        """The bar that stands on every page of a site."""
        opening, item, closing = self._skin["nav"]
        items = [
            item.format(link=self.link(one), url=self._reference(one.url), text=one.text)
            for one in pointers
        ]
        self._nav = f"{opening}{''.join(items)}{closing}"

    def banner(self, pointer: Pointer) -> None:
        """A picture that somebody paid for."""
        picture = self._skin["banner"]
        self._foot.append(picture.format(url=pointer.url, rel=_rel(pointer), text=pointer.text))

    def footer(self, text: str) -> None:
        """A line below the page."""
        self._foot.append(text)

    def canonical(self, url: str) -> None:
        """Say in the head which page stands for this one."""
        self._head = f'<link rel="canonical" href="{url}">'

    def link(self, pointer: Pointer) -> str:
        """A link inside a text."""
        url = self._reference(pointer.url)
        tag: str = self._skin["link"]
        return tag.format(url=url, rel=_rel(pointer), text=pointer.text)

    def html(self, title: str) -> str:
        """The whole page."""
        frame: str = self._skin["frame"]
        body, foot = "\n".join(self._body), "\n".join(self._foot)
        return frame.format(title=title, head=self._head, nav=self._nav, body=body, foot=foot)

    def _reference(self, url: str) -> str:
        """The address as this site writes it: in full, from the root, or from the page."""
        base = self._site.base
        if self._style == 0 or not url.startswith(base):
            return url
        if self._style == 1:
            return url[url.index("/", len("http://")) :]
        depth = self._url.count("/", len(base))
        home = "index.html" if self._style == 3 else "./"
        return "../" * depth + (url[len(base) :] or ("" if depth else home))


def _rel(pointer: Pointer) -> str:
    return f' rel="{pointer.rel}"' if pointer.rel else ""
