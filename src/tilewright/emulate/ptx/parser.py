"""PTX text to plain objects: module variables, functions, instructions with their source lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tilewright.emulate.faults import PtxSyntaxError

TYPE_BYTES = {
    "b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2,
    "b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4,
    "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16, "pred": 0,
}  # fmt: skip

MAX_ALIGN_BYTES = 1 << 16


@dataclass(slots=True)
class Variable:
    """A variable or parameter: its space, type, extent and, for module variables, its initial values."""

    name: str
    space: str
    type: str
    align: int
    count: int | None
    initial: list[str] | None = None

    @property
    def nbytes(self) -> int:
        """Size in bytes; 0 for an array of unknown extent (dynamic shared memory)."""
        return TYPE_BYTES[self.type] * (1 if self.count is None else self.count)


@dataclass(slots=True)
class Instruction:
    """One instruction: `@guard opcode operands`, where it is in the source, and its text.

    caller: of code that is inlined, the line of the function that is not, from which it was called.
    """

    opcode: str
    operands: list[str]
    guard: str | None
    line: tuple[int, int]
    text: str
    caller: tuple[int, int] | None = None


@dataclass(slots=True)
class Function:
    """A kernel (`.entry`) or device function (`.func`)."""

    name: str
    is_kernel: bool
    parameters: list[Variable]
    results: list[Variable]
    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    registers: dict[str, str] = field(default_factory=dict)
    register_ranges: dict[str, tuple[str, int]] = field(default_factory=dict)  # stem: type, how many
    variables: list[Variable] = field(default_factory=list)
    branch_targets: dict[str, list[str]] = field(default_factory=dict)
    prototypes: dict[str, tuple[list[Variable], list[Variable]]] = field(default_factory=dict)
    has_body: bool = False
    limits: dict[str, list[int]] = field(default_factory=dict)  # of a launch: `maxntid`, `reqntid`, `reqnctapercluster`

    def register_type(self, name: str) -> str | None:
        """Return the declared type of a register, or None where the name is none."""
        kind = self.registers.get(name)
        if kind is not None:
            return kind
        plain, at, scope = name.partition("@")
        stem = plain.rstrip("0123456789")
        digits = plain[len(stem) :]
        kind, count = self.register_ranges.get(stem + at + scope, ("", 0))
        is_one = digits != "" and len(digits) < 10 and int(digits) < count and digits == str(int(digits))
        return kind if is_one else None


@dataclass(slots=True)
class Module:
    """A parsed PTX module."""

    files: dict[int, str] = field(default_factory=dict)
    variables: list[Variable] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    target: str = ""


_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_HEADER = re.compile(r"(?:\.(?:visible|extern|weak|common)\s+)*\.(entry|func)\b")
_STATEMENT = re.compile(r"[^;{}]*(?:\{[^{}]*\}[^;{}]*)*;")
_LABEL = re.compile(r"([$%\w]+)\s*:(?!:)")
_BRACE_OR_LABEL = re.compile(r"[{}]|(?<![$%\w])[$%\w]+\s*:(?!:)")
_LOCATION = re.compile(r"\.loc\s+(\d+)\s+(\d+)(?:\s+(\d+))?(?:[^\n]*inlined_at\s+(\d+)\s+(\d+)\s+(\d+))?[^\n]*")
_FILE = re.compile(r'\.file\s+(\d+)\s+"([^"]*)"[^\n]*')
_LINE_DIRECTIVE = re.compile(r"\.(version|target|address_size)\s+([^\n]*)")
_SECTION = re.compile(r"\.section\b[^{]*\{[^}]*\}")
_SPACE = re.compile(r"\s+")
_VARIABLE = re.compile(
    r"(?:\.(?:visible|extern|weak|common)\s+)*\.(global|const|shared|local|param)\s*((?:[\w.]+\s+)*?)"
    r"([$%\w]+)\s*((?:\[\s*\d*\s*\])*)\s*(?:=\s*(.*))?$",
    re.DOTALL,
)
_REGISTER = re.compile(r"\.reg\s*\.(\w+)\s+(.*)$", re.DOTALL)
_WORD = re.compile(r"[$%\w]+")
_RANGE = re.compile(r"([$%\w]+)\s*<\s*(\d+)\s*>")
_GUARD = re.compile(r"@\s*(!?\s*[%\w]+)\s+")
_NAME = re.compile(r"(?:\((?P<results>[^)]*)\)\s*)?(?P<name>[$%\w]+)\s*(?:\((?P<parameters>[^)]*)\))?", re.DOTALL)

_DIRECTIVES = re.compile(r"(?:\s*\.\w+(?:\s+[\w$%]+(?:\s*,\s*\w+)*)?)*\s*")

_LIMITS = re.compile(r"\.(maxntid|reqntid|reqnctapercluster)(\d+(?:,\d+)*)")


def parse(text: str) -> Module:
    """Parse a PTX module; raise PtxSyntaxError naming the line that is not understood."""
    return _Parser(_COMMENT.sub(lambda m: "\n" * m[0].count("\n"), text)).module()


def split_operands(text: str) -> list[str]:
    """Split at the commas outside of (), [] and {}."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    if last:
        parts.append(last)
    return parts


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.location = (0, 0)  # of the source, by the last .loc
        self.callers: dict[tuple[int, ...], tuple[int, int] | None] = {}  # of each location: file, line and column
        self.caller: tuple[int, int] | None = None
        self.result = Module()

    def fail(self, what: str) -> PtxSyntaxError:
        """Return the error for what cannot be read here, with the line of the source that it came from, if any."""
        number, line = self.location
        # The files' names may stand behind all the code.
        file = next((match[2] for match in _FILE.finditer(self.text) if _number(match[1]) == number), None)
        place = f"{file}:{line}: " if file and line else f"line {self.text.count(chr(10), 0, self.position) + 1} of "
        return PtxSyntaxError(f"{place}the PTX: {what}", file=file, line=line or None, cause=what)

    def skip_space(self) -> bool:
        match = _SPACE.match(self.text, self.position)
        if match:
            self.position = match.end()
        return self.position < len(self.text)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()
        return match

    def module(self) -> Module:
        while self.skip_space():
            if match := self.take(_LINE_DIRECTIVE):
                if match[1] == "target":
                    self.result.target = match[2].strip()
            elif match := self.take(_FILE):
                self.result.files[_number(match[1])] = match[2]
            elif self.take(_SECTION) or self.take(_LOCATION):
                continue
            elif self.take(_HEADER):
                self.function()
            elif match := self.take(_STATEMENT):
                self.module_statement(match[0][:-1].strip())
            else:
                raise self.fail(f"cannot read {self.text[self.position : self.position + 60].splitlines()[0]!r}")
        return self.result

    def module_statement(self, statement: str) -> None:
        if statement and not statement.startswith((".pragma", ".alias")):
            self.result.variables.append(self.variable(statement))

    def variable(self, statement: str) -> Variable:
        match = _VARIABLE.match(statement)
        if not match:
            raise self.fail(f"cannot read the declaration {statement[:80]!r}")
        space, attributes, name, extents, initial = match.groups()
        words = attributes.replace(".", " ").split()
        align = self.alignment(words[words.index("align") + 1 :][:1], statement) if "align" in words else 0
        kinds = [word for word in words if word in TYPE_BYTES]
        if not kinds:
            raise self.fail(f"unknown type in the declaration {statement[:80]!r}")
        count = None
        if extents:
            count = 1
            for extent in re.findall(r"\[\s*(\d*)\s*\]", extents):
                count *= _number(extent or "0")
        values = None
        if initial is not None:
            values = split_operands(
                initial.strip().removeprefix("{").removesuffix("}").replace("{", "").replace("}", "")
            )
        return Variable(name, space, kinds[-1], align or max(TYPE_BYTES[kinds[-1]], 1), count, values)

    def alignment(self, words: list[str], statement: str) -> int:
        """Return the number behind `.align`."""
        value = _number(words[0]) if words and words[0].isdigit() else 0
        if value <= 0 or value & (value - 1) or value > MAX_ALIGN_BYTES:
            raise self.fail(f"an alignment is a power of two up to {MAX_ALIGN_BYTES}, and not as in {statement[:80]!r}")
        return value

    def parameters(self, text: str | None) -> list[Variable]:
        return [
            self.variable(re.sub(r"\.ptr\b(\s*\.(?:global|shared|const|local))?", "", part))
            for part in split_operands(text or "")
        ]

    def function(self) -> None:
        start = self.position
        end = re.compile(r"[{;]").search(self.text, start)
        if end is None:
            raise self.fail("a function without body or semicolon")
        is_kernel = self.text.endswith("entry", 0, start)
        head = self.text[start : end.start()].strip()
        match = _NAME.match(head)
        if match is None or not _DIRECTIVES.fullmatch(head, match.end()):
            raise self.fail(f"cannot read the head of a function {' '.join(head.split())[:80]!r}")
        function = Function(
            match["name"], is_kernel, self.parameters(match["parameters"]), self.parameters(match["results"])
        )
        function.limits = {
            limit: [_number(size) for size in sizes.split(",")]
            for limit, sizes in _LIMITS.findall("".join(head[match.end() :].split()))
        }
        self.position = end.end()
        previous = self.result.functions.get(function.name)
        if previous is None or not previous.has_body:
            self.result.functions[function.name] = function
        if end[0] == "{":
            function.has_body = True
            self.body(function)

    def body(self, function: Function) -> None:
        depth, label, scopes = 1, "", 0
        self.location, self.caller = (0, 0), None
        renames: list[dict[str, str]] = [{}]
        while depth:
            if not self.skip_space():
                raise self.fail(f"the body of {function.name} does not end")
            character = self.text[self.position]
            if character == "{":
                self.position += 1
                depth += 1
                scopes += 1
                renames.append(renames[-1] | {label: f"{label}@{scopes}" for label in self.labels_of_scope()})
            elif character == "}":
                self.position += 1
                depth -= 1
                renames.pop()
            elif match := self.take(_LOCATION):
                self.locate(match)
            elif match := self.take(_LABEL):
                label = renames[-1].get(match[1], match[1])
                function.labels[label] = len(function.instructions)
            elif match := self.take(_STATEMENT):
                scopes += 1
                self.statement(function, match[0][:-1].strip(), label, renames[-1], scopes if depth > 1 else 0)
            else:
                rest = " ".join(self.text[self.position : self.position + 80].split())
                raise self.fail(f"cannot read {rest!r} as a statement")
        self.location, self.caller = (0, 0), None

    def locate(self, match: re.Match[str]) -> None:
        """Take in a .loc. Line 0 marks code that the compiler made up: it belongs to what came before."""
        if not match[2].strip("0"):
            return
        self.location, self.caller = _two_numbers(match), None
        if match[4]:
            # Where a call is, is a location itself, which came before, and may be inlined.
            call = tuple(_number(match[group]) for group in (4, 5, 6))
            self.caller = self.callers.get(call) or (call[0], call[1])
        self.callers[(*self.location, _number(match[3] or "0"))] = self.caller

    def labels_of_scope(self) -> list[str]:
        """Return the labels between here and the brace that closes the scope: no other scope can branch to them."""
        labels, depth = [], 1
        for match in _BRACE_OR_LABEL.finditer(self.text, self.position):
            depth += {"{": 1, "}": -1}.get(match[0], 0)
            if depth == 0:
                break
            if depth == 1 and match[0].endswith(":"):
                labels.append(match[0][:-1].strip())
        return labels

    def statement(self, function: Function, text: str, label: str, names: dict[str, str], scope: int) -> None:
        if not text or text.startswith(".pragma"):
            return
        if text.startswith(".reg"):
            self.register(function, text, names, scope)
        elif text.startswith(".branchtargets"):
            targets = split_operands(text.removeprefix(".branchtargets"))
            function.branch_targets[label] = [names.get(target, target) for target in targets]
            function.labels.pop(label, None)
        elif text.startswith(".callprototype"):
            self.prototype(function, label, text)
        elif text.startswith("."):
            variable = self.variable(text)
            if scope:
                names[variable.name] = f"{variable.name}@{scope}"
                variable.name = names[variable.name]
            function.variables.append(variable)
        else:
            function.instructions.append(self.instruction(text, self.location, names))

    def prototype(self, function: Function, label: str, text: str) -> None:
        match = re.match(r"\.callprototype\s*(?:\(([^)]*)\))?\s*_\s*(?:\(([^)]*)\))?", text)
        if match is None:
            raise self.fail(f"cannot read {text[:80]!r}")
        function.prototypes[label] = (self.parameters(match[1]), self.parameters(match[2]))
        function.labels.pop(label, None)

    def register(self, function: Function, text: str, names: dict[str, str], scope: int) -> None:
        match = _REGISTER.match(text)
        if not match:
            raise self.fail(f"cannot read {text[:80]!r}")
        if match[1] not in TYPE_BYTES:
            raise self.fail(f"there are no registers of type .{match[1]}")
        for part in split_operands(match[2]):
            many = _RANGE.fullmatch(part)
            name = many[1] if many else part
            if not _WORD.fullmatch(name) or name[0].isdigit():
                raise self.fail(f"cannot read {text[:80]!r}")
            if scope:
                names[f"{name}<" if many else name] = name = f"{name}@{scope}"
            if many:
                function.register_ranges[name] = (match[1], int(many[2][:10]))
            else:
                function.registers[name] = match[1]

    def instruction(self, text: str, location: tuple[int, int], names: dict[str, str]) -> Instruction:
        match = _GUARD.match(text)
        guard, rest = (match[1].replace(" ", ""), text[match.end() :]) if match else (None, text)
        opcode, *remaining = rest.split(None, 1) or [""]
        operands = split_operands(remaining[0]) if remaining else []
        if names:
            operands = [_rename(operand, names) for operand in operands]
            guard = _rename(guard, names) if guard else None
        return Instruction(opcode, operands, guard, location, text, self.caller)


def _number(digits: str) -> int:
    """Return a number, or one beyond every size where it has more digits than Python likes to read."""
    return int(digits) if len(digits) < 20 else 1 << 62


def _two_numbers(match: re.Match[str]) -> tuple[int, int]:
    return _number(match[1]), _number(match[2])


def _rename(operand: str, names: dict[str, str]) -> str:
    """Give names of an inner scope its number: `p` becomes `p@3`, and so does `r7` of a range `r<9>`."""

    def renamed(match: re.Match[str]) -> str:
        name = match[0]
        stem = name.rstrip("0123456789")
        if name in names or f"{stem}<" not in names:
            return names.get(name, name)
        return f"{name}@{names[f'{stem}<'].rpartition('@')[2]}"

    return _WORD.sub(renamed, operand)
