"""Problems have a title, a sentence and a hint."""

from weft.server.errors import problem_response
from weft.server.schemas.responses import Problem


def test_a_problem_has_the_phrase_of_its_status() -> None:
    problem = Problem.from_status(404, "no page is called 'x'", "search for it")
    assert (problem.title, problem.status, problem.type) == ("Not Found", 404, "about:blank")


def test_a_problem_response_has_its_own_media_type() -> None:
    response = problem_response(405, "no", "do", Allow="GET")
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["allow"] == "GET"
    assert b'"hint":"do"' in bytes(response.body)
