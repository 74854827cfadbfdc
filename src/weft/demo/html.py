"""Build the HTML of a page from the templates of its site's skin."""

from collections.abc import Iterable, Mapping
from typing import Any

from weft.demo.links import DemoLink
from weft.demo.plan import DemoSite
from weft.demo.words import load_html_templates


class HtmlBuilder:
    """The HTML of one page, part by part.

    A site writes its internal links absolute, from the root or relative to the
    page; `absolute_links`, for copies, makes all of them absolute.
    """

    def __init__(self, site: DemoSite, url: str, *, absolute_links: bool = False) -> None:
        self._site, self._url = site, url
        self._skin: Mapping[str, Any] = load_html_templates()[
            site.style_bits % len(load_html_templates())
        ]
        self._href_style = (
            0 if absolute_links or site.kind == "company" else (site.style_bits >> 8) % 4
        )
        self._body: list[str] = []
        self._foot: list[str] = []
        self._nav = ""
        self._head = ""

    def add_heading(self, text: str) -> None:
        """Add the main heading."""
        self._body.append(self._skin["heading"].format(text=text))

    def add_subheading(self, text: str) -> None:
        """Add the heading of a section."""
        self._body.append(self._skin["subheading"].format(text=text))

    def add_paragraph(self, *sentences: str) -> None:
        """Add a paragraph of sentences."""
        self._body.append(self._skin["paragraph"].format(text=" ".join(sentences)))

    def add_link_list(self, links: Iterable[DemoLink]) -> None:
        """Add a list of links with their descriptions."""
        opening, item, closing = self._skin["list"]
        self._body.append(opening)
        for link in links:
            about = self._skin["about"].format(about=link.about) if link.about else ""
            self._body.append(item.format(link=self.render_link(link), about=about))
        self._body.append(closing)

    def add_details_table(self, rows: Iterable[tuple[str, str]]) -> None:
        """Add a table of labels and values."""
        opening, row, closing = self._skin["details"]
        lines = [row.format(label=label, value=value) for label, value in rows]
        self._body += [opening, *lines, closing]

    def set_navigation(self, links: Iterable[DemoLink]) -> None:
        """Set the navigation bar of the site."""
        opening, item, closing = self._skin["nav"]
        items = [
            item.format(link=self.render_link(link), url=self._href(link.url), text=link.anchor)
            for link in links
        ]
        self._nav = f"{opening}{''.join(items)}{closing}"

    def add_banner(self, link: DemoLink) -> None:
        """Add an advertising banner below the page."""
        picture = self._skin["banner"]
        self._foot.append(picture.format(url=link.url, rel=_rel_attribute(link), text=link.anchor))

    def add_footer(self, text: str) -> None:
        """Add a line below the page."""
        self._foot.append(text)

    def set_canonical(self, url: str) -> None:
        """Set the canonical URL in the head."""
        self._head = f'<link rel="canonical" href="{url}">'

    def render_link(self, link: DemoLink) -> str:
        """The HTML of a link."""
        url = self._href(link.url)
        tag: str = self._skin["link"]
        return tag.format(url=url, rel=_rel_attribute(link), text=link.anchor)

    def render(self, title: str) -> str:
        """The HTML of the page."""
        frame: str = self._skin["frame"]
        body, foot = "\n".join(self._body), "\n".join(self._foot)
        return frame.format(title=title, head=self._head, nav=self._nav, body=body, foot=foot)

    def _href(self, url: str) -> str:
        """The URL as this site writes it: absolute, from the root, or relative to the page."""
        base = self._site.base_url
        if self._href_style == 0 or not url.startswith(base):
            return url
        if self._href_style == 1:
            return url[url.index("/", len("http://")) :]
        depth = self._url.count("/", len(base))
        home = "index.html" if self._href_style == 3 else "./"
        return "../" * depth + (url[len(base) :] or ("" if depth else home))


def _rel_attribute(link: DemoLink) -> str:
    return f' rel="{link.rel}"' if link.rel else ""
