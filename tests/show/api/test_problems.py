"""Problems have a title, a sentence and a cure."""

from weft.show.api.problems import refusal
from weft.show.api.shapes import Problem


def test_a_problem_has_the_phrase_of_its_status() -> None:
    told = Problem.of(404, "no page is called 'x'", "search for it")
    assert (told.title, told.status, told.type) == ("Not Found", 404, "about:blank")


def test_a_refusal_says_its_media_type() -> None:
    told = refusal(405, "no", "do", Allow="GET")
    assert told.headers["content-type"] == "application/problem+json"
    assert told.headers["allow"] == "GET"
    assert b'"cure":"do"' in bytes(told.body)
