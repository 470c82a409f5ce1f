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
    """One instruction: `@guard opcode operands`, where it is in the source, and its text."""

    opcode: str
    operands: list[str]
    guard: str | None
    line: tuple[int, int]
    text: str


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
    register_ranges: list[tuple[str, str]] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    branch_targets: dict[str, list[str]] = field(default_factory=dict)
    prototypes: dict[str, tuple[list[Variable], list[Variable]]] = field(default_factory=dict)
    has_body: bool = False


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
_LOCATION = re.compile(r"\.loc\s+(\d+)\s+(\d+)[^\n]*")
_FILE = re.compile(r'\.file\s+(\d+)\s+"([^"]*)"[^\n]*')
_LINE_DIRECTIVE = re.compile(r"\.(version|target|address_size)\s+([^\n]*)")
_SECTION = re.compile(r"\.section\b[^{]*\{[^}]*\}")
_SPACE = re.compile(r"\s+")
_VARIABLE = re.compile(
    r"(?:\.(?:visible|extern|weak|common)\s+)*\.(global|const|shared|local|param)\s*((?:\.?[\w.]+\s+)*?)"
    r"([$%\w]+)\s*((?:\[\s*\d*\s*\])*)\s*(?:=\s*(.*))?$",
    re.DOTALL,
)
_REGISTER = re.compile(r"\.reg\s+\.(\w+)\s+(.*)$", re.DOTALL)
_GUARD = re.compile(r"@\s*(!?\s*[%\w]+)\s+")
_NAME = re.compile(r"(?:\((?P<results>[^)]*)\)\s*)?(?P<name>[$%\w]+)\s*(?:\((?P<parameters>[^)]*)\))?", re.DOTALL)

_DIRECTIVES = re.compile(r"(?:\s*\.\w+(?:\s+[\w$%]+(?:\s*,\s*\w+)*)?)*\s*")


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
        self.result = Module()

    def fail(self, what: str) -> PtxSyntaxError:
        line = self.text.count("\n", 0, self.position) + 1
        return PtxSyntaxError(f"PTX line {line}: {what}")

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
                self.result.files[int(match[1])] = match[2]
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
        align = int(words[words.index("align") + 1]) if "align" in words else 0
        kinds = [word for word in words if word in TYPE_BYTES]
        if not kinds:
            raise self.fail(f"unknown type in the declaration {statement[:80]!r}")
        count = None
        if extents:
            count = 1
            for extent in re.findall(r"\[\s*(\d*)\s*\]", extents):
                count *= int(extent or 0)
        values = None
        if initial is not None:
            values = split_operands(
                initial.strip().removeprefix("{").removesuffix("}").replace("{", "").replace("}", "")
            )
        return Variable(name, space, kinds[-1], align or max(TYPE_BYTES[kinds[-1]], 1), count, values)

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
        is_kernel = self.text[:start].endswith("entry")
        head = self.text[start : end.start()].strip()
        match = _NAME.match(head)
        if match is None or not _DIRECTIVES.fullmatch(head, match.end()):
            raise self.fail(f"cannot read the head of a function {' '.join(head.split())[:80]!r}")
        function = Function(
            match["name"], is_kernel, self.parameters(match["parameters"]), self.parameters(match["results"])
        )
        self.position = end.end()
        previous = self.result.functions.get(function.name)
        if previous is None or not previous.has_body:
            self.result.functions[function.name] = function
        if end[0] == "{":
            function.has_body = True
            self.body(function)

    def body(self, function: Function) -> None:
        depth, location, label, scopes = 1, (0, 0), "", 0
        renames: list[dict[str, str]] = [{}]
        while depth:
            if not self.skip_space():
                raise self.fail(f"the body of {function.name} does not end")
            character = self.text[self.position]
            if character == "{":
                self.position += 1
                depth += 1
                renames.append(dict(renames[-1]))
            elif character == "}":
                self.position += 1
                depth -= 1
                renames.pop()
            elif match := self.take(_LOCATION):
                # Line 0 marks code that the compiler made up: it belongs to what came before.
                location = (int(match[1]), int(match[2])) if int(match[2]) else location
            elif match := self.take(_LABEL):
                label = match[1]
                function.labels[label] = len(function.instructions)
            elif match := self.take(_STATEMENT):
                scopes += 1
                self.statement(
                    function, match[0][:-1].strip(), location, label, renames[-1], scopes if depth > 1 else 0
                )
            else:
                raise self.fail(f"cannot read a statement in {function.name}")

    def statement(
        self, function: Function, text: str, location: tuple[int, int], label: str, names: dict[str, str], scope: int
    ) -> None:
        if not text or text.startswith(".pragma"):
            return
        if text.startswith(".reg"):
            self.register(function, text, names, scope)
        elif text.startswith(".branchtargets"):
            function.branch_targets[label] = split_operands(text.removeprefix(".branchtargets"))
            del function.labels[label]
        elif text.startswith(".callprototype"):
            self.prototype(function, label, text)
        elif text.startswith("."):
            variable = self.variable(text)
            if scope:
                names[variable.name] = f"{variable.name}@{scope}"
                variable.name = names[variable.name]
            function.variables.append(variable)
        else:
            function.instructions.append(self.instruction(text, location, names))

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
        for part in split_operands(match[2]):
            if part.endswith(">"):
                function.register_ranges.append((part.partition("<")[0], match[1]))
            else:
                name = part
                if scope:
                    name = names[part] = f"{part}@{scope}"
                function.registers[name] = match[1]

    def instruction(self, text: str, location: tuple[int, int], names: dict[str, str]) -> Instruction:
        match = _GUARD.match(text)
        guard, rest = (match[1].replace(" ", ""), text[match.end() :]) if match else (None, text)
        opcode, *remaining = rest.split(None, 1)
        operands = split_operands(remaining[0]) if remaining else []
        if names:
            operands = [_rename(operand, names) for operand in operands]
            guard = _rename(guard, names) if guard else None
        return Instruction(opcode, operands, guard, location, text)


def _rename(operand: str, names: dict[str, str]) -> str:
    return re.sub(r"[$%\w]+", lambda match: names.get(match[0], match[0]), operand)
