"""The sizes for which a kernel promises to be right: any, or multiples of its tile, by its text, launch and guards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import lcm

from tilewright.lab.check.expressions import FormulaError, whole
from tilewright.lab.check.sizes import Sizes, row_group
from tilewright.lab.source.macros import code_only, comments_only

from .block_words import GAP, MULTIPLES, SIZE_OF_BLOCK
from .candidate import Found
from .hypotheses import VECTOR
from .kernel_file import KernelFile, parameters_of
from .launches import FormulaLaunch, LaunchError
from .number_words import NUMBER_WORDS
from .roles import PASSED
from .template_guesses import name_of

_GUARD = re.compile(r"\bif\b|\?|\bf?min\s*\(|\bwhile\b")
_NUMBER = rf"\d+|(?<!\w)(?:{'|'.join(NUMBER_WORDS)})"
_ASSUMED = re.compile(
    rf"(?:\b(?:{MULTIPLES}){GAP}(?:the\s+|liczby\s+|số\s+|broj\w*\s+)?(?:a\s+)?[`*(]*(?P<what>\w+))"
    rf"|(?P<number>{_NUMBER})\W?\s*(?:の倍数|で割り切れ|의\s*배수|(?:로|으로)\s*나누어|的倍数|整除|\w*\s*kat[i\u0131]\b"
    r"|\W?\w*\s*bölünebil|\w*\s*többszörös|(?:-\w+)?\s+osztható|teilbar|deelbaar|(?:\W\w+)?\s+(?:jaollinen|monikerta))",
    re.IGNORECASE,
)
"""In the languages of those who wrote in: sizes are multiples of a number, said behind it or before it."""
_DENYING = (
    r"\b(?:not|no|n't|any|arbitrary|never|non|need\s*not|even\s+if|unless|when|if"
    r"|pas|sans|quelconques?|sinon|kein\w*|nicht|beliebig\w*|auch\s+wenn|falls|wenn|geen|niet|ook\s+als|não|nao|nunca|qualquer"
    r"|cualquier\w*|aunque|qualsiasi|anche\s+se|nie|nawet|ikke|inte|ej|nemus\w+|není|nu|не|ані|даже|необязательно)\b"
)
_DENIED = re.compile(rf"(?:{_DENYING}|任意|任何)(?:[^.;\n]{{0,40}}|[ \t]*\n[ \t]*(?://+|\*)?[ \t]*)$", re.IGNORECASE)
"""Words in front of a multiple that deny it, in as many languages; at the end of the line above, too."""
_OF_BLOCK = re.compile(
    rf"{SIZE_OF_BLOCK}|\bblocks?\s+whose\s+size"
    r"|\b(?:threads?|hilos|fils|wątk\w*|tr[aå]d\w*|vláken|szál\w*|iş\s+parça\w*)\b",
    re.IGNORECASE,
)
"""Of what a block has, a multiple says nothing about sizes."""
_OF_SIZE = re.compile(
    r"(?<![\w.'])(?-i:[B-Z])(?!\w)|\b(?:sizes|lengths?|dimens\w*|matri\w*|ve[ck]t\w*|elem\w*|tama[nñ]os)\b",
    re.IGNORECASE,
)
"""Of a size after all, close in front of the multiple, though it has another name in the code."""
NEAR = 25
_CLAUSE = re.compile(r"[.;!?。]\s|\n\s*\n")
_JOINED = re.compile(
    r"(?:\s*[,;/&+]|\s+(?:and|or|und|et|ou|y|e|i|en|og|och|ve|a|\u0438|\u0442\u0430))+\s+|\s*[,/&、和]\s*",
    re.IGNORECASE,
)
"""What stands between two names of a list: `lda, ldb and ldc`."""
_OF_THREADS = re.compile(
    r"(?:block|bloc|bloque|bloco|blocco|blok|blockDim|thread|hilo|fil|draad|wątk|vlák)\w*(?:\.x)?"
    r"(?:[ _-]?(?:size|dim|count|größe))?"
    r"(?:\s*[:=(,]|\s+(?:is|are|be|must|has|have|to|should|may|muss|ist|sein|doit|est"
    r"|être|deve|ser|debe|é|è|essere|musi|być|an?|the|eine?|une?|uma?|un[ao]?|any))*\s*$",
    re.IGNORECASE,
)
"""A block's threads, of which a multiple is said: of warps."""
_EVEN = re.compile(
    r"(?P<what>[^.;:(\n]{1,60})(?:(?<!\w)(?:even|gerade|pair(?:e?s)?|par(?:es)?|pari|parzyst\w+|çift|páros\w*|jämn\w*"
    r"|sud[éáý]|lige|чётн\w+|четн\w+|парн\w+)|偶数|짝수)(?:\s+(?:numbers?|getal\w*|Zahl\w*|liczb\w*))?"
    r"(?=\s*(?:[.,;:)\]、。]|\*/|$))",
    re.IGNORECASE | re.MULTILINE,
)
"""A clause that ends in this word: sizes that it names are multiples of 2."""
_ODD = re.compile(
    r"(?<!\w)(?:odd|ungerade|impair\w*|[ií]mpar\w*|dispari|nieparzyst\w+|tek"
    r"|udda|ulige|oneven|lich[éáý]\w*|páratlan\w*|нечётн\w+|нечетн\w+|непарн\w+)(?!\w)|奇数|홀수",
    re.IGNORECASE,
)
_VECTOR = re.compile(r"\b(?:float|double|u?int|u?short|u?char|(?:__)?half|__nv_bfloat16)([248])\b")
_CAST = re.compile(
    r"(?:_cast\s*<|\(|=)\s*(?:const\s+)?(?P<type>float|double|u?int|u?short|u?char|u?longlong|(?:__)?half|__nv_bfloat16)"
    r"(?P<of>[248])\s*(?:const\s*)?[*&]"
)
_BYTES = {"float": 4, "int": 4, "uint": 4, "char": 1, "uchar": 1, "double": 8, "longlong": 8, "ulonglong": 8}
"""Of the numbers in a vector; the others have two."""
_ANY = re.compile(r"\b(?:any|arbitrary|beliebig\w*)\b", re.IGNORECASE)
_REMAINDER = re.compile(r"(?<!threadIdx\.)(?<!blockIdx\.)\b(?P<size>[A-Za-z_]\w*)\s*%\s*(?P<what>\w+)\s*(?:==|!=)\s*0")
_TAKEN = re.compile(r"\s*\)*\s*(?:\?|\{?\s*(?:\+\+\s*\w|\w+\s*(?:\+\+|\+=)))")
"""Behind a remainder in the code: it makes one more tile, `if (k % T != 0) tiles++`, or one of two values."""
_ROUNDED_UP = re.compile(r"\+\s*\(?\s*\w+\s*-\s*1\s*\)?\s*\)\s*/|\bceil")
_CONDITION = re.compile(r"\b(?:if|while|min|fmin|for)\s*\(")
_ASSIGNED = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*=(?!=)(?P<value>[^;=]+)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ASCII_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
"""A name before letters that no space parts from it: `Kは偶数`."""
_INDEX = re.compile(r"\b(?:threadIdx|blockIdx)\b")
LARGEST_MULTIPLE = 256
DOUBLE = "2*"
"""What the meaning of a name begins with that is even in any case."""
HALF = "/2"
"""What the meaning of a name ends with of which a launch passes twice as much."""
TILES = 24
"""The launch is evaluated at this many whole tiles, and at one row more."""


@dataclass(frozen=True)
class Promise:
    """The sizes that a kernel promises. multiples: the sizes are multiples of this; None for any. said: in words.

    is_note: whether it is a limit that the file states, not the user, so that the report notes it.
    """

    multiples: int | None
    said: str
    is_note: bool = False


def promise_of(kernel: KernelFile, found: Found) -> Promise:
    """Return the promise by the user's option; else by the file; else multiples of the tile.

    A kernel promises every size if its grid or number of tiles is rounded up (`ceil`, `(n + 15) / 16`), or if it
    compares something with a size.
    """
    if kernel.options.multiples_of is not None:
        count = kernel.options.multiples_of
        return Promise(count, f"multiples of {count}, as --multiples-of says")
    if found.roles.fixed:
        said = "sizes that stand in the file: as parameters, or as #define, they could be tried at others"
        return Promise(None, said, is_note=True)
    assumed = _assumed(kernel, found)
    if assumed is not None:
        return Promise(assumed[0], f"multiples of {assumed[0]}, as line {assumed[1]} says", is_note=True)
    if (counted := _counted_vectors(found)) > 1:
        return Promise(counted, f"multiples of {counted}, the elements of the vectors that it counts", is_note=True)
    if found.roles.operation == "matmul" and any(word.endswith(HALF) for _, word in found.roles.constants):
        return Promise(2, "multiples of 2, as its launch passes twice the size of something", is_note=True)
    if _takes_any(kernel, found):
        return Promise(None, "any sizes")
    return Promise(
        found.tile,
        f"multiples of {found.tile}: the kernel has no guard, and its launch does not round up",
        is_note=True,
    )


def _counted_vectors(found: Found) -> int:
    """Return the elements of the vectors that a size counts, as `n4` of a `float4 *`; 1 for sizes in elements."""
    words = [*found.roles.arguments, *dict(found.roles.constants).values()]
    return lcm(*(int(match[1]) for word in words if (match := re.fullmatch(r"inner/([248])", word))))


def says_multiples(text: str) -> bool:
    """Return whether a file speaks of sizes that are multiples of something."""
    return _ASSUMED.search(text) is not None or _REMAINDER.search(text) is not None


def says_even(text: str) -> bool:
    """Return whether a file speaks of even sizes."""
    return _EVEN.search(text) is not None


def says_odd(text: str) -> bool:
    """Return whether a file speaks of odd sizes."""
    return _ODD.search(text) is not None


def _takes_any(kernel: KernelFile, found: Found) -> bool:
    """Return whether the kernel or its grid is made for sizes that are no multiples of the tile."""
    is_rounded = _ROUNDED_UP.search(kernel.body) is not None
    return is_rounded or _is_guarded(kernel, found) or _covers_any(found)


def promise_of_vectors(kernel: KernelFile) -> Promise | None:
    """Return the promise of a kernel whose arguments are arrays of vectors, `float4*` or `half2*`; None for others.

    It is not made by a kernel whose comments speak of any sizes, nor by one that takes vectors from arrays of numbers:
    that one could take the rest one by one.
    """
    text = kernel.opened.file.text
    code = code_only(text)
    types = " ".join(parameter.element_type for parameter in parameters_of(kernel) if parameter.is_pointer)
    widths = [int(match[1]) for match in VECTOR.finditer(types)]
    said = (match for match in _ANY.finditer(text) if not code[match.start() : match.end()].strip())
    if not widths or next(said, None) is not None:
        return None
    return Promise(max(widths), f"multiples of {max(widths)}, the elements of the vectors that it takes", is_note=True)


def promise_of_words(kernel: KernelFile, found: Found) -> Promise | None:
    """Return the promise of a kernel that takes four elements of a byte at once, which needs rows of as many.

    It is not made by a kernel whose comments speak of any sizes.
    """
    comments = comments_only(kernel.opened.file.text)
    is_of_bytes = all(found.dtypes[name].itemsize == 1 for name in found.dtypes if name in ("A", "B"))
    if not is_of_bytes or "__dp4a" not in kernel.body or _ANY.search(comments):
        return None
    return Promise(4, "multiples of 4, the bytes of the words that it takes", is_note=True)


def promise_of_rows(kernel: KernelFile, found: Found) -> Promise | None:
    """Return the promise of a kernel that takes vectors from rows whose length is an argument of its own, or None.

    Whoever passes a leading dimension can make each row begin at a whole vector.
    """
    width = vectors_of_rows(kernel, found)
    said = f"multiples of {width}, so that each row begins at a whole vector"
    return Promise(width, said, is_note=True) if width > 1 else None


def vectors_of_rows(kernel: KernelFile, found: Found) -> int:
    """Return the elements of the vectors that rows are read as, if their length is an argument of its own; or 1."""
    element = min(found.dtypes[name].itemsize for name in found.dtypes if name in ("A", "B"))
    casts = [int(match["of"]) * _BYTES.get(match["type"], 2) // element for match in _CAST.finditer(kernel.body)]
    has_lengths = bool(found.roles.leading) or not found.roles.is_bijective
    return max(1, *casts) if casts and has_lengths and not found.roles.family else 1


def _assumed(kernel: KernelFile, found: Found) -> tuple[int, int] | None:
    """Return the multiple that a comment or a check in the file asks for, with its line."""
    text = kernel.opened.file.text
    code = code_only(text)
    for match in _ASSUMED.finditer(text):
        if code[match.start() : match.end()].strip() or _DENIED.search(
            before := text[max(0, match.start() - 60) : match.start()]
        ):
            continue
        if _is_of_others(kernel, found, before.rpartition("\n")[2]):
            continue  # the rows in memory are, or a block's threads, and the sides may be any
        if _is_of_block(kernel, found, before, code, match.start()):
            continue
        return _multiple(kernel, found, match["what"] or match["number"]), text.count("\n", 0, match.start()) + 1
    if line := _line_of_even(kernel, found, text, code):
        return 2 if _takes_any(kernel, found) else lcm(2, found.tile), line
    sizes = _names_of_sizes(kernel, found) | set(kernel.site.arguments if kernel.site else ())
    for match in _REMAINDER.finditer(text):
        if match["what"] == "2" and words_of_sizes(kernel, found).get(match["size"], "").startswith(DOUBLE):
            continue
        is_comment = not code[match.start() : match.end()].strip()
        is_taken = _TAKEN.match(code, match.end()) or re.search(
            r"\+ ?\(?$", code[max(0, match.start() - 3) : match.start()]
        )
        if not is_comment and is_taken:
            continue
        is_denied = _DENIED.search(text[max(0, match.start() - 60) : match.start()]) or "!" in match[0]
        if match["size"] in sizes - _lengths_of_rows(kernel, found) and not (is_comment and is_denied):
            return _multiple(kernel, found, match["what"]), text.count("\n", 0, match.start()) + 1
    return None


def _is_of_block(kernel: KernelFile, found: Found, before: str, code: str, at: int) -> bool:
    """Return whether a multiple is said of a block's threads, or of a constant that is no size.

    before: the text in front of it. code: of the file, without comments.
    """
    sizes, clause = set(words_of_sizes(kernel, found)), _CLAUSE.split(before)[-1]
    beside = set(_WORD.findall(code[code.rfind("\n", 0, at) + 1 : at]))  # in front of a comment in the same line
    named = set(_WORD.findall(clause)) | beside
    others = {*kernel.constants, *(each.split()[-1] for each in kernel.signature.template_parameters)} - sizes
    if _OF_SIZE.search(clause[-NEAR:]):
        return False
    return not named & sizes and bool(_OF_BLOCK.search(clause) or named & others)


def _is_of_others(kernel: KernelFile, found: Found, before: str) -> bool:
    """Return whether a multiple is said of what is no size: of lengths of rows in memory, of a block, of a constant.

    before: the comment in front of it, as in `lda a multiple of 4`. The names nearest to it are meant, those of a list.
    """
    if _OF_THREADS.search(before):
        return True
    lengths, sizes = _lengths_of_rows(kernel, found), _names_of_sizes(kernel, found)
    others = lengths | (kernel.known_numbers.keys() - sizes) | {*map(name_of, kernel.signature.template_parameters)}
    names = [match for match in _WORD.finditer(before) if match[0] in sizes | others]
    listed = names[-1:]
    for one, other in zip(reversed(names[:-1]), reversed(names), strict=False):
        if not _JOINED.fullmatch(before[one.end() : other.start()]):
            break
        listed.append(one)
    return bool(listed) and {match[0] for match in listed} <= others


def _lengths_of_rows(kernel: KernelFile, found: Found) -> set[str]:
    """Return the names of parameters that are the length of a row in memory."""
    parameters = kernel.signature.parameters
    return {parameters[at].name.rpartition(".")[2] if isinstance(at, int) else at for _, at in found.roles.leading}


def words_of_sizes(kernel: KernelFile, found: Found) -> dict[str, str]:
    """Return what the kernel's numbers and the file's names are, as formulas of rows, inner and cols."""
    return {
        parameter.name: formula
        for parameter, formula in zip(kernel.signature.parameters, found.roles.formulas, strict=True)
        if not parameter.is_pointer
    } | dict(found.roles.constants)


def _line_of_even(kernel: KernelFile, found: Found, text: str, code: str) -> int | None:
    """Return the line of a comment that calls a size even, or None: `n must be even`.

    The rows and columns of a reduced product, and what is twice a size, are even in any case.
    """
    is_reduced = found.roles.operation == "reduced_matmul"
    known = words_of_sizes(kernel, found).items()
    sizes = {name for name, word in known if ("inner" in word or not is_reduced) and not word.startswith(DOUBLE)}
    for match in _EVEN.finditer(text):
        named = sizes & set(_ASCII_WORD.findall(match["what"]))
        is_comment = not code[match.end() - 1 : match.end()].strip()
        if is_comment and named and not _DENIED.search(match["what"]) and not _ODD.search(match["what"]):
            return text.count("\n", 0, match.end()) + 1
    return None


def _multiple(kernel: KernelFile, found: Found, what: str) -> int:
    try:
        value = NUMBER_WORDS.get(what.lower()) or whole(what, kernel.known_numbers)
    except FormulaError:
        return found.tile
    if value < 2 or value > LARGEST_MULTIPLE:
        return found.tile
    return value if _is_guarded(kernel, found) else lcm(value, found.tile)


def _names_of_sizes(kernel: KernelFile, found: Found) -> set[str]:
    """Return the names of sizes in the kernel: parameters, constants, and variables computed from them."""
    parameters = kernel.signature.parameters
    names = {
        p.name.rpartition(".")[2]  # of a struct's field, as in `A.height`
        for p, word in zip(parameters, found.roles.arguments, strict=True)
        if not p.is_pointer and (word[0] == PASSED or not word[0].isdigit())
    }
    names |= {name.partition("[")[0] for name, _ in found.roles.constants}
    indexed: set[str] = set()
    for match in _ASSIGNED.finditer(kernel.body):
        words = set(_WORD.findall(match["value"]))
        if _INDEX.search(match["value"]) or words & indexed:
            indexed.add(match["name"])
        elif words & names:
            names.add(match["name"])
    return names - indexed


def _is_guarded(kernel: KernelFile, found: Found) -> bool:
    """Return whether something is compared with a size, in the kernel (except plain counting loops) or a callee."""
    sizes = _names_of_sizes(kernel, found)
    if any(sizes & set(_WORD.findall(condition)) for condition in _conditions(kernel.body)):
        return True
    own = set(_WORD.findall(kernel.body))
    others = [
        kernel_or_not for kernel_or_not in _functions(code_only(kernel.opened.file.text)) if kernel_or_not[0] in own
    ]
    return any(name != kernel.signature.name and _GUARD.search(body) for name, body in others)


def _conditions(body: str) -> Iterator[str]:
    for match in _CONDITION.finditer(body):
        inside = _inside(body, match.end())
        if match[0].startswith("for"):
            first, _, rest = inside.partition(";")
            if not _INDEX.search(first) and not re.search(r"=\s*(?:row|col|idx|tid|i|j|x|y|gid|index)\b", first):
                continue
            inside = rest.partition(";")[0]
        if re.search(r"[<>]|==|!=|,", inside):
            yield inside
    for match in re.finditer(r"[=(,;{]([^=(,;{}?]*(?:\([^()]*\)[^=(,;{}?]*)*[<>]=?[^;{}?]*)\?", body):
        yield match[1]


def _inside(text: str, start: int) -> str:
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return text[start:]


def _functions(code: str) -> Iterator[tuple[str, str]]:
    """Yield the names of the file's device functions with their text up to the next function."""
    parts = re.split(r"\b__device__\b|\b__global__\b", code)
    for part in parts[1:]:
        match = re.search(r"([A-Za-z_]\w*)\s*\(", re.sub(r"__launch_bounds__\s*\([^)]*\)", "", part))
        if match is not None:
            yield match[1], part


def _covers_any(found: Found) -> bool:
    """Return whether one row beyond whole tiles adds a block, or the grid does not depend on the sizes."""
    if isinstance(found.rule, FormulaLaunch) and found.rule.is_guess:
        return False
    group = row_group(found.roles.operation)
    whole = found.tile * group * TILES
    grids = []
    for size in (whole, whole + group, 2 * whole):
        try:
            grids.append(found.rule.at(found.roles, Sizes(size, size, size).of_operation(found.roles.operation)).grid)
        except LaunchError:
            return False
    return grids[0] != grids[1] or grids[0] == grids[2]
