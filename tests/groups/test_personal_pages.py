"""Home pages of persons by hand: titles, URLs, and the words of names."""

from collections.abc import Callable

import pytest

from weft.groups import Groups
from weft.groups.personal_pages import PersonalPages, person_of_page


@pytest.mark.parametrize(
    ("title", "url"),
    [
        ("Ann Lee", "http://a.edu/~lee/"),
        ("Ann Lee Home Page", "http://a.edu/homes/ann/"),
        ("Home Page for Ann Lee", "http://a.edu/~x/"),
        ("Ann Lee's Personal Web Page", "http://a.edu/x.html"),
    ],
)
def test_pages_of_persons(title: str, url: str) -> None:
    assert person_of_page(title, url) == "Ann Lee"


@pytest.mark.parametrize(
    ("title", "url"),
    [
        ("Impulse Simulation", "http://a.edu/~lee/impulse.html"),
        ("Vision Group's Home Page", "http://a.edu/~lee/"),
        ("CS 314 Home Page", "http://a.edu/~lee/cs314/"),
        ("Ann Lee", "http://a.edu/authors/lee"),
        ("", "http://a.edu/~lee/"),
    ],
)
def test_other_pages(title: str, url: str) -> None:
    assert person_of_page(title, url) == ""


def test_a_word_of_many_other_titles_is_no_name(make: Callable[..., Groups]) -> None:
    titles = {
        "http://a.edu/~lee/": "Rose Lee's Home Page",
        "http://b.org/1": "Rose gardens",
        "http://c.org/2": "A rose",
    }
    base = make({("x", page): "" for page in titles}, titles, [" ".join(titles)]).base
    personal = PersonalPages.from_base_set(base)
    assert personal.name_words == {"lee"}
    assert [base.pages[k] for k in personal.is_personal.nonzero()[0].tolist()] == [
        "http://a.edu/~lee/"
    ]
