"""Values as text, and text as values.

    0  -3  1/2             numbers
    *  *2  1*              a heap of Nim, and a number with one
    ^  v  ^3  v2  ^*  1^2*3    ups and downs; ^3 is three ups, 1^2*3 is 1 + 2 ups + *3
    {1|-1,0}  {|}          options of Left and of Right
    {2|1||0}               more bars part later: {{2|1}|0}
    +-1  +-{1,{2|0}}       a switch: {1|-1}, and one with several options
    Tiny(1)  2Miny(1)      {0||0|-1}, and 2 + {1|0||0}
    {2|0} + 3.^ - *4       sums and multiples

Read, but not written: ^^ and vvv, the signs ± ↑ ↓ ⇑ ⇓ ·, +-(1,2), +_1 and -_1 for tiny and miny,
and the powers ^<3> = {0|v[2]*} and ^[3] = ^<1> + ^<2> + ^<3> = {^[2]|*}. A minus before a number
belongs to the number alone, and `+-` is always the sign of a switch: write `1 + -1` for a sum.
This is the notation of CGSuite and Winning Ways.
"""

import re
from fractions import Fraction
from typing import Any

from perfectplay.errors import UsageError
from perfectplay.sums import plain
from perfectplay.sums.canonical_form import (
    ZERO,
    Short,
    added,
    canonical,
    lefts_of,
    negated,
    plain_value,
    rights_of,
)
from perfectplay.sums.depth import deep
from perfectplay.sums.measures import remembered
from perfectplay.sums.plain import Plain

# -- Writing. -------------------------------------------------------------------------------------


def show(g: Short) -> str:
    """The value as text; `parse` reads it back."""
    text, bars = _pieces(g)
    return f"{{{text}}}" if bars else text


def _pieces(g: Short) -> tuple[str, int]:
    """The text of a value without the outer braces, and its longest row of bars; 0: no braces."""
    return _braced(g) if g._plain is None else (show_plain(g._plain), 0)


@remembered
def _braced(g: Short) -> tuple[str, int]:
    found = _special(g)
    if found is not None:
        return found
    left, here = _side(lefts_of(g))
    right, there = _side(rights_of(g))
    bars = max(here, there) + 1
    return f"{left}{'|' * bars}{right}", bars


def _side(options: tuple[Short, ...]) -> tuple[str, int]:
    """The options of one player as text, and the longest row of bars outside of braces."""
    if len(options) == 1:
        return _pieces(options[0])
    return _listed(options), 0


def _listed(options: tuple[Short, ...]) -> str:
    """Options as text: plain ones first, in an order that depends on nothing but their values."""
    texts: list[tuple[tuple[Any, ...], str]] = []
    for option in options:
        text = show(option)
        if option._plain is None:
            texts.append(((1, len(text), text), text))
        else:
            m, e, ups, nim = option._plain
            texts.append(((0, Fraction(m, 1 << e), abs(ups), ups, nim), text))
    return ",".join([text for _, text in sorted(texts)])


def _special(g: Short) -> tuple[str, int] | None:
    """A switch, or a number with a tiny or a miny, as text; None for other values."""
    if negated(g) is g:
        left = lefts_of(g)
        return f"+-{show(left[0]) if len(left) == 1 else f'{{{_listed(left)}}}'}", 0
    if g._ls == g._rs:
        for name, h in (("Tiny", g), ("Miny", negated(g))):
            threat = _threat(h)
            if threat is not None and threat._rs > 0:
                number = show(plain_value((*plain.dyadic(g.left_stop), 0, 0)))
                return f"{'' if number == '0' else number}{name}({show(threat)})", 0
    return None


def _threat(g: Short) -> Short | None:
    """The h for which g is x + {0 || 0 | -h} with a number x; None if there is none."""
    left, right = lefts_of(g), rights_of(g)
    if len(left) == len(right) == 1 and left[0].is_number and right[0]._plain is None:
        reply = lefts_of(right[0])
        if reply == left and len(rights_of(right[0])) == 1:
            return added(left[0], negated(rights_of(right[0])[0]))
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
    r"\s*(?:(?P<number>\d+(?:/\d+)?)"
    r"|(?P<power>[\^↑v↓](?:<\d+>|\[\d+\]))|(?P<up>(?:\^+|↑+|⇑)\d*)|(?P<down>(?:v+|↓+|⇓)\d*)"
    r"|(?P<star>\*\d*)|(?P<bar>\|+)|(?P<word>[Tt]iny|[Mm]iny)"
    r"|(?P<sign>\+-|±|\+_|-_|[-+·.(){},]))"
)
SIGNS = {"±": "+-", ".": "·"}
DOWNS = "v↓⇓"
LARGEST_POWER = 1000
Token = tuple[str, str]
END: Token = ("end", "")
PLAIN = ("number", "up", "down", "power", "star")
HINT = "values look like 1/2, *2, ^, v2*, +-1, {2|1||0} or {0,*|^}"


def parse(text: str) -> Short:
    """The value that a text writes; UsageError if it is none."""
    tokens: list[Token] = []
    at, text = 0, text.strip()
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise UsageError(f"{text!r}: cannot read {text[at : at + 10]!r}", HINT)
        token = found[found.lastgroup]
        tokens.append((found.lastgroup, SIGNS.get(token, token)))
        at = found.end()
    return deep(_ValueReader(tokens, text).whole)


class _ValueReader:
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
        if token == "-" or kind in PLAIN:
            return self.plain(i)
        if token == "+-":
            return self.switch(i + 1)
        if token in ("+_", "-_"):
            g, i = self.term(i + 1)
            return _tiny(g, below=token == "-_"), i
        if kind == "word" and self.tokens[i + 1][1] == "(":
            g, i = self.term(i + 1)
            return _tiny(g, below=token.lower() == "miny"), i
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
        power = ZERO
        if self.tokens[i][0] in ("up", "down"):
            ups, i = _ups(self.tokens[i][1]), i + 1
        elif self.tokens[i][0] == "power":
            power, i = self.power(i), i + 1
        if self.tokens[i][0] == "star":
            nim, i = int(self.tokens[i][1][1:] or 1), i + 1
        if self.tokens[i][0] in PLAIN:
            raise self.wrong(i)
        g = plain_value((*plain.dyadic(number), ups, nim))
        if self.tokens[i][0] == "word":
            power, i = self.term(i)
        return added(g, power), i

    def power(self, i: int) -> Short:
        """A power of up, or the sum of all powers up to one."""
        token = self.tokens[i][1]
        n = int(token[2:-1])
        if not 1 <= n <= LARGEST_POWER:
            raise UsageError(f"{token} has no value here", f"powers are 1 to {LARGEST_POWER}")
        total, star = plain_value((0, 0, 1, 0)), plain_value((0, 0, 0, 1))
        for _ in range(n - 1 if token[1] == "[" else n - 2):
            total = canonical([total], [star])
        if token[1] == "<" and n > 1:
            total = canonical([ZERO], [added(negated(total), star)])
        return negated(total) if token[0] in DOWNS else total

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
        if self.tokens[i][1] == "(" or (
            self.tokens[i][1] == "{" and not self.bars(i + 1, self.partner[i])
        ):
            end = self.partner[i]
            left = self.options(i + 1, end)
            if not left:
                raise self.wrong(end)
            i = end + 1
        else:
            g, i = self.term(i)
            left = [g]
        return canonical(left, [negated(h) for h in left]), i

    def bars(self, low: int, high: int) -> list[tuple[int, int]]:
        """The rows of bars between two places, outside of any brackets there: length, place."""
        found, i = [], low
        while i < high:
            i = self.partner.get(i, i)
            if self.tokens[i][0] == "bar":
                found.append((len(self.tokens[i][1]), i))
            i += 1
        return found

    def braces(self, low: int, high: int) -> Short:
        """The value of what stands between braces, parted at the longest row of bars."""
        bars = self.bars(low, high)
        longest = max(bars, default=(0, high))[0]
        middle = [i for length, i in bars if length == longest]
        if len(middle) != 1:
            raise self.wrong(middle[1] if middle else high)
        return canonical(self.part(low, middle[0]), self.part(middle[0] + 1, high))

    def part(self, low: int, high: int) -> list[Short]:
        """The options on one side of a bar: a list, or one value with shorter bars."""
        return [self.braces(low, high)] if self.bars(low, high) else self.options(low, high)

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


def _ups(token: str) -> int:
    """How many ups a token stands for: ^^ and ^2 are two."""
    signs = token.rstrip("0123456789")
    ups = int(token[len(signs) :] or 1) * (2 if signs[0] in "⇑⇓" else 1) + len(signs) - 1
    return -ups if signs[0] in DOWNS else ups


def _tiny(threat: Short, *, below: bool) -> Short:
    """{0 || 0 | -threat}, or its negative."""
    g = canonical([ZERO], [canonical([ZERO], [negated(threat)])])
    return negated(g) if below else g
