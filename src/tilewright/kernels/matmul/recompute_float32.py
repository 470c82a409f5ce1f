"""Planning of recompute_float32.cu: the launch behind wgmma_split.cu for what sums of 16-bit parts do not give."""

from __future__ import annotations

from tilewright.kernels.batches import BatchSlice
from tilewright.kernels.epilogue import epilogue_macros, epilogue_pointers, epilogue_scalars, int_arguments
from tilewright.kernels.launch import Launch, Pointer
from tilewright.kernels.matmul.strided import operand_pointers, product_arguments, tiles_of_c

TILE = (128, 128)
THREADS = 256
BLOCKS_PER_SM = 2


def recompute_launch(
    part: BatchSlice, words_offset: int, suspects: tuple[int, int, int, int], sm_count: int, *, is_transposed: bool
) -> Launch:
    """Return the launch for a product, as the kernel before it computes it: already transposed if `is_transposed`.

    ``words_offset``: of its words, in the workspace. ``suspects``: the members of struct Suspects.
    """
    product = part.part
    names = ("columns", "across", "strips", "splits")
    return Launch(
        kernel="matmul/recompute_float32",
        macros=(
            *(each for each in epilogue_macros(product) if each[0] not in {"ELEMENT", "OUTPUT"}),
            ("A_K_MAJOR", str(int(product.a.major != "column"))),
            ("B_K_MAJOR", str(int(product.b.major == "column"))),
        ),
        grid=(min(tiles_of_c(product, TILE), BLOCKS_PER_SM * sm_count), 1, 1),
        block=(THREADS, 1, 1),
        arguments={
            **operand_pointers(part, is_transposed=is_transposed),
            **epilogue_pointers(product, part.c_operand_offset),
            "any_suspect": Pointer("workspace"),
            "words": Pointer("workspace", words_offset),
            **int_arguments("suspects", **dict(zip(names, suspects, strict=True))),
            **product_arguments(product),
            **epilogue_scalars(product, bias_along_rows=is_transposed),
        },
        overlaps_previous=True,
    )
