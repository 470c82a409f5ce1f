"""Features that are not emulated: from an instruction's text to the feature's name in CUDA."""

from __future__ import annotations

import re

_FEATURES = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"(cp|red|st)\.(reduce\.)?async\b", "copies in bulk of this form (such as im2col)"),
        (r"tensormap\.", "tensor maps that a kernel changes (tensormap.replace)"),
        (r"wgmma\.", "wgmma of this form (sparse, or of bits)"),
        (r"wmma\.", "wmma (nvcuda::wmma) of bits or 4-bit integers"),
        (r"tcgen05\.", "tcgen05 (tensor cores of the fifth generation)"),
        (r"mma\.", "mma of these types and shapes"),
        (r"(ld|st|mov)matrix", "matrices of this form (ldmatrix, stmatrix, movmatrix)"),
        (r"(tex|tld4|txq|istypep)\.", "textures"),
        (r"(suld|sust|sured|suq)\.", "surfaces"),
        (r"clusterlaunchcontrol", "clusters that take the place of others (clusterlaunchcontrol)"),
        (r"multimem\.", "multimem (memory of several GPUs)"),
        (r"call\b.*\b(malloc|free)\b", "memory allocated in device code (malloc, new)"),
        (r"call\b.*\b(cudaLaunch|cudaGetPar|__cudaCDP|cudaDevice)", "dynamic parallelism (launches in device code)"),
        (r"alloca|stacksave|stackrestore", "alloca (memory on the stack whose size is not known)"),
        (r"(atom|red)\.", "this kind of atomic operation"),
        (r"shfl\.(?!sync)|vote\.(?!sync)", "warp instructions without .sync"),
        (r"(ld|st|mov)\b.*\.b128|.*\.b128\b", "registers of 128 bits"),
    )
)  # fmt: skip
_GUARD = re.compile(r"@\s*!?\s*[%\w]+\s+")
_DECLARED = re.compile(r"call(?:\.uni)?\s*(?:\([^)]*\)\s*,)?\s*([$\w]+)")


def feature_of(text: str) -> str:
    """Return the CUDA feature that a PTX instruction belongs to; without one, the instruction's own name."""
    plain = " ".join(_GUARD.sub("", text, count=1).split())
    for pattern, name in _FEATURES:
        if pattern.match(plain):
            return name
    if match := _DECLARED.match(plain):
        return f"the function {match[1]}, which is only declared,"
    return f"the instruction {plain.partition(' ')[0]}" if plain else "this instruction"
