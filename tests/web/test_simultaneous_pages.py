"""Pages of positions at which both players choose at once."""

from __future__ import annotations

import html
import re
from fractions import Fraction
from urllib.parse import parse_qs, urlsplit

from test_pages import client, links

from perfectplay import SIMULTANEOUS, solve
from perfectplay.answer.faces.mixed_choices import mixed_choices
from perfectplay.games.simultaneous.duel import Duel
from perfectplay.games.simultaneous.goofspiel import Goofspiel
from perfectplay.web.collection import Exhibit
from perfectplay.web.state import State


def test_both_are_said_to_choose_and_every_pair_is_a_link() -> None:
    solution = solve(Goofspiel(3, "down"), exact=True)
    web = client(Exhibit("game", "game", solution=solution))
    page = web.get(State("game").url()).text
    assert "Both players choose at once" in page
    assert sorted(links(page)) == list(range(9))
    assert "1 / 3" in html.unescape(page)


def test_pairs_are_a_matrix_with_values_and_probabilities() -> None:
    solution = solve(Goofspiel(3, "down"), exact=True)
    web = client(Exhibit("game", "game", solution=solution))
    page = web.get(State("game").url()).text
    found = mixed_choices(solution, solution.start)
    assert found is not None
    columns = re.findall(r'<th scope="col"><b>(\d)</b> ([\d/]+)</th>', page)
    assert [Fraction(share) for _, share in columns] == found.shares[1]
    rows = re.findall(r'<tr><th scope="row"><b>\d</b> ([\d/]+)</th>(.*?)</tr>', page)
    assert [Fraction(share) for share, _ in rows] == found.shares[0]
    cells = [[Fraction(v) for v in re.findall(r">([^<]+)</a>", row)] for _, row in rows]
    assert cells == [[value.lower for value in row] for row in found.cells]
    hidden = web.get(State("game", hidden=True).url()).text
    assert 'scope="col"' not in hidden
    assert sorted(links(hidden)) == list(range(9))


def test_a_person_has_their_own_choices_and_the_other_is_drawn_from_a_mixed_strategy() -> None:
    solution = solve(Goofspiel(4, "down"), exact=True)
    web = client(Exhibit("game", "game", solution=solution))
    replies = set()
    p = solution.game.parse("1 2 4 / 1 3 4 / 1 2 for 3")
    for seed in range(1, 40):
        state = State("game", at=solution.game.text(p), roles=("person", "perfect"), seed=seed)
        found = links(web.get(state.url()).text)
        assert len(found) == 3
        assert {number // 3 for number in found} == {0, 1, 2}
        assert len({number % 3 for number in found}) == 1
        replies.add(next(iter(found)) % 3)
    both = mixed_choices(solution, p)
    assert both is not None
    assert replies == {k for k, share in enumerate(both.shares[1]) if share}


def test_two_programs_play_each_other_to_the_end() -> None:
    solution = solve(Duel(4))
    web = client(Exhibit("game", "game", solution=solution))
    url, plies = State("game", roles=("perfect", "random")).url(), 0
    while plies < 20:
        page = web.get(url).text
        onward = re.search(r'href="([^"]*)">Next move<', page)
        if onward is None:
            break
        url, plies = html.unescape(onward[1]), plies + 1
        found = re.findall(r"\d+", parse_qs(urlsplit(url).query)["line"][0])
        assert len(found) == plies
    assert 0 < plies < 20
    assert "Play has ended" in page
    assert solution.to_move(solution.start) == SIMULTANEOUS
