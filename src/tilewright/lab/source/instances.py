"""Which instances of a file's kernel templates are compiled, and which entry of a PTX module is which kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from tilewright.compile.nvrtc import CompileError
from tilewright.lab.source.cuda_file import SourceError
from tilewright.lab.source.deduction import template_arguments_of
from tilewright.lab.source.macros import words
from tilewright.lab.source.preparing import Prepared
from tilewright.lab.source.signatures import KernelSignature

_ENTRY = re.compile(r"^\s*(?:\.(?:visible|weak)\s+)?\.entry\s+([\w$]+)\s*(?:\((.*?)\))?", re.MULTILINE | re.DOTALL)
_LOCATION = re.compile(r"\.loc\s+(\d+)\s+(\d+)")
_WRONG = re.compile(r'Input name expression was: "(.*)"')
_INSTANCE = re.compile(r"[\w\s:<>,*&()+\-/%.\[\]]+")


def entries(ptx: str) -> dict[str, int]:
    """Return the kernels of a PTX text, each with the number of its parameters."""
    return {match[1]: (match[2] or "").count(".param") for match in _ENTRY.finditer(ptx)}


def match_entries(
    ptx: str, signatures: Sequence[KernelSignature], instances: Mapping[str, KernelSignature]
) -> dict[str, KernelSignature]:
    """Return mangled name -> signature, of the instances that were asked for first: a file may have others.

    An entry is that of its name; of several overloads, that of as many parameters, then that whose lines the entry's
    code names. One that the source does not show (a macro made it) gets a signature without parameters.
    """
    found: dict[str, KernelSignature] = {}
    texts = {match[1]: (match.start(), match.end()) for match in _ENTRY.finditer(ptx)}
    starts = sorted(start for start, _ in texts.values())
    for mangled, count in sorted(entries(ptx).items(), key=lambda entry: entry[0] not in instances):
        if mangled in instances:
            found[mangled] = instances[mangled]
            continue
        likely = [s for s in signatures if is_name_of(mangled, s.name)]
        likely = [s for s in likely if len(s.parameters) == count] or likely
        longest = max((len(s.name) for s in likely), default=0)
        likely = [s for s in likely if len(s.name) == longest]
        if len(likely) > 1:
            start = texts[mangled][1]
            end = next((each for each in starts if each > start), len(ptx))
            lines = {int(line) for _, line in _LOCATION.findall(ptx, start, end)}
            likely = [s for s in likely if any(s.line <= line <= s.last_line for line in lines)] or likely
        found[mangled] = likely[0] if likely else KernelSignature(mangled, (), [], 0, [], mangled)
    return found


def is_name_of(mangled: str, name: str) -> bool:
    """Whether a mangled name is of a function: `_Z6matMulPdS_S_` of matMul, `_ZN4lab56matvecEPf` of lab5::matvec."""
    if mangled == name:
        return True
    return mangled.startswith("_Z") and (
        name in _nested_names(mangled) or re.search(rf"(?<!\d){len(name)}{re.escape(name)}", mangled) is not None
    )


def _nested_names(mangled: str) -> list[str]:
    """Return the namespaces and the name that a mangled name begins with: each has its length in front of it."""
    found, at = [], 3 if mangled.startswith("_ZN") else 2
    while length := re.compile(r"\d+").match(mangled, at):
        at = length.end() + int(length[0])
        found.append(mangled[length.end() : at])
    return found


def instances_of(
    prepared: Prepared, symbol: str | None, template_arguments: Sequence[str]
) -> dict[str, KernelSignature]:
    """Return the instances of kernel templates to compile, `tiled<16>` -> signature.

    Raises:
        SourceError: there is no kernel called `symbol`, or it is a template and its arguments are not known, or it is
            none and gets some.
    """
    wanted = [s for s in prepared.signatures if symbol is None or symbol in (s.name, s.qualified_name)]
    if symbol is not None and not wanted and prepared.signatures:
        known = ", ".join(dict.fromkeys(s.qualified_name for s in prepared.signatures))
        raise SourceError(f"{prepared.file.name} has no kernel called {symbol}; it has {known}.")
    found: dict[str, KernelSignature] = {}
    for signature in wanted:
        if not signature.is_template:
            if template_arguments and symbol is not None:
                raise SourceError(f"{signature.qualified_name} is no template, and takes no template arguments.")
            continue
        lists = _arguments_of_launches(prepared, signature)
        if template_arguments:
            given = list(template_arguments)
            lists = [each for each in lists if each[: len(given)] == given][:1] or [given]
        if not lists and symbol is not None and not _is_instantiated(prepared, signature):
            parameters = ", ".join(signature.template_parameters)
            raise SourceError(
                f"{signature.qualified_name} is a template of <{parameters}>, and no launch in {prepared.file.name} "
                "says which: give its template arguments."
            )
        for arguments in lists:
            text = ", ".join(_typed(*pair) for pair in zip_longest(signature.template_parameters, arguments) if pair[1])
            if not _INSTANCE.fullmatch(text):
                raise SourceError(f"{text!r} are no template arguments: types and numbers are expected.")
            found[f"{signature.qualified_name}<{text}>"] = signature
    return found


def _arguments_of_launches(prepared: Prepared, signature: KernelSignature) -> list[list[str]]:
    """Return the template arguments of a kernel's launches, where what they name is known."""
    found: list[list[str]] = []
    for site in prepared.launches:
        arguments = template_arguments_of(site, signature) if site.kernel == signature.name else None
        if arguments is not None and arguments not in found:
            found.append(arguments)
    return found


def without_unknown(error: CompileError, instances: Mapping[str, KernelSignature]) -> dict[str, KernelSignature]:
    """Return the instances without those that the compiler could not make sense of: what a host template launches."""
    wrong = {"".join(each.split()) for each in _WRONG.findall(error.log)}
    return {name: signature for name, signature in instances.items() if "".join(name.split()) not in wrong}


def _typed(parameter: str | None, argument: str) -> str:
    """Return a template argument; a number as what the parameter is, if that is an enumeration."""
    declared = re.fullmatch(r"(?P<type>[\w:\s]+?)\s*\b\w+\s*(?:=.*)?", parameter or "")
    if declared is None or not argument.isdigit():
        return argument
    is_plain = set(declared["type"].split()) & {"typename", "class", "auto", "int", "unsigned", "long", "bool", "char"}
    return argument if is_plain or declared["type"].endswith("_t") else f"({declared['type']}){argument}"


def _is_instantiated(prepared: Prepared, signature: KernelSignature) -> bool:
    return any(
        item.kind == "instantiation" and signature.name in words(kept.syntax.code[item.start : item.end])
        for kept in prepared.kept
        for item in kept.items
    )
