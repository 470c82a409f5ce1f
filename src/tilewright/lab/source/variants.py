"""Compiles many variants of a kernel at once: copies of its function, each with a change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tilewright.compile.nvrtc import CompileError, options_for_quick_compiles
from tilewright.lab.source.changes import Bounds, Change, ChangeableFunction, Edit, edited
from tilewright.lab.source.changes_of_expressions import changes_of_expressions
from tilewright.lab.source.changes_of_guards import changes_of_guards
from tilewright.lab.source.changes_of_indices import changes_of_indices
from tilewright.lab.source.changes_of_statements import (
    changes_of_barriers,
    changes_of_fills,
    changes_of_loops,
    changes_of_order,
    changes_to_atomics,
    guarded_fills,
)
from tilewright.lab.source.changes_of_sums import changes_of_sums
from tilewright.lab.source.changes_of_terms import changes_of_terms
from tilewright.lab.source.compiling import compile_texts
from tilewright.lab.source.cuda_file import CudaFile, SourceError
from tilewright.lab.source.declarations import Item
from tilewright.lab.source.instances import instances_of, match_entries
from tilewright.lab.source.macros import words
from tilewright.lab.source.preparing import prepare
from tilewright.lab.source.signatures import KernelSignature

_ERROR = re.compile(r"^(.+?)\((\d+)\): (?:catastrophic )?error", re.MULTILINE)
_SUFFIX = "_tilewright_variant_"
_TRIES = 6
_KINDS = {
    "barrier": changes_of_barriers,
    "fill": changes_of_fills,
    "sum": changes_of_sums,
    "loop": changes_of_loops,
    "guard": changes_of_guards,
    "atomic": changes_to_atomics,
    "expression": changes_of_expressions,
    "index": changes_of_indices,
    "order": changes_of_order,
    "term": changes_of_terms,
}


@dataclass(frozen=True)
class CompiledVariants:
    """PTX, and the entry of each change that compiles."""

    ptx: str
    entries: Mapping[Change, str]


class ChangeableKernel:
    """A kernel of a file with the functions that it may call, and all changes of them.

    constants: names of whole numbers of the file's. Raises SourceError for a kernel that is not written out as such.
    """

    def __init__(
        self, file: CudaFile, signature: KernelSignature, bounds: Bounds, constants: Sequence[str],
        template_arguments: Sequence[str],
    ) -> None:  # fmt: skip
        self.file, self.signature, self.template_arguments = file, signature, tuple(template_arguments)
        kept = prepare(file).kept[0]
        functions = [
            item for item in kept.items if item.kind == "function" and item.node is not None and len(item.names) == 1
        ]
        chosen = [item for item in functions if signature.name in item.names and "__global__" in item.annotations]
        if not chosen or chosen[0].node is None or chosen[0].node.child_by_field_name("body") is None:
            raise SourceError(f"{signature.name} is not written out in {file.name}.")
        lines = kept.syntax.lines
        kernel = next((i for i in chosen if lines.at(i.start) <= signature.line <= lines.at(i.end)), chosen[0])
        self._text = file.text
        self._kernel = kernel
        self._helpers = _reached(kept.syntax.code, kernel, functions)
        named = words(kept.syntax.code[kernel.start : kernel.end]) & set(constants)
        self._functions = [
            ChangeableFunction(kept.syntax, item, bounds, sorted(named)) for item in (kernel, *self._helpers)
            if item.node is not None and item.node.child_by_field_name("body") is not None
        ]  # fmt: skip

    def changes(self) -> list[Change]:
        """Return every change once."""
        found = [
            replace(change, mends=change.mends or mends)
            for mends, kind in _KINDS.items()
            for function in self._functions
            for change in kind(function)
        ]
        return list({change.edits: change for change in reversed(found)}.values())[::-1]

    def compiled(
        self, changes: Sequence[Change], defines: Mapping[str, str], more: Sequence[Edit] = ()
    ) -> CompiledVariants:
        """Compile the kernel with each of some changes; those that do not compile are left out.

        more: edits of the file that all variants have, as numbers in place of constants.
        """
        left = list(changes)
        for _ in range(_TRIES):
            text, lines = self._with_copies(left, more)
            try:
                return self._compile(text, left, defines)
            except CompileError as error:
                numbers = {int(line) for name, line in _ERROR.findall(error.log) if name == self.file.name}
                bad = {change for change, (first, last) in lines.items() if any(first <= n <= last for n in numbers)}
                if not bad:
                    break
                left = [change for change in left if change not in bad]
        return CompiledVariants("", {})

    def text_with(self, change: Change) -> str:
        """Return the file's text with a change made."""
        return edited(self._text, change.edits)

    def filled_with(self, number: str) -> str:
        """Return the file's text with a number in each element of shared memory whose load a guard skips."""
        fills = (each for function in self._functions for each in guarded_fills(function, number))
        return edited(self._text, [edit for _, _, edit in fills])

    def _compile(self, text: str, changes: Sequence[Change], defines: Mapping[str, str]) -> CompiledVariants:
        prepared = prepare(replace(self.file, text=text), defines)
        names = {f"{self.signature.name}{_SUFFIX}{number}": change for number, change in enumerate(changes)}
        instances: dict[str, KernelSignature] = {}
        for signature in prepared.signatures:
            if signature.name in names and signature.is_template:
                instances |= instances_of(prepared, signature.qualified_name, self.template_arguments)
        options = options_for_quick_compiles()
        compiled, _, _ = compile_texts(
            prepared, defines=defines, instances=instances, arch="sm_90", limits=None, options=options
        )
        ptx = str(compiled.code)
        found = match_entries(ptx, prepared.signatures, {n: instances[e] for e, n in compiled.lowered_names.items()})
        entries = {names[each.name]: entry for entry, each in found.items() if each.name in names}
        return CompiledVariants(ptx, entries)

    def _with_copies(
        self, changes: Sequence[Change], more: Sequence[Edit]
    ) -> tuple[str, dict[Change, tuple[int, int]]]:
        end = self._kernel.end
        before = edited(self._text[:end], [edit for edit in more if edit.end <= end])
        after = edited(self._text[end:], [Edit(e.start - end, e.end - end, e.text) for e in more if e.start >= end])
        pieces, line, lines = [before], before.count("\n") + 1, {}
        for number, change in enumerate(changes):
            copy = "\n" + "\n".join(self._copies(change, more, number))
            lines[change] = (line + 1, line + copy.count("\n"))
            line += copy.count("\n")
            pieces.append(copy)
        return "".join([*pieces, "\n", after]), lines

    def _copies(self, change: Change, more: Sequence[Edit], number: int) -> Iterator[str]:
        is_of_kernel = change.function == (self._kernel.start, self._kernel.end)
        copied = [self._kernel] if is_of_kernel else [*self._helpers, self._kernel]
        names = "|".join(re.escape(item.names[0]) for item in copied)
        for item in copied:
            edits = [
                Edit(edit.start - item.start, edit.end - item.start, edit.text)
                for edit in (*change.edits, *more)
                if item.start <= edit.start and edit.end <= item.end
            ]
            text = edited(self._text[item.start : item.end], edits)
            yield re.sub(rf"\b({names})\b", lambda match: f"{match[1]}{_SUFFIX}{number}", text)


def _reached(code: str, kernel: Item, functions: Sequence[Item]) -> list[Item]:
    """Return the device functions that a kernel may call, in the order of the text."""
    reached: list[Item] = []
    todo = [kernel]
    while todo:
        named = words(code[todo[-1].start : todo.pop().end])
        new = [
            item for item in functions
            if item not in (kernel, *reached) and item.names[0] in named and "__global__" not in item.annotations
        ]  # fmt: skip
        reached += new
        todo += new
    return sorted(reached, key=lambda item: item.start)
