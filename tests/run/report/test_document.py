"""A page with its style, which no other style may join."""

import base64
import hashlib
import re

from weft.core.markup import tag
from weft.run.report.document import document


def test_the_policy_knows_the_style() -> None:
    page = document("A & B", "1.0", [tag("p", "words")])
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    known = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"sha256-{known}" in page
    assert "<title>A &amp; B · Weft</title>" in page
    assert page.endswith("<p>words</p></main></body></html>\n")
