"""Where a module's shared arrays lie, and what else instructions may name as an address."""

from __future__ import annotations

from tilewright.emulate.ptx.encoded_module import ModuleCode, Symbols
from tilewright.emulate.ptx.parser import Function, Module


def align(offset: int, step: int) -> int:
    """Return the first multiple of `step` from `offset` on."""
    return -(-offset // step) * step


def lay_out_shared(module: Module, bodies: list[Function], code: ModuleCode) -> Symbols:
    """Lay out shared memory: the module's variables, then those of device functions, then each kernel's own."""
    symbols = Symbols({}, {}, {}, {f.name: number for number, f in enumerate(bodies)})
    offset = 0
    for index, variable in enumerate(module.variables):
        if variable.space != "shared":
            symbols.variables[variable.name] = index
        elif variable.count == 0:
            symbols.dynamic[variable.name] = variable.align
        else:
            offset = align(offset, variable.align)
            symbols.shared[variable.name] = offset
            offset += variable.nbytes
    for function in sorted(bodies, key=lambda f: f.is_kernel):
        own = offset
        for variable in function.variables:
            if variable.space == "shared":
                if variable.count == 0:
                    symbols.dynamic[variable.name] = variable.align
                    continue
                own = align(own, variable.align)
                symbols.shared[f"{function.name}/{variable.name}"] = own
                own += variable.nbytes
        if not function.is_kernel:
            offset = own
    code.calls += [[0] * 9 for _ in bodies]
    return symbols


def add_shared_sizes(module: Module, bodies: list[Function], code: ModuleCode, symbols: Symbols) -> None:
    """Tell each function which shared arrays it may use, and how much they take."""
    sizes = {v.name: v.nbytes for v in module.variables if v.space == "shared"}
    for function in bodies:
        sizes |= {f"{function.name}/{v.name}": v.nbytes for v in function.variables if v.space == "shared"}
    for function in bodies:
        result = code.functions[function.name]
        result.shared = [
            (name.split("/")[-1], offset, sizes[name])
            for name, offset in symbols.shared.items()
            if "/" not in name
            or name.split("/")[0] == function.name
            or not module.functions[name.split("/")[0]].is_kernel
        ]
        result.shared_bytes = max((offset + nbytes for _, offset, nbytes in result.shared), default=0)
        result.dynamic, result.dynamic_aligns = list(symbols.dynamic), list(symbols.dynamic.values())
