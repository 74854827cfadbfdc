"""Home pages of persons, and the words of their names, by titles and URLs."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from weft.core.arrays import Flags
from weft.groups.titles import POSSESSIVE, WORD_PATTERN, Titles

PERSONAL_FOLDER = (
    r"(?i:/~|(?:[/_](?:people|homes?|users|staff|fac|faculty|grads?|students?)){1,4}/)"
)
PERSONAL_ADDRESS = re.compile(rf"(?P<folder>{PERSONAL_FOLDER}[^/]*)(?:/[^/]*)?")
HOME_OF_USER = re.compile(r"/~[^/]+/?(?:(?i:index|home|welcome)[^/]*)?$")
NAME = r"[A-Z][\w'\u2019.-]*(?:,? \(?[A-Z][\w'\u2019.)-]*){0,4}"
OWNER = re.compile(
    rf"(?P<owner>{NAME})['\u2019]s? (?i:(?:\w+ ){{0,2}}(?:home ?)?page)\b"
    rf"|(?i:home ?page (?:of|for)) (?P<named>{NAME})"
    rf"|^(?P<title>{NAME}?)(?:\W+(?i:(?:information |home ?)page))?\W*$"
)
NO_PERSON = re.compile(
    r"(?i)\b(?:group|department|lab|laboratory|project|course|class|cs\w*|research|university|"
    r"institute|school|center|computer|systems?)\b|\d"
)
NAME_RUN, APOSTROPHE = re.compile(NAME), re.compile("['\u2019]")
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
    def from_titles(cls, titles: Titles) -> "PersonalPages":
        """The personal pages of a base set, by its titles."""
        base, is_personal = titles.base, np.zeros(len(titles.base), bool)
        folders = pc.match_substring_regex(base.graph.names, PERSONAL_FOLDER)
        in_folder = folders.to_numpy(zero_copy_only=False)
        in_names, in_titles = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        for page, title in enumerate(base.titles):
            if title and (in_folder[page] or "'" in title or "page" in title.lower()):
                own, url = titles.own_title(page), base.pages[page]
                name = person_of_page(own, url)
                is_personal[page] = bool(name)
                name = name or owner_in_title(own, url)
                for word in words_of(name):
                    in_names[word].add(personal_folder(url))
        for page in range(len(titles)) if in_names else ():
            words = set(words_of(base.titles[page] or ""))
            for word in in_names.keys() & words:
                in_titles[word].add(personal_folder(base.pages[page]))
        name_words = frozenset(
            word for word, names in in_names.items() if 2 * len(names) > len(in_titles[word])
        )
        return cls(is_personal, name_words)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without the *s* of the genitive."""
    return [POSSESSIVE.sub("", word) for word in WORD_PATTERN.findall(text.lower())]


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
    title = _drop_address_at_end(title)
    address, owner = PERSONAL_ADDRESS.search(url), OWNER.search(title)
    if not owner or NO_PERSON.search(title):
        return ""
    name = owner["owner"] or owner["named"] or owner["title"]
    if owner["title"] is None:
        return name if address or " " in name else ""
    if not address:
        return ""
    path = (address[0] if "," in name else address["folder"]).lower()
    words = words_of(name)
    is_home = _names_folder(words, path) or bool(HOME_OF_USER.search(url))
    return name if len(words) > 1 and is_home else ""


def _drop_address_at_end(title: str) -> str:
    """A title without an e-mail address that ends it."""
    words = title.split()
    return " ".join(words[:-1]) if words and "@" in words[-1].strip("()@") else title


def owner_in_title(title: str, url: str) -> str:
    """The name in the title of a page that is that of the person in whose folder it is, or nothing.

    Examples
    --------
    >>> owner_in_title("Publications of Ann Mary Lee", "http://a.edu/~aml/papers.html")
    'Ann Mary Lee'
    >>> owner_in_title("Meg O'Brien's resume", "http://a.edu/users/obrien/resume.html")
    "Meg O'Brien's"
    >>> owner_in_title("Neural Networks", "http://a.edu/~aml/nets.html")
    ''
    """
    address = PERSONAL_ADDRESS.search(url)
    if not address:
        return ""
    for run in NAME_RUN.findall(title):
        words = words_of(run)
        named = len(words) > 1 and _names_folder(words, address["folder"].lower())
        if named and not NO_PERSON.search(run):
            return str(run)
    return ""


def _names_folder(words: Sequence[str], folder: str) -> bool:
    """Whether a folder has the name of a person: a word of it, its beginning, or the initials."""
    user = re.split(r"[/~_]", folder)[-1]
    words = [APOSTROPHE.sub("", word) for word in words]
    initials = "".join(word[0] for word in words)
    return (len(user) >= MIN_NAME_LETTERS and user == initials) or any(
        len(word) >= MIN_NAME_LETTERS
        and (
            word[:MAX_NAME_LETTERS] in folder
            or (len(user) > MIN_NAME_LETTERS and word.startswith(user))
        )
        for word in words
    )
