"""Values as text, and text as values.

    0  -3  1/2             numbers
    *  *2  1*              a heap of Nim, and a number with one
    ^  v  ^3  v2  ^*  1^2*3    ups and downs; ^3 is three ups, 1^2*3 is 1 + 2 ups + *3
    {1|-1,0}  {|}          options of Left and of Right
    {2|1||0}               more bars part later: {{2|1}|0}
    +-1  +-(1,{2|0})       a switch: {1|-1}, and one with several options
    +_1  -_1               tiny and miny: {0||0|-1}, {1|0||0}
    {2|0} + 3.^ - *4       sums and multiples

The signs ± ↑ ↓ ⇑ ⇓ · and the words tiny(1), miny(1) are read too. What is written is the first of
these lines that fits. A minus before a number belongs to the number alone, and `+-` is always the
sign of a switch: write `1 + -1` for a sum. This is the notation of CGSuite and Winning Ways.
"""

from __future__ import annotations

import re
from fractions import Fraction

from perfectplay.errors import UsageError
from perfectplay.partizan import plain
from perfectplay.partizan.depth import deep
from perfectplay.partizan.measures import note, noted
from perfectplay.partizan.plain import Plain
from perfectplay.partizan.short import (
    ZERO,
    Short,
    added,
    canonical,
    lefts_of,
    negated,
    plain_value,
    rights_of,
)

# -- Writing. -------------------------------------------------------------------------------------


def show(g: Short) -> str:
    """The value as text; `parse` reads it back."""
    text, bars = _pieces(g)
    return f"{{{text}}}" if bars else text


def _pieces(g: Short) -> tuple[str, int]:
    """The text of a value without the outer braces, and its longest row of bars; 0: no braces."""
    if g._plain is not None:
        return show_plain(g._plain), 0
    found: tuple[str, int] | None = noted(g, "text")
    if found is None:
        found = _special(g)
        if found is None:
            left, here = _side(lefts_of(g))
            right, there = _side(rights_of(g))
            bars = max(here, there) + 1
            found = f"{left}{'|' * bars}{right}", bars
        note(g, "text", found)
    return found


def _side(options: tuple[Short, ...]) -> tuple[str, int]:
    """The options of one player as text, and the longest row of bars outside of braces."""
    if len(options) == 1:
        return _pieces(options[0])
    return _listed(options), 0


def _listed(options: tuple[Short, ...]) -> str:
    """Options as text, in an order that depends on nothing but their values."""
    texts = []
    for option in options:
        texts.append(show(option))
    return ",".join(sorted(texts, key=lambda text: (len(text), text)))


def _special(g: Short) -> tuple[str, int] | None:
    """A switch, a tiny or a miny as text; None for other values."""
    if negated(g) is g:
        left = lefts_of(g)
        return f"+-{show(left[0]) if len(left) == 1 else f'({_listed(left)})'}", 0
    for sign, h in (("+", g), ("-", negated(g))):
        right = rights_of(h)
        if lefts_of(h) == (ZERO,) and len(right) == 1 and lefts_of(right[0]) == (ZERO,):
            threat = rights_of(right[0])
            if len(threat) == 1 and right[0]._plain is None:
                return f"{sign}_{show(negated(threat[0]))}", 0
    return None


def show_plain(form: Plain) -> str:
    """A number, ups and a nimber as text."""
    m, e, ups, nim = form
    text = str(Fraction(m, 1 << e)) if m or not (ups or nim) else ""
    for amount, sign in ((abs(ups), "^" if ups > 0 else "v"), (nim, "*")):
        if amount:
            text += sign + (str(amount) if amount > 1 else "")
    return text


# -- Reading. -------------------------------------------------------------------------------------

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:/\d+)?)|(?P<up>[\^↑⇑]\d*)|(?P<down>[v↓⇓]\d*)|(?P<star>\*\d*)"
    r"|(?P<bar>\|+)|(?P<word>tiny|miny)|(?P<sign>\+-|±|\+_|-_|[-+·.(){},]))"
)
SIGNS = {"±": "+-", ".": "·"}
Token = tuple[str, str]
END: Token = ("end", "")
HINT = "values look like 1/2, *2, ^, v2*, +-1, {2|1||0} or {0,*|^}"


def parse(text: str) -> Short:
    """The value that a text tells; UsageError if it tells none."""
    tokens: list[Token] = []
    at, text = 0, text.strip()
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise UsageError(f"{text!r}: cannot read {text[at : at + 10]!r}", HINT)
        token = found[found.lastgroup]
        tokens.append((found.lastgroup, SIGNS.get(token, token)))
        at = found.end()
    reader = _Reader(tokens, text)
    return deep(reader.whole)


class _Reader:
    """Reads the tokens of one text from left to right. Every method takes a place and gives a
    value with the place behind it: asked again after it ran out of depth, it begins anew."""

    def __init__(self, tokens: list[Token], text: str) -> None:
        self.tokens = [*tokens, END]
        self.text = text
        self.partner = self._partners()

    def wrong(self, i: int) -> UsageError:
        """The error that says what cannot be read at place i."""
        at = "the end" if self.tokens[i] is END else repr(self.tokens[i][1])
        shown = self.text if len(self.text) <= 60 else self.text[:57] + "…"
        return UsageError(f"{shown!r} is no value: {at} is out of place", HINT)

    def _partners(self) -> dict[int, int]:
        """The place of the bracket that closes the one at each place."""
        pairs, waiting = {}, []
        for i, (_, token) in enumerate(self.tokens):
            if token in ("(", "{"):
                waiting.append(i)
            elif token in (")", "}"):
                if not waiting or self.tokens[waiting[-1]][1] + token not in ("()", "{}"):
                    raise self.wrong(i)
                pairs[waiting.pop()] = i
        if waiting:
            raise self.wrong(len(self.tokens) - 1)
        return pairs

    def whole(self) -> Short:
        """The value of all tokens."""
        g, i = self.sum(0)
        if self.tokens[i] is not END:
            raise self.wrong(i)
        return g

    def sum(self, i: int) -> tuple[Short, int]:
        """A sum of terms."""
        if self.tokens[i][1] == "+":
            raise self.wrong(i)
        g, i = self.term(i)
        while True:
            token = self.tokens[i][1]
            if token in ("+-", "+_", "-_", "-"):
                h, i = self.term(i)
            elif token == "+":
                h, i = self.term(i + 1)
            else:
                return g, i
            g = added(g, h)

    def term(self, i: int) -> tuple[Short, int]:
        """A value with its signs."""
        kind, token = self.tokens[i]
        if token == "-" and self.tokens[i + 1][0] != "number":
            g, i = self.term(i + 1)
            return negated(g), i
        if token == "-" or kind in ("number", "up", "down", "star"):
            return self.plain(i)
        if token == "+-":
            return self.switch(i + 1)
        if token in ("+_", "-_"):
            g, i = self.term(i + 1)
            return _tiny(g, below=token == "-_"), i
        if kind == "word" and self.tokens[i + 1][1] == "(":
            g, i = self.term(i + 1)
            return _tiny(g, below=token == "miny"), i
        if token == "(":
            g, i = self.sum(i + 1)
            if self.tokens[i][1] != ")":
                raise self.wrong(i)
            return g, i + 1
        if token == "{":
            end = self.partner[i]
            return self.braces(i + 1, end), end + 1
        raise self.wrong(i)

    def plain(self, i: int) -> tuple[Short, int]:
        """A number, ups and a nimber, any of which may be missing; or a multiple of a term."""
        sign, number, ups, nim = 1, Fraction(0), 0, 0
        if self.tokens[i][1] == "-":
            sign, i = -1, i + 1
        if self.tokens[i][0] == "number":
            number, i = sign * self.fraction(i), i + 1
            if self.tokens[i][1] == "·":
                if number.denominator != 1 or self.tokens[i + 1][0] == "number":
                    raise self.wrong(i)
                g, i = self.term(i + 1)
                return g * int(number), i
        if self.tokens[i][0] in ("up", "down"):
            token = self.tokens[i][1]
            ups = int(token[1:] or 1) * (2 if token[0] in "⇑⇓" else 1)
            ups = -ups if token[0] in "v↓⇓" else ups
            i += 1
        if self.tokens[i][0] == "star":
            nim, i = int(self.tokens[i][1][1:] or 1), i + 1
        if self.tokens[i][0] in ("number", "up", "down", "star"):
            raise self.wrong(i)
        return plain_value((*plain.dyadic(number), ups, nim)), i

    def fraction(self, i: int) -> Fraction:
        """The number at a place."""
        over, _, under = self.tokens[i][1].partition("/")
        below = int(under or 1)
        if below == 0 or Fraction(int(over), below).denominator.bit_count() != 1:
            raise UsageError(
                f"{self.tokens[i][1]} is no value of a short game",
                "denominators are powers of two",
            )
        return Fraction(int(over), below)

    def switch(self, i: int) -> tuple[Short, int]:
        """What stands after the sign of a switch: one value, or several in parentheses."""
        if self.tokens[i][1] == "(":
            end = self.partner[i]
            left = self.options(i + 1, end)
            if not left:
                raise self.wrong(end)
            i = end + 1
        else:
            g, i = self.term(i)
            left = [g]
        return canonical(left, [negated(h) for h in left]), i

    def braces(self, low: int, high: int) -> Short:
        """The value of what stands between braces, parted at the longest row of bars."""
        bars, i = [], low
        while i < high:
            i = self.partner.get(i, i)
            if self.tokens[i][0] == "bar":
                bars.append((len(self.tokens[i][1]), i))
            i += 1
        longest = max(bars, default=(0, high))[0]
        middle = [i for length, i in bars if length == longest]
        if len(middle) != 1:
            raise self.wrong(middle[1] if middle else high)
        return canonical(self.part(low, middle[0]), self.part(middle[0] + 1, high))

    def part(self, low: int, high: int) -> list[Short]:
        """The options on one side of a bar: a list, or one value with shorter bars."""
        i = low
        while i < high:
            i = self.partner.get(i, i)
            if self.tokens[i][0] == "bar":
                return [self.braces(low, high)]
            i += 1
        return self.options(low, high)

    def options(self, low: int, high: int) -> list[Short]:
        """Values between commas; none between no tokens."""
        found: list[Short] = []
        i = low
        while i < high:
            g, i = self.sum(i)
            found.append(g)
            if i < high:
                if self.tokens[i][1] != "," or i + 1 == high:
                    raise self.wrong(i)
                i += 1
        if i > high:
            raise self.wrong(high)
        return found


def _tiny(threat: Short, *, below: bool) -> Short:
    """{0 || 0 | -threat}, or its negative."""
    g = canonical([ZERO], [canonical([ZERO], [negated(threat)])])
    return negated(g) if below else g
