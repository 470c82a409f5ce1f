"""Mutants of a PTX text: tokens and types exchanged, lines moved, numbers made odd."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tilewright.emulate.ptx.signatures import OPCODES

TYPES = (
    *("b8", "u8", "s8", "b16", "u16", "s16", "f16", "bf16", "f16x2", "bf16x2", "b32", "u32", "s32", "f32", "tf32"),
    *("b64", "u64", "s64", "f64", "b128", "pred"),
)
NUMBERS = (
    *("0", "1", "-1", "2", "3", "5", "16", "31", "32", "33", "64", "255", "4096", "65536", "2147483647", "2147483648"),
    *("4294967295", "4294967296", "-2147483648", "9223372036854775807", "18446744073709551616", "2000000000", "08"),
    *("0x7fffffffffffffff", "0xffffffffffffffff", "-9223372036854775808", "0f7fc00000", "0d7ff8000000000000", "1e400"),
    *("99999999999999999999999999999999999999999", "1.5", "0x", "-"),
)
SPACES = ("global", "shared", "local", "const", "param", "shared::cluster", "generic")
WORDS = (
    *(
        "v2",
        "v4",
        "v8",
        "volatile",
        "relaxed.gpu",
        "cc",
        "sat",
        "ftz",
        "wide",
        "hi",
        "lo",
        "sync",
        "x2",
        "x4",
        "approx",
    ),
    *("rn", "to", "and", "cas", "add", "exch", "uni", "async", "bulk", "m8n8", "aligned", "red", "popc", "trans"),
)
LINES = (
    "add.s64 {p}, {d}, {d};", "add.s64 {r}, {d}, 0;", "mov.b64 {d}, {r};", "mov.pred {p}, {r};", "mov.b32 {p}, {r};",
    "ld.global.v4.b32 {{{r}, {r}, {r}, {p}}}, [{d}];", "ld.shared.b64 {r}, [{r}];",
    "st.shared.v2.b64 [{r}], {{{d}, {r}}};", "ld.local.b32 {r}, [{r}+-4];", "st.local.b32 [{d}+2147483647], {r};",
    "ld.b32 {r}, [{p}];", "st.b32 [{r}], {p};", "setp.ne.s32 {r}, {r}, 0;", "selp.b32 {r}, {r}, {r}, {r};",
    "@{r} bra $L__BB0_1;", "@{p} ret;", "@!{p} exit;", "shfl.sync.idx.b32 {d}|{p}, {r}, {r}, 31, -1;",
    "vote.sync.ballot.b32 {p}, {p}, -1;", "bar.sync {d};", "bar.sync 99;", "bar.red.popc.u32 {p}, 0, {p};",
    "atom.global.add.u64 {r}, [{d}], {d};", "atom.shared.cas.b32 {r}, [{r}], {r}, {d};",
    "cp.async.ca.shared.global [{d}], [{r}], 16, {d};", "cp.async.ca.shared.global [{r}], [{d}], 16;",
    "cp.async.wait_all;", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{{r}, {r}, {r}, {d}}}, [{r}];",
    "cvt.u64.u32 {r}, {d};", "cvt.rn.f16x2.f32 {p}, {r}, {r};", "mul.wide.s32 {r}, {r}, {r};",
    "mad.wide.u32 {d}, {r}, {r}, {r};", "popc.b64 {d}, {d};", "bfe.u64 {d}, {d}, {d}, {r};",
    "mov.b64 {{{r}, {p}}}, {d};", "mov.b32 {r}, {{{r}, {r}}};", "mov.u32 {p}, %tid.x;", "mov.u16 {r}, %clock64;",
    "add.u32 {r}, %laneid, %reserved_smem_offset_1;", "call nobody;", ".reg .b64 %wide<2000000000>;",
    "{{ .reg .b128 p; mov.b128 p, p; }}", ".shared .align 65536 .b8 much[4294967296];",
    ".local .align 8 .b8 large[600000];", "brx.idx {d}, T;", "match.all.sync.b64 {d}|{p}, {r}, -1;",
    "elect.sync _|{r}, -1;", "testp.finite.f64 {r}, {d};", "prmt.b32 {d}, {r}, {r}, {r};",
    "lop3.b32 {r}, {r}, {r}, {d}, 300;", "isspacep.local {d}, {r};", "fns.b32 {r}, {r}, {r}, {r};",
    "mov.u64 {d}, nothing;", "trap;", "mbarrier.init.shared.b64 [{r}], 1;", "foo.bar {r};",
)  # fmt: skip
_TOKEN = re.compile(r"%[\w$]+(?:\.\w+)?|[\w$]+|\s+|.", re.DOTALL)
_TYPE = re.compile(r"\.(" + "|".join(sorted(TYPES, key=len, reverse=True)) + r")\b")
_REGISTER = re.compile(r"%(?!tid|ntid|ctaid|nctaid)[a-z]+\d+\b")

Change = Callable[[str, Random], str]


def mutant(text: str, others: list[str], random: Random) -> str:
    """Return the text with one to four changes."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        change = random.choice(CHANGES)
        text = _splice(text, random.choice(others), random) if change is None else change(text, random)
    return text


def _exchange(pattern: re.Pattern[str], text: str, random: Random, replace: Callable[[str], str]) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    match = random.choice(found)
    return text[: match.start()] + replace(match[0]) + text[match.end() :]


def _type(text: str, random: Random) -> str:
    return _exchange(_TYPE, text, random, lambda _: f".{random.choice(TYPES)}")


def _register(text: str, random: Random) -> str:
    names = sorted(set(_REGISTER.findall(text))) or ["%r1"]
    return _exchange(_REGISTER, text, random, lambda _: random.choice(names))


def _number(text: str, random: Random) -> str:
    return _exchange(re.compile(r"(?<=[\s,+\[<(-])\d+\b"), text, random, lambda _: random.choice(NUMBERS))


def _space(text: str, random: Random) -> str:
    pattern = re.compile(r"\.(?:global|shared|local|const|param)\b")
    return _exchange(pattern, text, random, lambda _: f".{random.choice(SPACES)}")


def _opcode(text: str, random: Random) -> str:
    pattern = re.compile(r"(?<=\n\t)[a-z][a-z0-9]*(?=[.\s;])|(?<=; )[a-z][a-z0-9]*(?=[.\s;])")
    return _exchange(pattern, text, random, lambda _: random.choice(sorted(OPCODES)))


def _modifier(text: str, random: Random) -> str:
    pattern = re.compile(r"\.[a-z]\w*")
    return _exchange(pattern, text, random, lambda word: random.choice((f".{random.choice(WORDS)}", "", word * 2)))


def _token(text: str, random: Random) -> str:
    tokens = _TOKEN.findall(text)
    place, other = random.randrange(len(tokens)), random.randrange(len(tokens))
    what = random.randrange(4)
    if what == 0:
        del tokens[place]
    elif what == 1:
        tokens.insert(place, tokens[other])
    elif what == 2:
        tokens[place], tokens[other] = tokens[other], tokens[place]
    else:
        tokens[place] = random.choice((*NUMBERS, "{", "}", "[", "]", "(", ")", ",", ";", "|", "!", "_", "@", "%", ":"))
    return "".join(tokens)


def _line(text: str, random: Random) -> str:
    lines = text.split("\n")
    place, other = random.randrange(len(lines)), random.randrange(len(lines))
    what = random.randrange(3)
    if what == 0:
        del lines[place]
    elif what == 1:
        lines.insert(place, lines[other])
    else:
        lines[place], lines[other] = lines[other], lines[place]
    return "\n".join(lines)


def _insert(text: str, random: Random) -> str:
    """Put an instruction that is wrong for its registers, or odd, behind a statement."""
    names = sorted(set(_REGISTER.findall(text)))
    chosen = {}
    for letter, stem in (("r", "%r"), ("d", "%rd"), ("p", "%p")):
        of_kind = [name for name in names if name.rstrip("0123456789") == stem]
        chosen[letter] = random.choice(of_kind or names or ["%r1"])
    ends = [match.end() for match in re.finditer(r";", text[text.find("{") :])]
    if not ends:
        return text
    at = text.find("{") + random.choice(ends)
    return f"{text[:at]}\n\t{random.choice(LINES).format(**chosen)}\n\t{text[at:]}"


def _list(text: str, random: Random) -> str:
    """Make a list in braces or parentheses longer or shorter."""

    def changed(found: str) -> str:
        parts = found[1:-1].split(",")
        if random.random() < 0.5:
            del parts[random.randrange(len(parts))]
        else:
            parts.insert(0, random.choice(parts))
        return found[0] + ",".join(parts) + found[-1]

    return _exchange(re.compile(r"\{[^{};\n]*\}|\([^();\n]*\)"), text, random, changed)


def _cut(text: str, random: Random) -> str:
    return text[: random.randrange(len(text))] if random.random() < 0.2 else _token(text, random)


def _splice(text: str, other: str, random: Random) -> str:
    lines, theirs = text.split("\n"), other.split("\n")
    start = random.randrange(len(theirs))
    place = random.randrange(len(lines))
    lines[place:place] = theirs[start : start + random.randrange(1, 6)]
    return "\n".join(lines)


CHANGES: tuple[Change | None, ...] = (
    *(_type, _type, _type, _type, _register, _register, _register, _number, _number, _number, _space, _opcode),
    *(_modifier, _modifier, _token, _token, _line, _insert, _insert, _insert, _list, _list, _cut, None),
)
