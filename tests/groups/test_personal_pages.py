"""Home pages of persons by hand: titles, URLs, and the words of names."""

from collections.abc import Callable

import pytest

from weft.groups import Groups
from weft.groups.personal_pages import PersonalPages, owner_in_title, person_of_page
from weft.groups.titles import Titles


@pytest.mark.parametrize(
    ("title", "url"),
    [
        ("Ann Lee", "http://a.edu/~lee/"),
        ("Ann Lee Home Page", "http://a.edu/homes/ann/"),
        ("Home Page for Ann Lee", "http://a.edu/~x/"),
        ("Ann Lee's Personal Web Page", "http://a.edu/x.html"),
        ("Ann Lee Information Page", "http://a.edu/students/lee/lee.html"),
        ("Ann Lee", "http://a.edu/people/faculty/Lee/"),
        ("Ann Lee", "http://a.edu/~x/"),
        ("Ann Lee (lee@cs.a.edu)", "http://a.edu/~lee/"),
        ("Ann Lee", "http://a.edu/fac/lee/"),
    ],
)
def test_pages_of_persons(title: str, url: str) -> None:
    assert person_of_page(title, url) == "Ann Lee"


@pytest.mark.parametrize(
    ("title", "url"),
    [
        ("Impulse Simulation", "http://a.edu/~lee/impulse.html"),
        ("Ann Lee", "http://a.edu/~x/friends/"),
        ("Vision Group's Home Page", "http://a.edu/~lee/"),
        ("CS 314 Home Page", "http://a.edu/~lee/cs314/"),
        ("Ann Lee", "http://a.edu/authors/lee"),
        ("", "http://a.edu/~lee/"),
    ],
)
def test_other_pages(title: str, url: str) -> None:
    assert person_of_page(title, url) == ""


@pytest.mark.parametrize(
    ("title", "url", "name"),
    [
        ("Publications of Ann Trinkle", "http://a.edu/~trink/papers.html", "Ann Trinkle"),
        ("Research: Bruce Randall Donald", "http://a.edu/people/brd/", "Bruce Randall Donald"),
        ("Meg O'Brien's resume", "http://a.edu/users/obrien/cv.html", "Meg O'Brien's"),
        ("Papers of Ann Lee", "http://a.edu/~fox/", ""),
        ("Ann Lee and Co", "http://a.edu/lee/", ""),
        ("Lee Research Group", "http://a.edu/~lee/", ""),
        ("Lee", "http://a.edu/~lee/", ""),
    ],
)
def test_names_of_owners_in_titles(title: str, url: str, name: str) -> None:
    assert owner_in_title(title, url) == name


def test_names_of_owners_are_no_subjects(make: Callable[..., Groups]) -> None:
    titles = {"http://a.edu/~trink/papers.html": "Publications of Ann Trinkle"}
    base = make({("x", page): "" for page in titles}, titles, [" ".join(titles)]).base
    personal = PersonalPages.from_titles(Titles.from_base_set(base))
    assert personal.name_words == {"ann", "trinkle"}
    assert not personal.is_personal.any()


def test_a_word_of_many_other_titles_is_no_name(make: Callable[..., Groups]) -> None:
    titles = {
        "http://a.edu/~lee/": "Rose Lee's Home Page",
        "http://b.org/1": "Rose gardens",
        "http://c.org/2": "A rose",
    }
    base = make({("x", page): "" for page in titles}, titles, [" ".join(titles)]).base
    personal = PersonalPages.from_titles(Titles.from_base_set(base))
    assert personal.name_words == {"lee"}
    assert [base.pages[k] for k in personal.is_personal.nonzero()[0].tolist()] == [
        "http://a.edu/~lee/"
    ]


def test_what_a_site_adds_to_titles_is_no_part_of_a_name(make: Callable[..., Groups]) -> None:
    names = ("Ann Lee", "Bo Fox", "Cy Dee")
    titles = {
        f"http://a.edu/faculty/{name.split()[1]}.html": f"{name} - Field of Interest"
        for name in names
    }
    base = make({("x", page): "" for page in titles}, titles, [" ".join(titles)]).base
    personal = PersonalPages.from_titles(Titles.from_base_set(base))
    assert personal.is_personal.sum() == len(names)


def test_a_home_page_of_a_person_needs_no_folder_of_persons(make: Callable[..., Groups]) -> None:
    titles = {"http://a.edu/www/lee/home.html": "Home page of Ann Lee"}
    topics = make({("x", page): "" for page in titles}, titles, [" ".join(titles)])
    people = PersonalPages.from_titles(Titles.from_base_set(topics.base))
    assert {"ann", "lee"} <= people.name_words
