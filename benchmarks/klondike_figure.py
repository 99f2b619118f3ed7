"""Smith's Figure 1 (2007, 4.1): Klondike with a choice of four first moves. What does each win?

    .venv/bin/python benchmarks/klondike_figure.py [DEALS] [SEED] [draw]

The text names six of the seven cards that lie face up: either red 4 goes on the 5 of clubs, either
black 6 on the 7 of hearts. It does not say where they lie, nor the seventh card. So deals
are drawn at random of which this is true: these six are face up, anywhere, and no other move is
possible among the seven. For each first move it is searched whether the deal can still be won if
all cards are known, which bounds from above what anybody wins who does not see them."""

import random
import sys
import time
from collections import Counter

from perfectplay.games.cards.freecell_cards import host, name, number
from perfectplay.games.cards.thoughtful import ThoughtfulKlondike
from perfectplay.positions.expand_native import NativeExpander
from perfectplay.searching.one_player.greedy import AnyLine
from perfectplay.searching.proportions import share

SHOWN = [number(word) for word in ("4H", "4D", "5C", "6C", "6S", "7H")]
CHOICES = ("4H on 5C", "4D on 5C", "6C on 7H", "6S on 7H")
SIZE = 24 << 20


def fits(faces: list[int]) -> bool:
    """Whether the four moves are all there are among face-up cards."""
    moves = sum(other in (host(card, 0), host(card, 1)) for card in faces for other in faces)
    return moves == len(CHOICES) and min(faces) > 3


def deal(draw: random.Random) -> list[int]:
    """A deal of which the text is true, in the order of dealing."""
    while True:
        rest = [card for card in range(52) if card not in SHOWN]
        draw.shuffle(rest)
        faces = [*SHOWN, rest.pop()]
        if fits(faces):
            break
    draw.shuffle(faces)
    order = []
    for row in range(7):
        for column in range(row, 7):
            order.append(faces[column] if column == row else rest.pop())
    return order + rest


def main() -> None:
    """Each choice with the share of deals that it wins, and how often choices differ."""
    given = [int(word) for word in sys.argv[1:]]
    many, seed, turned = given + [40, 1, 3][len(given) :]
    draw, search, began = random.Random(seed), None, time.process_time()
    won, unknown, differ = Counter[str](), Counter[str](), 0
    for _ in range(many):
        words = " ".join(map(name, deal(draw)))
        game = ThoughtfulKlondike(draw=turned, counted=False, cards=words)
        search = search or AnyLine(NativeExpander(game), SIZE, lines=False)
        p, verdicts = game.start(), []
        for m in game.moves(p):
            if (choice := game.move_text(p, m)) in CHOICES:
                found = search.run(game, game.play(p, m), lambda nodes: "")
                verdicts.append("won" if found.path is not None else found.stopped)
                won[choice] += verdicts[-1] == "won"
                unknown[choice] += verdicts[-1] == "memory"
        differ += "won" in verdicts and "" in verdicts
    for choice in CHOICES:
        low, high = share(won[choice], unknown[choice], many)
        print(f"{choice}: {won[choice]} of {many} won, {unknown[choice]} unknown; "
              f"between {low:.1%} and {high:.1%}")  # fmt: skip
    print(f"deals in which one choice wins and another is proved to lose: {differ}")
    print(f"{time.process_time() - began:.0f} s of CPU")


if __name__ == "__main__":
    main()
