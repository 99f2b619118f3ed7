"""Words for random inputs: what users mistype, what nobody would type, and samples to mutate."""

from __future__ import annotations

import random

JUNK = (
    "", " ", "\t", "\n", "-", "--", "---", "=", "==", ",", ",,", ".", "..", "/", "//", "\\", "'",
    '"', "`", "*",
    "?", "!", "#", "%", "%s", "%n", "{}", "{0}", "[]", "()", "None", "nan", "inf", "-inf", "NaN",
    "0x10", "1e3",
    "1e400", "1_000", "١٢٣", "½", "²", "\u22121", "é", "ß", "İ", "\uff50\uff49\uff47", "日本",
    "🎲", "👩\u200d👩\u200d👧", "e\u0301", "\u202e",
    "\u200b", "\ufeff", "\x00", "\x01", "\x07", "\x1b[31m", "\x1b]0;x\x07", "\x7f", "\x85",
    "\udc80", "a" * 300,
    "9" * 400, "(" * 200, "{" * 60, "pig", "nim", "true", "False", "self", "__class__", "../..",
    "/etc/passwd",
    "/dev/null", "~", "$HOME", "a b", "-p", "--json", "--help", "rules.py", "rules.py:", ":Steps",
    "rules.py:Nobody",
    "os:system", "perfectplay.games", "tables", ".", "file:///x", "1/0", "0/0", "-0", "+1", "00",
    "1,", ",1", "1,,2",
    "1;2", "1-", "-1-2", "3..1", "1..", "a=b", "=1", "x=", "inf=inf",
)  # fmt: skip
NUMBERS = (
    "0", "1", "2", "3", "5", "7", "10", "12", "-1", "-2", "100", "255", "256", "65536",
    "2147483648",
    "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" + "0" * 30,
    "1" + "0" * 400,
    "0.5", "-0.5", "1.0", "1e2", "1e-9", "1e309",
)  # fmt: skip
SIZES = (
    "64M",
    "1G",
    "500M",
    "0",
    "-1",
    "1",
    "16M",
    "1.5G",
    "1T",
    "1E",
    "M",
    "64",
    "64 M",
    "64m",
    "1e9",
)

POSITIONS = {
    "piglet": (
        "0-0, player 1, total 0", "0-0, player 1, total 1, rolling", "1-2, player 2, total 0",
        "3-3, player 2, total 1", "4-0, player 1, total 0",
    ),
    "nim": ("1 3 5 7", "0 0 0 0", "1 2 3", "7 5 3 1", "1 1 1 1"),
    "star": ("", "xxxxoooo.", "xxxx.oooo", "ooooxxxx. x", "xxxxoooo. x"),
    "hanoi": ("ABCDEF..", "111111", "123456", "FEDCBA||", "0,0,0,0,0,0"),
    "toads": ("TT..FF L", "TT..FF", "T.TF.F", "FF..TT", "TTFF"),
    "steps": ("(0, 1, 2)", "0", "(3,)", "[1]", "{}", "3", "-1", "10**9", "True"),
}  # fmt: skip
"""By the table they are asked about; some are right, all are mutated now and then."""
FENS = (
    "8/8/8/8/8/2k5/1Q6/K7 w - - 0 1", "8/8/8/3k4/8/8/8/KQ6 b - - 0 1",
    "k7/8/1K6/8/8/8/8/7Q w - - 0 1",
    "K7/8/8/8/8/8/8/k6Q w - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - -",
    "8/8/8/1k6/1p6/1P6/1K6/8 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1",
    "8_w", "k_K w",
)  # fmt: skip
NOTATIONS = (
    ("hackenbush", "BBR + RB"), ("hackenbush", "0-a-b-0 BRB"), ("hackenbush", "B(R)"),
    ("hackenbush", "GB + GBG"),
    ("hackenbush", "0-a B, a-b B, a-b R, b-c R"), ("hackenbush", "BRBR..."), ("nim", "1,3,5,7"),
    ("nim", "3"),
    ("game", "{3|1}"), ("game", "{0|*}"), ("game", "{1|{0|-2}}"), ("game", "-1/2"),
    ("game", "^2*"),
    ("game", "{4|0,+-1}"), ("game", "v"), ("game", "*3"), ("game", "{|}"),
    ("game", "3/4 + {2|-2}"),
    ("toads-and-frogs", "TT..FF"), ("clobber", "xox/ox."), ("snort", "L...L 1-2 2-3 3-4 4-5"),
    ("col", "... 1-2 2-3"), ("domineering", "2x3"), ("domineering", "../.."), ("cutcake", "3x2"),
    ("konane", "xo/ox"), ("amazons", "L.R"), ("kayles", "5"), ("octal", "7"), ("rules.py", "3"),
)  # fmt: skip
CODES = (
    "kayles", "0.77", "0.137", "4.(3)", "laskers-nim", "4!.0", "grundys-game", "0.3F",
    "take 1,3,4", "take 1-5",
    "all but 2,5", "0.123", "nim", "0.07", "dawsons-chess", "0.6", "3.3", "take 2", "0.(3)", "0.4",
)  # fmt: skip
MATRICES = (
    "0,1,-1\n-1,0,1\n1,-1,0\n", "1,2\n3,4\n", ",a,b\nx,1/2,3\ny,-1,2/3\n", "5\n", "1 2\n2 1\n",
    "0,0\n0,0\n",
    "(1,2),(3,4)\n(0,0),(1,1)\n", "1;2\n3;0\n",
)  # fmt: skip


def junk(rng: random.Random) -> str:
    """A word that hardly means anything."""
    if rng.random() < 0.8:
        return rng.choice(JUNK)
    return "".join(chr(_code(rng)) for _ in range(rng.randint(1, 8)))


def _code(rng: random.Random) -> int:
    code = rng.choice((rng.randrange(128), rng.randrange(0x2000), rng.randrange(0x110000)))
    return code if not 0xD800 <= code < 0xE000 else 0xFFFD


def number(rng: random.Random) -> str:
    """A number, small or huge, or something like one."""
    return rng.choice(NUMBERS) if rng.random() < 0.85 else junk(rng)


def mutated(rng: random.Random, text: str) -> str:
    """The text with a few characters removed, doubled, exchanged or added."""
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3, 6))):
        at = rng.randint(0, len(text))
        other = rng.randint(0, len(text))
        low, high = min(at, other), max(at, other)
        match rng.randrange(7):
            case 0:
                text = text[:at] + text[at + 1 :]
            case 1:
                text = text[:at] + rng.choice(text or "x") + text[at:]
            case 2:
                text = (
                    text[:at] + rng.choice("0123456789-+*/.,:;|{}()[]<> xoLRBGTFkqKQ") + text[at:]
                )
            case 3:
                text = text[:low] + text[high:] if high - low < 12 else text[:low]
            case 4:
                text = text[:high] + text[low:high] + text[high:] if high - low < 8 else text
            case 5:
                text = text[:at] + junk(rng)[:6] + text[at:]
            case _:
                text = text[:low] + text[low:high][::-1] + text[high:]
    return text
