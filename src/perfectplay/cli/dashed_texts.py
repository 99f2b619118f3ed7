"""Commands whose arguments may begin with a dash, as -1/2 does."""

import re
from collections.abc import Iterator
from typing import Any

from typer.core import TyperCommand

_NO_TEXT = re.compile(r"-h|--[a-z].*", re.DOTALL)
"""Words that are taken for options: help, and all that begins with two dashes and a letter."""


class TextsCommand(TyperCommand):
    """A command that takes any word with one dash for a text, unless it is -h alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The words that are left when options are read."""
        words = list(self._sorted(args))
        texts = [word for is_text, word in words if is_text]
        options = [word for is_text, word in words if not is_text]
        return super().parse_args(ctx, [*options, "--", *texts])

    def _sorted(self, args: list[str]) -> Iterator[tuple[bool, str]]:
        """Each word, and whether it is a text."""
        valued = {
            name
            for param in self.params
            if not getattr(param, "is_flag", True)
            for name in param.opts
        }
        rest = iter(args)
        for word in rest:
            if word == "--":
                yield from ((True, each) for each in rest)
                return
            yield _NO_TEXT.fullmatch(word) is None, word
            if word in valued:
                yield from ((False, each) for each in [next(rest, None)] if each is not None)
