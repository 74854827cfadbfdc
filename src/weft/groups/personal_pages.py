"""Home pages of persons, and the words of their names, by titles and URLs."""

import re
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from weft.core.arrays import Flags
from weft.graph.baseset.baseset import BaseSet
from weft.groups.phrases import WORD_PATTERN

PERSONAL_FOLDER = r"(?i:/~|[/_](?:people|homes?|users|staff|faculty|grads?|students?)/)"
PERSONAL_ADDRESS = re.compile(rf"(?P<folder>{PERSONAL_FOLDER}[^/]*)(?:/[^/]*)?")
NAME = r"[A-Z][\w'\u2019.-]*(?:,? \(?[A-Z][\w'\u2019.)-]*){0,4}"
OWNER = re.compile(
    rf"(?P<owner>{NAME})['\u2019]s? (?i:(?:\w+ ){{0,2}}(?:home ?)?page)\b"
    rf"|(?i:home ?page (?:of|for)) (?P<named>{NAME})"
    rf"|^(?P<title>{NAME}?)(?:\W+(?i:home ?page))?\W*$"
)
NO_PERSON = re.compile(
    r"(?i)\b(?:group|department|lab|laboratory|project|course|class|cs\w*|research|university|"
    r"institute|school|center|computer|systems?)\b|\d"
)
MIN_NAME_LETTERS, MAX_NAME_LETTERS = 3, 6


@dataclass(frozen=True, slots=True, eq=False)
class PersonalPages:
    """Which pages of a base set are home pages of persons, and the words of names.

    `name_words` are words in lower case that are in the name of the person in
    more than half of the folders with a title that has it.
    """

    is_personal: Flags
    name_words: frozenset[str]

    @classmethod
    def from_base_set(cls, base: BaseSet) -> "PersonalPages":
        """The personal pages of a base set."""
        titles, is_personal = base.titles, np.zeros(len(base), bool)
        folders = pc.match_substring_regex(base.graph.names, PERSONAL_FOLDER)
        in_folder = folders.to_numpy(zero_copy_only=False)
        in_names, in_titles = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for page, title in enumerate(titles):
            if title and (in_folder[page] or "'s " in title):
                name = person_of_page(title, url := base.pages[page])
                is_personal[page] = bool(name)
                for word in WORD_PATTERN.findall(name.lower()):
                    in_names[word].add(personal_folder(url))
        for page in range(len(titles)) if in_names else ():
            words = set(WORD_PATTERN.findall((titles[page] or "").lower()))
            for word in in_names.keys() & words:
                in_titles[word].add(personal_folder(base.pages[page]))
        name_words = frozenset(
            word for word, names in in_names.items() if 2 * len(names) > len(in_titles[word])
        )
        return cls(is_personal, name_words)


def personal_folder(url: str) -> str:
    """The folder of a person, or the folder of the page."""
    address = PERSONAL_ADDRESS.search(url)
    return url[: address.end("folder")] if address else url.rpartition("/")[0]


def person_of_page(title: str, url: str) -> str:
    """The name of the person whose page it is by its title and URL, or nothing.

    Examples
    --------
    >>> person_of_page("Ann Lee's Home Page", "http://a.edu/~alee/")
    'Ann Lee'
    >>> person_of_page("Lee, Ann", "http://a.edu/faculty/lee.html")
    'Lee, Ann'
    >>> person_of_page("Computer Vision", "http://a.edu/~alee/vision.html")
    ''
    """
    address, owner = PERSONAL_ADDRESS.search(url), OWNER.search(title)
    if not owner or NO_PERSON.search(title):
        return ""
    name = owner["owner"] or owner["named"] or owner["title"]
    if owner["title"] is None:
        return name if address or " " in name else ""
    if not address:
        return ""
    path = (address[0] if "," in name else address["folder"]).lower()
    words = WORD_PATTERN.findall(name.lower())
    is_in_path = any(len(w) >= MIN_NAME_LETTERS and w[:MAX_NAME_LETTERS] in path for w in words)
    return name if len(words) > 1 and is_in_path else ""
