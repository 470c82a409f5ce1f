"""Encoding branches, calls, barriers and what lanes do together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilewright.emulate import instruction_row as row
from tilewright.emulate import opcodes as op
from tilewright.emulate import state as st
from tilewright.emulate.faults import PtxSyntaxError
from tilewright.emulate.ptx.encode_clusters import encode_cluster_barrier
from tilewright.emulate.ptx.operands import NotEmulated
from tilewright.emulate.ptx.parser import split_operands

if TYPE_CHECKING:
    from tilewright.emulate.ptx.encode import Encoder
    from tilewright.emulate.ptx.encode_rows import Handler
    from tilewright.emulate.ptx.encoded_module import ModuleCode


def _branch(e: Encoder, parts: list[str], operands: list[str]) -> None:
    e.branches.append((e.emit(op.BRANCH), operands[0]))


def _branch_by_table(e: Encoder, parts: list[str], operands: list[str]) -> None:
    slot = e.source(operands[0], "i32")
    if e.guard != (0, 0):
        # The lanes that do not take it branch over it.
        predicate, flip = e.guard
        e.guard = (predicate, ~flip)
        e.emit(op.BRANCH, counted=False, target=len(e.code.rows) + 2)
        e.guard = (0, 0)
    e.table_labels.append((e.emit(op.BRANCH_TABLE, operand_a=slot), e.function.branch_targets[operands[1]]))


def _return(e: Encoder, parts: list[str], operands: list[str]) -> None:
    e.emit(op.EXIT if parts[0] == "exit" or e.function.is_kernel else op.RETURN)


def _trap(e: Encoder, parts: list[str], operands: list[str]) -> None:
    e.emit(op.TRAP)


def _barrier(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Bar / barrier: .sync, .arrive, .red, and bar.warp.sync."""
    words = [p for p in parts[1:] if p not in ("cta", "aligned")]
    if "cluster" in words:
        encode_cluster_barrier(e, words)
        return
    if words[0] == "warp":
        members = e.source(operands[0], "i32")
        _emit_warp_sync(e, "barrier", members, extra_1=-1)
        return
    if words[0] == "red":
        _barrier_reduction(e, words[1], operands)
        return
    kind = {"sync": op.BARRIER_SYNC, "arrive": op.BARRIER_ARRIVE}[words[0]]
    barrier = e.source(operands[0], "i32")
    count = e.source(operands[1], "i32") if len(operands) > 1 else 0
    e.emit(op.BARRIER, kind=kind, operand_a=barrier, operand_b=count, immediate=len(operands) > 1)


def _barrier_reduction(e: Encoder, name: str, operands: list[str]) -> None:
    kind = {"popc": op.BARRIER_POPC, "and": op.BARRIER_AND, "or": op.BARRIER_OR}[name]
    *numbers, predicate = operands[1:]
    barrier = e.source(numbers[0], "i32")
    count = e.source(numbers[1], "i32") if len(numbers) > 1 else 0
    vote = e.source(predicate.lstrip("!"), "p")
    e.emit(
        op.BARRIER,
        kind=kind,
        operand_a=barrier,
        operand_b=count,
        immediate=len(numbers) > 1,
        operand_c=vote,
        extra_2=-1 if predicate.startswith("!") else 0,
        result=e.target(operands[0], "i32" if name == "popc" else "p"),
    )


def _emit_warp_sync(e: Encoder, name: str, members: int, **columns: int) -> None:
    """Append an operation of the lanes of a mask; where lanes may bring different masks, they meet again behind it."""
    e.emit(op.WARP_SYNC, kind=op.WARP_NUMBER[name], operand_d=members, **columns)  # type: ignore[arg-type]
    if members >= 0:
        _emit_join(e)


def _emit_join(e: Encoder) -> None:
    guard, e.guard = e.guard, (0, 0)
    e.emit(op.JOIN, counted=False)
    e.guard = guard


def _results(e: Encoder, text: str, kind: str) -> tuple[int, int]:
    """Return the slots of `d` or `d|p`; -1 for a predicate that is not wanted."""
    first, _, second = (part.strip() for part in text.partition("|"))
    return e.target(first, kind), e.target(second, "p") if second and second != "_" else -1


def _shuffle(e: Encoder, parts: list[str], operands: list[str]) -> None:
    if "sync" not in parts:
        raise NotEmulated(".".join(parts))
    value, offset, control, members = (e.source(text, "i32") for text in operands[1:5])
    result, predicate = _results(e, operands[0], "i32")
    _emit_warp_sync(
        e,
        f"shfl.{parts[2]}",
        members,
        operand_a=value,
        operand_b=offset,
        operand_c=control,
        result=result,
        extra_1=predicate,
        immediate=32,
    )


def _vote(e: Encoder, parts: list[str], operands: list[str]) -> None:
    if "sync" not in parts:
        raise NotEmulated(".".join(parts))
    name = parts[2]
    vote, members = e.source(operands[1].lstrip("!"), "p"), e.source(operands[2], "i32")
    result = e.target(operands[0], "i32" if name == "ballot" else "p")
    flip = -1 if operands[1].startswith("!") else 0
    _emit_warp_sync(e, f"vote.{name}", members, operand_a=vote, result=result, extra_1=-1, extra_2=flip)


def _match(e: Encoder, parts: list[str], operands: list[str]) -> None:
    width = int(parts[-1][1:])
    value, members = e.source(operands[1], f"i{width}"), e.source(operands[2], "i32")
    result, predicate = _results(e, operands[0], "i32")
    _emit_warp_sync(e, f"match.{parts[1]}", members, operand_a=value, result=result, extra_1=predicate, immediate=width)


def _reduce(e: Encoder, parts: list[str], operands: list[str]) -> None:
    value, members = e.source(operands[1], "i32"), e.source(operands[2], "i32")
    result = e.target(operands[0], "i32")
    name = f"redux.{parts[2]}.{parts[-1]}"
    _emit_warp_sync(e, name, members, operand_a=value, result=result, extra_1=-1, immediate=32)


def _elect(e: Encoder, parts: list[str], operands: list[str]) -> None:
    result, predicate = _results(e, operands[0], "i32")
    members = e.source(operands[1], "i32")
    if predicate < 0:
        predicate = e.temporary("p")
    _emit_warp_sync(e, "elect", members, operand_a=members, result=result, extra_1=predicate)


def _active_mask(e: Encoder, parts: list[str], operands: list[str]) -> None:
    e.special("activemask", e.target(operands[0], "i32"), 32)


def _inside(text: str) -> list[str]:
    return split_operands(text.strip()[1:-1])


def _call(e: Encoder, parts: list[str], operands: list[str]) -> None:
    """Call [(results),] name [, (arguments)] [, prototype or list of targets]."""
    results = _inside(operands.pop(0)) if operands[0].startswith("(") else []
    name = operands[0]
    arguments = _inside(operands[1]) if len(operands) > 1 and operands[1].startswith("(") else []
    offsets = [e.local[a] for a in arguments]
    if name == "vprintf":
        _compare_sizes(e, name, [*arguments, *results], [8, 8, 4][: 2 + len(results)])
        returned = e.local[results[0]] if results else -1
        e.emit(op.PRINT, immediate=offsets[0], operand_d=offsets[1], extra_1=returned)
    elif name == "__assertfail":
        _compare_sizes(e, name, arguments, [8, 8, 4, 8, 8])
        message, file, line, function = offsets[:4]
        e.emit(op.ASSERT, immediate=message, operand_d=file, extra_1=line, extra_2=function)
    elif e.frame.is_register(name):
        prototype = e.function.prototypes.get(operands[-1])
        if prototype is None:
            raise NotEmulated("call through a pointer without a prototype")
        e.result.calls_pointers = True
        _emit_call(e, op.CALL_INDIRECT, None, prototype[1], prototype[0], arguments, results, e.source(name, "i64"))
    else:
        callee = e.module.functions.get(name)
        if callee is not None and callee.is_kernel:
            raise PtxSyntaxError(f"{name} is a kernel, which is launched and not called")
        if callee is None or not callee.has_body:
            raise NotEmulated(f"call of {name}, which this module only declares")
        e.result.calls.append(name)
        _emit_call(e, op.CALL, name, callee.parameters, callee.results, arguments, results, 0)


def _compare_sizes(e: Encoder, name: str, given: list[str], wanted: list[int]) -> None:
    """Refuse a call whose arguments and results are not those of the function: they are copied by the latter."""
    sizes = [e.local_bytes[text] for text in given]
    if sizes != wanted:
        raise PtxSyntaxError(f"{name} takes and returns {_sizes(wanted)}, and is given {_sizes(sizes)}")


def _sizes(sizes: list[int]) -> str:
    return f"{', '.join(map(str, sizes))} bytes" if sizes else "nothing"


def _emit_call(e, opcode, name, parameters, declared_results, arguments, results, slot) -> None:  # type: ignore[no-untyped-def]
    """Append a call: what to copy where, in the order in which every function lays out its parameters and results."""
    declared = [variable.nbytes for variable in (*parameters, *declared_results)]
    _compare_sizes(e, name or "the function", [*arguments, *results], declared)
    offset, places = 0, []
    for variable in [*parameters, *declared_results]:
        offset = -(-offset // variable.align) * variable.align
        places.append((offset, variable.nbytes))
        offset += variable.nbytes
    copies = e.code.copies
    first = len(copies)
    copies += [(e.local[a], at, n) for a, (at, n) in zip(arguments, places, strict=False)]
    middle = len(copies)
    copies += [(at, e.local[r], n) for r, (at, n) in zip(results, places[len(parameters) :], strict=False)]
    site = [0] * 9
    site[st.CALL_FIRST_IN], site[st.CALL_LAST_IN] = first, middle
    site[st.CALL_FIRST_OUT], site[st.CALL_LAST_OUT] = middle, len(copies)
    site[st.CALL_CALLEE_LOCAL] = offset
    e.code.calls.append(site)
    number = e.emit(opcode, kind=len(e.code.calls) - 1, operand_a=slot)
    e.call_sites.append((number, name))
    if opcode == op.CALL_INDIRECT:
        # Lanes that call different functions meet again behind the call.
        _emit_join(e)


def resolve_calls(code: ModuleCode, numbers: dict[str, int], sites: list[tuple[int, str | None, str]]) -> None:
    """Fill in targets and sizes once every function has been encoded; `sites`: row, callee, caller."""
    places = _lay_out_frames(code)
    for name, number in numbers.items():
        function = code.functions[name]
        entry = code.calls[number]
        entry[st.CALL_TARGET], entry[st.CALL_FRAME] = function.entry, places[name]
        entry[st.CALL_CALLEE_FRAME], entry[st.CALL_CALLEE_LOCAL] = function.frame_bytes, function.local_bytes
    for number, called, caller in sites:
        site = code.calls[code.rows[number][row.KIND]]
        site[st.CALL_FRAME] = code.frame_step - places[caller]
        site[st.CALL_LOCAL] = code.functions[caller].local_bytes
        if called is not None:
            callee = code.functions[called]
            site[st.CALL_TARGET] = callee.entry
            site[st.CALL_FRAME] += places[called]
            site[st.CALL_CALLEE_FRAME], site[st.CALL_CALLEE_LOCAL] = callee.frame_bytes, callee.local_bytes
        else:
            site[st.CALL_CALLEE_FRAME] = len(numbers)


def _lay_out_frames(code: ModuleCode) -> dict[str, int]:
    """Give every function a place of its own, for lanes of one warp may be in several functions at a time.

    Where functions may call themselves, each level of calls has all these places again, `frame_step` bytes further.
    """
    functions = code.functions.values()
    places = {f.name: 0 for f in functions if f.is_kernel}
    end = max((f.frame_bytes for f in functions if f.is_kernel), default=0)
    for function in functions:
        if not function.is_kernel:
            places[function.name] = end
            end += function.frame_bytes
    code.frame_bytes = end
    if any(f.calls_pointers or _reaches(code, f.name, f.name) for f in functions):
        code.frame_step = end
    return places


def _reaches(code: ModuleCode, start: str, goal: str) -> bool:
    seen: set[str] = set()
    todo = list(code.functions[start].calls)
    while todo:
        name = todo.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            todo += code.functions[name].calls
    return False


HANDLERS: dict[str, Handler] = {
    "bra": _branch,
    "brx": _branch_by_table,
    **dict.fromkeys(("ret", "exit"), _return),
    **dict.fromkeys(("trap", "brkpt"), _trap),
    **dict.fromkeys(("bar", "barrier"), _barrier),
    "shfl": _shuffle,
    "vote": _vote,
    "match": _match,
    "redux": _reduce,
    "elect": _elect,
    "activemask": _active_mask,
    "call": _call,
}
