"""One HTML page that may load nothing and run nothing."""

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files

from weft.core.markup import Markup, join, tag


def document(title: str, version: str, parts: Iterable[Markup]) -> str:
    """The page with its style, by a version of Weft."""
    style = Markup((files("weft.run.report") / "style.css").read_text("utf-8"))
    known = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{known}'; base-uri 'none'; form-action 'none'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=f"Weft {version}"),
        tag("title", f"{title} · Weft"),
        tag("style", style),
    )
    body = tag("body", tag("main", join(parts, "\n")))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"
