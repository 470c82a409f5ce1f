"""What a plan's launches must keep to so that kernels neither hang nor leave memory, read from the launches alone.

The arithmetic is that of the kernels' sources, written anew: it takes macros and arguments, and no class of tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import gcd, prod

from tilewright.choose.plan import Plan
from tilewright.kernels.facts import DeviceFacts
from tilewright.kernels.launch import Launch, Pointer, Scalar, TensorMap, ceil_divide
from tilewright.kernels.operand import DTYPE_BYTES, Operand
from tilewright.kernels.problem import Problem

BYTES_OF_TYPE = {"__half": 2, "__nv_bfloat16": 2, "float": 4, "double": 8}
SWIZZLE_BYTES = (32, 64, 128)
Range = tuple[int, int]


def check_plan(product: Problem, plan: Plan, facts: DeviceFacts) -> None:
    """Fail where a launch breaks a limit, leaves a buffer, waits for what never comes, or misses a part of C."""
    memory = {
        "A": _range_of(product.a, product.element_bytes),
        "B": _range_of(product.b, product.element_bytes),
        "C": _range_of(product.c, product.out_bytes),
        "c_operand": (0, 0) if product.c_operand is None else _range_of(product.c_operand, product.out_bytes),
        "bias": (0, product.n * product.out_bytes if product.epilogue.bias else 0),
        "workspace": (0, plan.workspace_bytes),
    }
    products = Fraction(0)
    for launch in plan.launches:
        _check_limits(launch, facts)
        for argument in launch.arguments.values():
            if isinstance(argument, Scalar) and argument.ctype == "int":
                assert -(2**31) <= argument.value < 2**31
            if isinstance(argument, Pointer) and product.k > 0:
                assert memory[argument.buffer][0] <= argument.offset_bytes <= memory[argument.buffer][1]
            if isinstance(argument, TensorMap):
                operands = {"A": product.a, "B": product.b, "C": product.c, "c_operand": product.c_operand}
                operand = operands.get(argument.buffer)
                aligned = 256 if operand is None else operand.alignment_bytes
                _check_map(argument, memory[argument.buffer], aligned)
        _check_waiting_sums(launch, plan.workspace_bytes)
        products += COVERED[launch.kernel](launch, product)
    if product.batch_count * product.m * product.n == 0:
        assert not plan.launches
    else:
        assert products == product.batch_count


def _check_waiting_sums(launch: Launch, workspace_bytes: int) -> None:
    """Each block has a place of its own, in vectors of 16 bytes, for the sums of chunks that wait in memory."""
    macros = dict(launch.macros)
    if macros.get("K_IN_CHUNKS") == "1":
        at = launch.arguments["workspace"]
        assert isinstance(at, Pointer)
        assert (at.buffer, at.offset_bytes % 16) == ("workspace", 0)
        room = 4 * launch.grid[0] * int(macros["BLOCK_M"]) * int(macros["BLOCK_N"])
        assert at.offset_bytes + room <= workspace_bytes


def _range_of(operand: Operand, element_bytes: int) -> Range:
    """The bytes from the first to the last of a matrix or batch, from its address on."""
    steps = [
        (extent - 1) * stride
        for extent, stride in zip(
            operand.shape, (*operand.batch_strides, operand.row_stride, operand.column_stride), strict=True
        )
    ]
    if 0 in operand.shape:
        return (0, 0)
    return (
        sum(min(step, 0) for step in steps) * element_bytes,
        (sum(max(step, 0) for step in steps) + 1) * element_bytes,
    )


def _check_limits(launch: Launch, facts: DeviceFacts) -> None:
    assert 0 < prod(launch.block) <= (facts.max_threads_per_block or 0)
    assert launch.shared_bytes <= (facts.shared_bytes_per_block_optin or 0)
    assert 0 < launch.grid[0] < 2**31
    assert all(0 < extent <= 65_535 for extent in launch.grid[1:])
    assert prod(launch.cluster) <= 8
    assert all(extent % blocks == 0 for extent, blocks in zip(launch.grid, launch.cluster, strict=True))


def _check_map(each: TensorMap, memory: Range, aligned: int) -> None:
    assert len(each.sizes) == len(each.box) == len(each.strides_bytes) + 1 <= 5
    assert all(0 < size <= 2**32 for size in each.sizes)
    assert all(0 < edge <= 256 for edge in each.box)
    assert all(0 < stride < 2**40 and stride % 16 == 0 for stride in each.strides_bytes)
    assert gcd(aligned, each.offset_bytes) % 16 == 0
    element_bytes = 4 if each.dtype == "tfloat32" else DTYPE_BYTES[each.dtype]
    line_bytes = each.box[0] * element_bytes
    assert line_bytes == each.swizzle_bytes in SWIZZLE_BYTES or (line_bytes, each.swizzle_bytes) == (16, 0)
    walked = sum((size - 1) * stride for size, stride in zip(each.sizes[1:], each.strides_bytes, strict=True))
    assert memory[0] <= each.offset_bytes
    assert each.offset_bytes + walked + each.sizes[0] * element_bytes <= memory[1]


def _macros(launch: Launch) -> dict[str, int]:
    return {name: int(value) for name, value in launch.macros if value.lstrip("-").isdigit()}


def _numbers(launch: Launch, *names: str) -> list[int]:
    """Members of the parameter `product`."""
    found = [launch.arguments[f"product.{name}"] for name in names]
    return [int(each.value) for each in found if isinstance(each, Scalar)]


def _check_stage(launch: Launch, macros: dict[str, int]) -> int:
    """That boxes bring the bytes that a stage's barrier waits for; return the bytes of all stages and barriers."""
    a, b = (launch.arguments.get(name, launch.arguments.get(f"{name}[0]")) for name in ("maps.a", "maps.b"))
    assert isinstance(b, TensorMap) != bool(macros.get("B_COPIED", 0))
    classes, by_rows = macros.get("A_ROW_CLASSES", 0), macros.get("A_BY_ROWS", 0)
    assert isinstance(a, TensorMap) != bool(by_rows)
    block_k, cluster_m, cluster_n = macros["BLOCK_K"], macros["CLUSTER_M"], macros["CLUSTER_N"]
    bytes_of_stage, size = 0, BYTES_OF_TYPE[dict(launch.macros)["ELEMENT"]]
    line = 128 // size
    assert size == 2 or macros["B_K_MAJOR"]
    assert size == 2 or macros["A_K_MAJOR"] != macros["A_IN_REGISTERS"]
    sides = []
    if isinstance(b, TensorMap):
        sides.append((b, macros["BLOCK_N"], macros["B_K_MAJOR"], cluster_m))
    else:
        bytes_of_stage += macros["BLOCK_N"] * block_k * size
    if isinstance(a, TensorMap):
        sides.append((a, macros["BLOCK_M"], macros["A_K_MAJOR"], 1 if classes else cluster_n))
    else:
        bytes_of_stage += (macros["BLOCK_M"] + 8) * block_k * size
    for each, extent, k_major, sharing in sides:
        assert each.dtype == "tfloat32" if size == 4 else each.dtype in {"float16", "bfloat16"}
        boxes = sharing * (block_k // line if k_major else ceil_divide(extent, line))
        expected = (extent if k_major else ceil_divide(extent, line) * line) * block_k * size
        assert boxes * prod(each.box) * size == expected
        bytes_of_stage += expected
        batched = bool(macros["BATCHED"]) and not (classes and each is a)
        assert len(each.box) == (4 if batched else 2)
    assert bytes_of_stage % 1024 == 0 or macros["B_K_MAJOR"] == 0
    return macros["STAGES"] * (bytes_of_stage + 16)


def _check_c_operand(launch: Launch, macros: dict[str, int], m: int, n: int) -> None:
    """That boxes of the C operand make up parts of 64 rows, of which each consumer has at least one in a stage."""
    maps = [each for each in launch.arguments.values() if isinstance(each, TensorMap) and each.buffer == "c_operand"]
    assert len(maps) == macros.get("C_OPERAND_STAGED", 0)
    for each in maps:
        size, by_columns = BYTES_OF_TYPE[dict(launch.macros)["C_OPERAND"]], macros["C_OPERAND_BY_COLUMNS"]
        columns = gcd(macros["BLOCK_N"], 128 // size)
        assert each.box[:2] == ((128 // size, columns) if by_columns else (columns, 64))
        assert each.sizes[:2] == ((m, n) if by_columns else (n, m))
        assert len(each.box) == (4 if macros["BATCHED"] else 2)
        b_rows = macros["BLOCK_N"] if macros["B_K_MAJOR"] else ceil_divide(macros["BLOCK_N"], 64) * 64
        part_bytes = 64 * columns * size
        line_bytes = macros["BLOCK_K"] * BYTES_OF_TYPE[dict(launch.macros)["ELEMENT"]]
        room = sum(rows * line_bytes // part_bytes for rows in (macros["BLOCK_M"], b_rows))
        assert room >= macros["CONSUMERS"]
        assert part_bytes % 1024 == 0
        assert not macros.get("A_ROW_CLASSES", 0)


def _covers_wgmma(launch: Launch, product: Problem) -> int:
    macros = _macros(launch)
    m, n, k_blocks, per_split = _numbers(launch, "m", "n", "k_blocks", "k_blocks_per_split")
    splits, group, batches_1, batches = _numbers(launch, "splits", "tile_group", "batches_1", "batches")
    assert macros["STAGES"] >= 2
    assert group >= 1
    stages = _check_stage(launch, macros)
    _check_c_operand(launch, macros, m, n)
    out_bytes = BYTES_OF_TYPE[dict(launch.macros)["OUTPUT"]]
    columns = gcd(macros["BLOCK_N"], (128, 256, 128, 128, 64)[macros["STORE"]] // out_bytes)
    chunks = 2 * 64 * columns * out_bytes
    staging = (chunks, 64 * (columns * out_bytes + 16), 0, chunks, chunks)[macros["STORE"]]
    assert stages + macros["CONSUMERS"] * staging <= launch.shared_bytes
    if macros["STORE"] == 0:
        assert columns * out_bytes >= 32
    assert launch.block[0] == 128 * (macros["CONSUMERS"] + 1)
    classes, more = (8, 10) if macros.get("K_CLASSES") else (1, 0)
    assert (m - more, n - more) in {(product.m, product.n), (product.n, product.m)}
    assert (k_blocks - 1) * macros["BLOCK_K"] < ceil_divide(product.k, classes) <= k_blocks * macros["BLOCK_K"]
    assert splits % classes == 0
    parts = ceil_divide(k_blocks, per_split) if macros.get("K_IN_CHUNKS") else splits // classes
    assert (parts - 1) * per_split < k_blocks <= parts * per_split
    if macros.get("K_IN_CHUNKS"):
        assert (splits, classes, macros.get("STREAM_K", 0), macros["STORE_LATER"]) == (1, 1, 0, 0)
        assert parts > 1
    if classes > 1:
        _check_classes(launch, product)
    cluster = macros["CLUSTER_M"] * macros["CLUSTER_N"]
    assert launch.cluster == (cluster, 1, 1)
    step = 1
    if macros["A_ROW_CLASSES"]:
        step = 8
        assert (splits, macros["CLUSTER_N"]) == (1, 1)
        assert _numbers(launch, "k") == [product.k]
    assert macros["BATCHED"] or (batches_1, batches) == (1, 1)
    assert batches % batches_1 == 0
    down = step * ceil_divide(ceil_divide(m, step), macros["BLOCK_M"] * macros["CLUSTER_M"])
    across = ceil_divide(n, macros["BLOCK_N"] * macros["CLUSTER_N"])
    works = down * across * splits * batches
    assert launch.grid[0] // cluster <= works
    assert works + launch.grid[0] < 2**31
    return batches


def _check_classes(launch: Launch, product: Problem) -> None:
    """That the eight maps of an operand have each k once, from the boundary before it on."""
    steps = {"A": product.a.column_stride, "B": product.b.row_stride}
    for name in ("maps.a", "maps.b"):
        arguments = [launch.arguments[f"{name}[{i}]"] for i in range(8)]
        found = [each for each in arguments if isinstance(each, TensorMap)]
        step = steps.get(found[0].buffer, found[0].strides_bytes[0] // 16)
        assert len(found) == 8
        assert sum(each.sizes[1] for each in found) == product.k
        for i, each in enumerate(found):
            assert each.strides_bytes[0] == 16 * step
            assert 0 <= 2 * i * step - (each.offset_bytes - found[0].offset_bytes) < 16


def _covers_split(launch: Launch, product: Problem) -> int:
    macros = _macros(launch)
    m, n, k_blocks, per_split = _numbers(launch, "m", "n", "k_blocks", "k_blocks_per_split")
    splits, batches_1, batches, in_group = _numbers(launch, "splits", "batches_1", "batches", "group_blocks")
    a, b = launch.arguments["maps.a"], launch.arguments["maps.b"]
    assert isinstance(a, TensorMap)
    assert isinstance(b, TensorMap)
    stage_bytes = 0
    for each, extent, k_major in (
        (a, macros["BLOCK_M"], macros["A_K_MAJOR"]),
        (b, macros["BLOCK_N"], macros["B_K_MAJOR"]),
    ):
        lines = extent if k_major else 64 * ceil_divide(extent, 64)
        assert each.box == (64, extent if k_major else macros["BLOCK_K"], 1, 1)
        assert each.sizes[2] == macros["PLANES"]
        stage_bytes += 2 * lines * macros["BLOCK_K"]
    assert macros["STAGES"] > macros["PLANES"]
    assert macros["STAGES"] * (stage_bytes + 16) <= launch.shared_bytes
    assert sorted((m, n)) == sorted((product.m, product.n))
    assert (k_blocks - 1) * macros["BLOCK_K"] < product.k <= k_blocks * macros["BLOCK_K"]
    assert (splits - 1) * per_split < k_blocks <= splits * per_split
    assert in_group >= 1
    assert macros["BATCHED"] or (batches_1, batches, splits) == (1, 1, 1)
    works = ceil_divide(m, macros["BLOCK_M"]) * ceil_divide(n, macros["BLOCK_N"]) * splits * batches
    assert launch.grid[0] <= works
    assert works + launch.grid[0] < 2**31
    return batches


def _covers_small(launch: Launch, product: Problem) -> int | Fraction:
    macros, (m, n, k_blocks) = _macros(launch), _numbers(launch, "m", "n", "k_blocks")
    (per_split,), parts = _numbers(launch, "k_blocks_per_split"), macros["CLUSTER_K"]
    in_chunks = macros.get("K_IN_CHUNKS", 0)
    assert macros["STAGES"] >= 2 or (per_split == 1 and not in_chunks)
    assert (parts - 1) * per_split < k_blocks
    assert (k_blocks > per_split, in_chunks, parts) == (True, 2, 1) if in_chunks else k_blocks <= parts * per_split
    stages = _check_stage(launch, macros)
    _check_c_operand(launch, macros, m, n)
    sums_bytes = 4 * (parts - 1) * macros["BLOCK_M"] * macros["BLOCK_N"]
    assert stages + sums_bytes <= launch.shared_bytes
    assert parts == 1 or macros["CLUSTER_M"] * macros["CLUSTER_N"] == 1
    if BYTES_OF_TYPE[dict(launch.macros)["OUTPUT"]] == 2:
        lines, along = (macros["BLOCK_N"], 64) if macros["C_BY_COLUMNS"] else (64, macros["BLOCK_N"])
        staged = macros["BLOCK_M"] // 64 * lines * (2 * along + 16)
        if macros.get("PERSISTENT"):
            m_tiles = macros["BLOCK_M"] // 64 // macros["CONSUMERS"]
            assert stages + staged // m_tiles <= launch.shared_bytes
        else:
            assert staged <= stages - 16 * macros["STAGES"]
    assert launch.block[0] == 128 * macros["CONSUMERS"] + 32
    assert (m, n) in {(product.m, product.n), (product.n, product.m)}
    assert (k_blocks - 1) * macros["BLOCK_K"] < product.k <= k_blocks * macros["BLOCK_K"]
    assert launch.cluster == (macros["CLUSTER_M"], macros["CLUSTER_N"], parts)
    if macros.get("PERSISTENT"):
        (tiles,) = _numbers(launch, "tiles")
        assert launch.cluster == (1, 1, 1)
        assert 0 < launch.grid[0] <= tiles < 2**31 - launch.grid[0]
        return Fraction(tiles, ceil_divide(m, macros["BLOCK_M"]) * ceil_divide(n, macros["BLOCK_N"]))
    for size, block, cluster, blocks in zip(
        (m, n), (macros["BLOCK_M"], macros["BLOCK_N"]), launch.cluster, launch.grid, strict=False
    ):
        assert (blocks - cluster) * block < size <= blocks * block
    assert launch.grid[2] == parts or macros["BATCHED"]
    return launch.grid[2] // parts


def _covers_whole(launch: Launch, product: Problem) -> int:
    macros, (m, n, k) = _macros(launch), _numbers(launch, "m", "n", "k")
    assert (m, n) in {(product.m, product.n), (product.n, product.m)}
    assert k == product.k
    assert m <= macros["BLOCK_M"]
    assert n <= macros["BLOCK_N"]
    assert 0 < k <= macros["BLOCK_K"]
    assert launch.block[0] == 2 * macros["BLOCK_M"]
    assert not macros["WGMMA"] or macros["BLOCK_M"] % 64 == 0
    assert macros["BLOCK_M"] % (8 * macros["SPREAD"]) == 0
    return _batches_in_64_bits(launch)


def _covers_strided(launch: Launch, product: Problem) -> int:
    assert _numbers(launch, "m", "n", "k") == [product.m, product.n, product.k]
    return _batches_in_64_bits(launch)


def _covers_direct(launch: Launch, product: Problem) -> int:
    """The grid's blocks are tiles of C, along n, along m, and over the batch."""
    macros = _macros(launch)
    assert _numbers(launch, "m", "n", "k") == [product.m, product.n, product.k]
    sides = (product.n, macros["BLOCK_N"]), (product.m, macros["BLOCK_M"])
    assert launch.grid[:2] == tuple(ceil_divide(size, block) for size, block in sides)
    assert launch.block[0] == 32 * macros["WARPS"]
    assert launch.grid[2] == _batches_in_64_bits(launch)
    return launch.grid[2]


def _covers_rows(launch: Launch, product: Problem) -> int:
    """The grid's blocks are rows of the matrix, and the batch."""
    macros = _macros(launch)
    assert _numbers(launch, "m", "k") == [max(product.m, product.n), product.k]
    assert min(product.m, product.n) == 1
    assert launch.grid[:2] == (ceil_divide(max(product.m, product.n), macros["ROWS"]), 1)
    assert launch.block[0] == 32 * macros["WARPS"]
    assert macros["ROWS"] <= launch.block[0]
    return launch.grid[2]


def _covers_strips(launch: Launch, product: Problem) -> int:
    """The grid's blocks are strips of C's columns, so many rows of them, and the batch."""
    macros, (m, n, k) = _macros(launch), _numbers(launch, "m", "n", "k")
    rows = launch.arguments["rows_per_block"]
    assert isinstance(rows, Scalar)
    assert (m, n) in {(product.m, product.n), (product.n, product.m)}
    assert k == product.k <= 16 * macros["STEPS"]
    assert int(rows.value) % 16 == 0
    across = macros["WARPS"] * macros["STRIP_N"]
    assert launch.grid[:2] == (ceil_divide(n, across), ceil_divide(m, int(rows.value)))
    assert launch.block[0] == 32 * macros["WARPS"]
    assert n * product.out_bytes % macros["C_VECTOR_BYTES"] == 0
    assert launch.grid[2] == _batches_in_64_bits(launch)
    return launch.grid[2]


def _covers_multistage(launch: Launch, product: Problem) -> Fraction:
    """The products, or the part of one that a launch computes where C is cut in two."""
    given, macros = _numbers(launch, "m", "n", "k", "k_per_split", "splits"), dict(launch.macros)
    assert {product.m, product.n} & set(given[:2])
    assert given[2] == product.k
    # Each split has inner indices, and together they have all.
    assert product.k == 0 or (given[4] - 1) * given[3] < product.k <= given[4] * given[3]
    assert given[3] % int(macros["BLOCK_K"]) == 0
    batches = _batches_in_64_bits(launch)
    if macros.get("STREAM_K") == "1":
        _check_shared_tiles(launch, batches)
    return Fraction(batches * given[0] * given[1], product.m * product.n)


def _covers_classes(launch: Launch, product: Problem) -> int:
    """Tiles of all classes cover the longer side of C, and the parts of k all blocks of it; none of them is empty."""
    m, n, k, blocks, per_split = _numbers(launch, "m", "n", "k", "blocks", "blocks_per_split")
    macros = _macros(launch)
    assert (m, n) in {(product.m, product.n), (product.n, product.m)}
    assert k == product.k
    assert n <= macros["BLOCK_N"] <= 16
    lies_along_k, block_k = macros["A_K_MAJOR"], macros["BLOCK_K"]
    assert (blocks - 1) * block_k < (k + 7 if lies_along_k else ceil_divide(k, 8)) <= blocks * block_k
    tiles, splits = launch.grid[0], launch.grid[2]
    assert (splits - 1) * per_split < blocks <= splits * per_split
    if lies_along_k:
        assert tiles == 8 * ceil_divide(ceil_divide(m, 8), macros["BLOCK_M"])
    else:
        assert tiles == ceil_divide(m, macros["BLOCK_M"] - 8)
    stages = macros["STAGES"] * (128 * (macros["BLOCK_M"] + macros["BLOCK_N"]) + 16)
    assert stages + 4 * macros["BLOCK_M"] * (macros["BLOCK_N"] + 1) <= launch.shared_bytes
    assert launch.block[0] == 128 * macros["CONSUMERS"] + 32 + macros["BLOCK_K"]
    return 1


def _covers_few_lines(launch: Launch, product: Problem) -> int:
    """Blocks along the longer of C's sides, the parts of k, which are not empty, and the batch."""
    (m, n, k, per_split, splits), macros = _numbers(launch, "m", "n", "k", "k_per_split", "splits"), _macros(launch)
    assert (m, n) in {(product.m, product.n), (product.n, product.m)}
    assert m <= macros["THREAD_M"]
    assert k == product.k
    assert (splits - 1) * per_split < k <= splits * per_split
    block_n = macros["THREAD_N"] * (macros["WARPS"] if macros["B_K_MAJOR"] else 32)
    assert launch.grid == (ceil_divide(n, block_n), splits, _batches_in_64_bits(launch))
    assert launch.block[0] == 32 * macros["WARPS"]
    return launch.grid[2]


def _covers_outer_products(launch: Launch, product: Problem) -> int:
    """The grid's blocks are strips of C's columns, so many rows of them, and the batch."""
    (m, n, k), macros = _numbers(launch, "m", "n", "k"), _macros(launch)
    rows = launch.arguments["rows_per_block"]
    assert isinstance(rows, Scalar)
    assert (m, n) in {(product.m, product.n), (product.n, product.m)}
    assert k == product.k <= macros["LONGEST"]
    across = 32 * macros["WARPS"] * macros["THREAD_N"]
    assert launch.grid == (ceil_divide(n, across), ceil_divide(m, int(rows.value)), _batches_in_64_bits(launch))
    assert launch.block[0] == 32 * macros["WARPS"]
    return launch.grid[2]


def _check_shared_tiles(launch: Launch, batches: int) -> None:
    """A block for each whole tile, and more that share the others, each of which has steps along k."""
    shared = {name.partition(".")[2]: value for name, value in launch.arguments.items() if name.startswith("shared.")}
    tiles, whole, blocks, steps = (int(each.value) for each in shared.values() if isinstance(each, Scalar))
    m, n, k, splits = _numbers(launch, "m", "n", "k", "splits")
    macros = {name: int(value) for name, value in launch.macros if value.isdecimal()}
    block_m, block_n = 4 * macros["WARPS_M"] * macros["THREAD_M"], 8 * macros["WARPS_N"] * macros["THREAD_N"]
    assert tiles == ceil_divide(m, block_m) * ceil_divide(n, block_n) * batches
    assert steps == ceil_divide(k, macros["BLOCK_K"])
    assert splits == 1
    assert launch.grid[0] == whole + blocks
    assert 0 < blocks <= (tiles - whole) * steps


def _batches_in_64_bits(launch: Launch) -> int:
    """The number of products, which is a multiple of the inner batch extent."""
    count, inner = _numbers(launch, "batches", "batches_1")
    assert launch.arguments["product.batches"] == Scalar("long long", count)
    assert count % inner == 0
    return count


def _covers_vectors(launch: Launch, product: Problem) -> Fraction:
    """Each team of threads has a product; where several blocks share one, each hands its sum over in the workspace."""
    macros, (k, products, inner) = _macros(launch), _numbers(launch, "k", "products", "products_1")
    assert min(product.m, product.n) == 1
    assert product.k == k
    assert products % inner == 0
    assert launch.block[0] == macros["THREADS"]
    assert launch.grid[0] * (macros["THREADS"] // macros["TEAM"]) >= products
    return Fraction(products, product.m * product.n)


def _covers_nothing(launch: Launch, _: Problem) -> int:
    if "matrix_1.blocks" in launch.arguments:
        blocks = [launch.arguments[f"matrix_{number}.blocks"] for number in (1, 2)]
        assert sum(int(each.value) for each in blocks if isinstance(each, Scalar)) == launch.grid[0]
    return 0


COVERED: dict[str, Callable[[Launch, Problem], int | Fraction]] = {
    "matmul/wgmma": _covers_wgmma,
    "matmul/wgmma_small": _covers_small,
    "matmul/small_batched": _covers_whole,
    "matmul/mma_sync": _covers_strided,
    "matmul/mma_direct": _covers_direct,
    "matmul/matrix_vector": _covers_rows,
    "matmul/short_k": _covers_strips,
    "matmul/few_lines": _covers_few_lines,
    "matmul/wgmma_classes": _covers_classes,
    "matmul/outer_products": _covers_outer_products,
    "matmul/cuda_cores_16bit": _covers_strided,
    "matmul/mma_sync_float64": _covers_multistage,
    "matmul/cuda_cores_float32": _covers_multistage,
    "matmul/wgmma_split": _covers_split,
    "dot/two_stage": _covers_vectors,
    "matmul/split_float32": _covers_nothing,
    "matmul/largest_exponents": _covers_nothing,
    "matmul/recompute_float32": _covers_nothing,
    "matmul/repack": _covers_nothing,
    "matmul/repack_turned": _covers_nothing,
    "matmul/repack_float32": _covers_nothing,
    "matmul/splitk_reduce": _covers_nothing,
}
"""By kernel: what checks a launch against the kernel's own arithmetic, and returns how many products it computes."""
