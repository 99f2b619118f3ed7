"""Blue-red Hackenbush strings as numbers, also strings without end.

A string stands on the ground; its edges, from the bottom up, are the *sign expansion* of a number:
blue is +, red is -. Every surreal number has exactly one, and the larger number is the one whose
string is bluer where the two first differ (nothing lies between red and blue).

    BBBRRBBR   3 - 1/2 - 1/4 + 1/8 + 1/16 - 1/32 = 77/32     finite strings: dyadic fractions
    (BR)       BRBRBR... = 1 - 1/2 + 1/4 - ... = 2/3         (...) is repeated without end
    (B)        ω, larger than every integer
    B(R)       1/ω, positive, but less than 1/2^n for all n
    (B)R       ω - 1: a red edge that stands on infinitely many blue ones
    (B)(R)     ω/2

Strings whose parts repeat are exactly the numbers with finitely many terms c * ω^a (surreal.py)
where a is 0 or a negative integer and c rational, or where a is 1 or half of a negative odd
number and c dyadic. `number` and `string` go one way and the other; both follow Gonshor, An
Introduction to the Theory of Surreal Numbers (1986), chapter 5: the string of ω^a has first one
blue edge, then ω edges for each sign of a; that of c * ω^a continues with the signs of c; and a
sum is the concatenation of its terms, where signs of exponents that follow anyway are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from perfectplay.errors import UsageError
from perfectplay.sums.hackenbush.surreal import Surreal, is_dyadic

BLUE, RED = "B", "R"
OTHER = {BLUE: RED, RED: BLUE}
HINT = "strings are letters from the ground up, as BBRRB; (BR) is repeated without end: B(R)"
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Word:
    """A string of blue and red edges, cut into pieces that are infinitely long and an end."""

    blocks: tuple[tuple[str, str], ...]
    """Each is (before, period): `before`, then `period` again and again. Always in shortest form:
    equal words are equal objects."""
    end: str = ""

    @staticmethod
    def of(blocks: tuple[tuple[str, str], ...], end: str = "") -> Word:
        """The word in shortest form."""
        return Word(tuple(_shortest(*block) for block in blocks), end)

    @staticmethod
    def parse(text: str) -> Word:
        """The word in a text as "BBR", "B(R)" or "BRBR..."; UsageError if there is none.

        Three dots continue what was repeated just before them (BRR... is B(R)), or, if nothing
        was, the whole text: BR... is (BR).
        """
        plain = re.sub(r"\s", "", text).upper().replace("…", "...")
        if plain.endswith("..."):
            plain = _continued(plain.rstrip("."))
        if not re.fullmatch(r"[BR]*(\([BR]+\)[BR]*)*", plain):
            raise UsageError(f"{text!r} is not a string of blue and red edges", HINT)
        pieces = re.findall(r"([BR]*)\(([BR]+)\)", plain)
        return Word.of(tuple(pieces), plain.rpartition(")")[2])

    @property
    def finite(self) -> bool:
        """Whether there are finitely many edges."""
        return not self.blocks

    def __str__(self) -> str:
        return "".join(f"{before}({period})" for before, period in self.blocks) + self.end

    def __neg__(self) -> Word:
        """The string with blue and red exchanged."""
        mirror = str.maketrans(OTHER)
        blocks = ((a.translate(mirror), b.translate(mirror)) for a, b in self.blocks)
        return Word(tuple(blocks), self.end.translate(mirror))

    def split(self) -> tuple[str, Word]:
        """The lowest edge, and the string above it."""
        if not self.blocks:
            return self.end[0], Word((), self.end[1:])
        before, period = self.blocks[0]
        piece = before or period
        left = piece[1:] if before else piece[1:] + period
        return piece[0], Word.of(((left, period), *self.blocks[1:]), self.end)

    def constant(self) -> str:
        """The colour of the first ω edges if they have one in common, else ""."""
        if not self.blocks or self.blocks[0][0] or len(self.blocks[0][1]) > 1:
            return ""
        return self.blocks[0][1]

    def after(self) -> Word:
        """The string above the first ω edges."""
        return Word(self.blocks[1:], self.end)

    def below(self, block: int, place: int) -> Word:
        """What is left if edge `place` of piece `block` is taken; the end is the last piece."""
        if block == len(self.blocks):
            return Word(self.blocks, self.end[:place])
        before, period = self.blocks[block]
        kept = before + period * max(0, -(-(place - len(before)) // len(period)))
        return Word(self.blocks[:block], kept[:place])


def _continued(text: str) -> str:
    """The text before three dots with brackets around what is repeated."""
    for length in range(1, len(text) // 2 + 1):
        if text[-length:] == text[-2 * length : -length] and text[-length:].isalpha():
            return f"{text[:-length]}({text[-length:]})"
    return f"({text})"


def _shortest(before: str, period: str) -> tuple[str, str]:
    """The same edges with the shortest period, and as few as possible before."""
    length = next(
        n
        for n in range(1, len(period) + 1)
        if len(period) % n == 0 and period[:n] * (len(period) // n) == period
    )
    period = period[:length]
    while before and before[-1] == period[-1]:
        before, period = before[:-1], period[-1] + period[:-1]
    return before, period


# -- Finite strings and rational numbers. ---------------------------------------------------------


def string_value(letters: str) -> Fraction:
    """The number of a finite blue-red string: each edge counts 1 up to the first change of
    colour, then 1/2, 1/4, ..."""
    whole = len(letters) - len(letters.lstrip(letters[:1]))
    first = whole if letters[:1] == BLUE else -whole
    rest = letters[whole:]
    return first + Fraction(_digits(rest), 1 << len(rest))


def _digits(letters: str) -> int:
    """The sum of +-1, +-2, +-4, ..., by the colours of edges from the top down."""
    blue = int("0" + letters.replace(BLUE, "1").replace(RED, "0"), 2)
    return 2 * blue - ((1 << len(letters)) - 1)


def periodic_value(before: str, period: str) -> Fraction:
    """The number of a string `before`, then `period` without end, in which colours change for
    ever: a geometric series."""
    while len(set(before)) < 2:
        before += period
    changed = len(before) - len(before.lstrip(before[0]))
    weight = Fraction(1, 1 << (len(before) - changed))
    series = Fraction(_digits(period), (1 << len(period)) - 1)
    return string_value(before) + weight * series


def real_string(number: Fraction) -> Word:
    """The string of a rational number."""
    if number < 0:
        return -real_string(-number)
    whole = number.numerator // number.denominator
    if number == whole:
        return Word((), BLUE * whole)
    letters = BLUE * (whole + 1)
    seen: dict[Fraction, int] = {}
    left = 2 * (number - whole - 1)  # how far the number is, in units of the next edge
    while left:
        if left in seen:
            return Word.of(((letters[: seen[left]], letters[seen[left] :]),))
        seen[left] = len(letters)
        letters += BLUE if left > 0 else RED
        left = 2 * (left - 1 if left > 0 else left + 1)
    return Word((), letters)


# -- From strings to numbers. ---------------------------------------------------------------------


def number(word: Word) -> Surreal:
    """The number of a string: its terms are read off from the bottom."""
    found: list[tuple[str, Fraction]] = []
    while word.blocks or word.end:
        letter, word = word.split()
        exponent, word = _read_exponent(letter, word, found)
        coefficient, word = _read_coefficient(letter, word, high=BLUE in exponent)
        found.append((exponent, coefficient))
    return Surreal((string_value(exponent), coefficient) for exponent, coefficient in found)


def _read_exponent(letter: str, word: Word, found: list[tuple[str, Fraction]]) -> tuple[str, Word]:
    """The string of the exponent of a term that begins with `letter`, and the rest: one sign for
    each ω edges of a colour. A sign + is the last, as after it ω^2 edges would be needed."""
    exponent = _implied("", found)
    while (colour := word.constant()) and BLUE not in exponent:
        word = word.after()
        same = colour == letter
        exponent = exponent + BLUE if same else _implied(exponent + RED, found)
    return exponent, word


def _implied(exponent: str, found: list[tuple[str, Fraction]]) -> str:
    """The exponent with the signs - that are left out, as it must be less than those before."""
    while any(_leaves_out(exponent, term, term is found[-1]) for term in found):
        exponent += RED
    return exponent


def _leaves_out(exponent: str, term: tuple[str, Fraction], last: bool) -> bool:  # noqa: FBT001
    """Whether an earlier term makes a sign - after `exponent` superfluous."""
    other, coefficient = term
    if other.startswith(exponent + RED):
        return True
    return last and other == exponent and not is_dyadic(coefficient)


def _read_coefficient(letter: str, word: Word, *, high: bool) -> tuple[Fraction, Word]:
    """The coefficient of a term, and the rest. Its signs are single edges; if the exponent is
    `high` (has a sign +), each is ω edges of one colour."""
    if high:
        while colour := word.constant():
            letter, word = letter + colour, word.after()
        return string_value(letter), word
    if not word.blocks:
        return string_value(letter + word.end), Word(())
    before, period = word.blocks[0]
    if len(period) > 1:
        return periodic_value(letter + before, period), word.after()
    # The last edge before ω edges of the other colour begins the next term.
    kept = Word(((before[-1], period), *word.blocks[1:]), word.end)
    return string_value(letter + before[:-1]), kept


# -- From numbers to strings. ---------------------------------------------------------------------


def string(value: Surreal | Fraction | int) -> Word:
    """The string of a number; ValueError if ω^2 edges would not be enough for it."""
    blocks: list[tuple[str, str]] = []
    end = ""
    found: list[tuple[str, Fraction]] = []
    for exponent, coefficient in Surreal.of(value).terms:
        signs = _written_exponent(exponent, found)
        found.append((_signs(exponent), coefficient))
        letter, others = real_string(coefficient).split()
        end += letter
        colours = [letter if sign == BLUE else OTHER[letter] for sign in signs]
        if BLUE in signs:  # each sign of the coefficient, too, is ω edges
            if not others.finite:
                raise ValueError(f"the string of {value} would have ω^2 edges or more")
            colours, others = [*colours, *others.end], Word(())
        for colour in colours:
            blocks.append((end, colour))
            end = ""
        for before, period in others.blocks:
            blocks.append((end + before, period))
            end = ""
        end += others.end
    return Word.of(tuple(blocks), end)


def _signs(exponent: Fraction) -> str:
    """The signs of an exponent."""
    if exponent != 1 and (exponent > 0 or (2 * exponent).denominator != 1):
        raise ValueError(f"the string of ω^{exponent} would have ω^2 edges or more")
    return real_string(exponent).end


def _written_exponent(exponent: Fraction, found: list[tuple[str, Fraction]]) -> str:
    """The signs of an exponent that are written down, after the terms found before."""
    signs, kept = _signs(exponent), ""
    for place, sign in enumerate(signs):
        if sign == BLUE or not any(
            _leaves_out(signs[:place], term, term is found[-1]) for term in found
        ):
            kept += sign
    return kept
