"""The explorer as an anywidget. A click on a link sets `address`; Python answers with `fragment`,
which is what the server would send for that address. Nothing else passes between the two."""

from __future__ import annotations

import re
from importlib import resources
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anywidget
import traitlets

from perfectplay.answer.faces.match import replay
from perfectplay.answer.solution import Solution
from perfectplay.errors import PerfectPlayError, UsageError
from perfectplay.rules.load import is_listed, rules_path
from perfectplay.web import render
from perfectplay.web.collection import Collection, Exhibit
from perfectplay.web.page import advanced, first
from perfectplay.web.state import State, from_query


def _script() -> str:
    here = resources.files("perfectplay.web.notebook")
    return (here / "widget.js").read_text(encoding="utf-8")


def _style() -> str:
    """The style sheet of the explorer, for a shadow root, which has neither `:root` nor `body`."""
    return re.sub(r":root|\bbody\b", ":host", render.static("style.css"))


class ExplorerWidget(anywidget.AnyWidget):
    """The page of a position of a solved game, in a notebook."""

    _esm = _script()
    style_sheet = traitlets.Unicode(_style(), read_only=True).tag(sync=True)
    address = traitlets.Unicode().tag(sync=True)
    """What is shown: game, position, moves, as in the address of the explorer's page."""
    fragment = traitlets.Unicode().tag(sync=True)
    """The page of `address`."""

    def __init__(self, solution: Solution, p: Any = None) -> None:
        spec = rules_path(solution.game)
        self._key = spec if is_listed(spec) else type(solution.game).__name__
        self._solution = solution
        exhibit = Exhibit(self._key, spec, solution=solution)
        self._collection = Collection({self._key: exhibit}, lambda spec, game: None)
        if p is not None:
            solution.values(p)  # refused if it cannot arise
        at = "" if p is None else solution.game.text(p)
        self._back = State(self._key).url()
        super().__init__(address=State(self._key, at=at).url())

    @property
    def state(self) -> State:
        """What `address` says."""
        asked = urlsplit(self.address)
        path, own = asked._replace(query="", fragment="").geturl(), State(self._key).url()
        if path != own:
            raise UsageError(
                f"{path[:80]!r} is not a page of a position of {self._key}",
                "a notebook shows those only; perfectplay explore has them all",
            )
        return from_query(self._key, parse_qs(asked.query, max_num_fields=200))

    @property
    def position(self) -> Any:
        """The position that is shown, as the rules have it."""
        state = self.state
        return replay(self._solution, first(self._solution, state), state.shown)[-1].position

    @traitlets.observe("address")
    def _show(self, change: Any) -> None:
        """Render the page of the new address. Others move until it is the reader's turn."""
        del change
        try:
            state = self.state
            opened = self._collection.open(self._key, state.given)
            moved = advanced(self._collection, opened, state)
            if moved != state:
                self.address = moved.url()  # which comes back here
                return
            found = render.position(self._collection, opened, moved, render.FRAGMENT)
            self._back = self.address
        except PerfectPlayError as error:
            found = self._refused(error.message, error.hint)
        except Exception as error:  # of the rules, or an address that is none
            found = self._refused(f"{type(error).__name__}: {error}", "check looks for mistakes")
        self.fragment = found

    def _refused(self, message: str, hint: str) -> str:
        """A page that says what is wrong, and leads back to the last one that was right."""
        words = {"message": message, "hint": hint, "back": self._back}
        return render.rendered("refused.html", layout=render.FRAGMENT, **words)

    def __repr__(self) -> str:
        try:
            shown = self._solution.game.text(self.position)
        except (PerfectPlayError, ValueError):
            shown = self.address
        return f"<explorer of {self._key}: {shown}>"
