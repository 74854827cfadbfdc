"""Pages on two subjects: six hubs each, with links to the same four pages."""

from weft.gather.page import Link, Page

WORDS = {"cars": "engine", "cats": "jungle"}
# The hubs alone: the pages that they link to are uncaptured.
HUBS_ONLY = [
    Page(
        f"http://{group}{k}.org/",
        title=f"{word} links {'abcdef'[k]}",
        text=f"jaguar {word}",
        language="en",
        links=tuple(Link(f"http://{group}.com/{n}", f"{word} page {n}") for n in range(4)),
    )
    for group, word in WORDS.items()
    for k in range(6)
]
TWO_SUBJECTS = [
    *HUBS_ONLY,
    *(Page(f"http://{group}.com/{n}", language="en") for group in WORDS for n in range(4)),
]
