"""Statements of a random PTX program in which the threads of a warp or a block take part together."""

from __future__ import annotations

from .program_text import COMMON_WORDS, OWN_BYTES, REGISTERS, THREADS, TILE_BYTES, Program, without_nan


def shuffle(p: Program) -> None:
    """Lanes give each other a word; all of them take part."""
    way, clamp = p.random.choice([("up", 0), ("down", 31), ("bfly", 31), ("idx", 31)])
    width = p.random.choice([32, 16, 8])
    mask = (32 - width) << 8 | clamp
    source = p.random.choice([str(p.random.randrange(32)), p.any_of(32)])
    p.add(f"shfl.sync.{way}.b32 {p.any_of(32)}|{p.predicate()}, {p.any_of(32)}, {source}, {mask:#x}, -1;")


def vote(p: Program) -> None:
    """A warp agrees."""
    if p.random.random() < 0.5:
        p.add(f"vote.sync.ballot.b32 {p.any_of(32)}, {p.predicate()}, -1;")
    else:
        p.add(f"vote.sync.{p.random.choice(['any', 'all', 'uni'])}.pred {p.predicate()}, {p.predicate()}, -1;")


def match(p: Program) -> None:
    """Who has the same word, among few."""
    bits = p.random.choice([32, 64])
    p.add("{", f".reg .b{bits} %few;", f"and.b{bits} %few, {p.any_of(bits)}, 3;")
    if p.random.random() < 0.5:
        p.add(f"match.any.sync.b{bits} {p.any_of(32)}, %few, -1;", "}")
    else:
        p.add(f"match.all.sync.b{bits} {p.any_of(32)}|{p.predicate()}, %few, -1;", "}")


def redux(p: Program) -> None:
    """A warp's sum, least, greatest or bits of a word."""
    kind = p.random.choice(
        ["add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32", "or.b32", "xor.b32"]
    )
    p.add(f"redux.sync.{kind} {p.any_of(32)}, {p.any_of(32)}, -1;")


def exchange(p: Program) -> None:
    """Each thread writes its place in shared memory and, after a barrier, reads another's."""
    bits = p.random.choice([16, 32, 64])
    place = p.random.randrange(0, OWN_BYTES, bits // 8)
    p.add(
        "{",
        ".reg .b32 %other;",
        f"st.shared.b{bits} [%own+{place}], {p.any_of(bits)};",
        "bar.sync 0;",
        f"xor.b32 %other, %thread, {p.random.randrange(1, THREADS)};",
        "mov.u32 %x, own;",
        f"mad.lo.u32 %other, %other, {OWN_BYTES}, %x;",
        f"ld.shared.b{bits} {p.any_of(bits)}, [%other+{place}];",
        "bar.sync 0;",
        "}",
    )


def common(p: Program) -> None:
    """All threads of a block change one word, in any order alike; then all of them read it."""
    word = p.random.randrange(COMMON_WORDS)
    kind = p.random.choice(["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"])
    p.add(f"red.shared.{kind} [common+{4 * word}], {p.any_of(32)};", "bar.sync 0;")
    p.add(f"ld.shared.b32 {p.any_of(32)}, [common+{4 * word}];", "bar.sync 0;")


MATRICES = [
    ("m16n8k16", "f32.f16.f16.f32", 4, 4, 2), ("m16n8k8", "f32.f16.f16.f32", 4, 2, 1),
    ("m16n8k16", "f16.f16.f16.f16", 2, 4, 2), ("m16n8k16", "f32.bf16.bf16.f32", 4, 4, 2),
    ("m16n8k8", "f32.bf16.bf16.f32", 4, 2, 1), ("m16n8k8", "f32.tf32.tf32.f32", 4, 4, 2),
    ("m16n8k4", "f32.tf32.tf32.f32", 4, 2, 1), ("m16n8k32", "s32.s8.s8.s32", 4, 4, 2),
    ("m16n8k32", "s32.u8.s8.s32", 4, 4, 2), ("m16n8k16", "s32.u8.u8.s32", 4, 2, 1),
]  # fmt: skip
"""mma.sync: shape, types, and registers of D, A and B."""


def matrix(p: Program) -> None:
    """A warp's product on the tensor cores, of whatever bits there are."""
    if p.random.random() < 0.15:
        matrix_of_float64(p)
        return
    shape, types, sums, of_a, of_b = p.random.choice(MATRICES)
    d = p.random.sample(range(REGISTERS[32]), sums)
    a, b, c = (p.random.choices(range(REGISTERS[32]), k=count) for count in (of_a, of_b, sums))
    saturated = ".satfinite" if types.startswith("s32") and p.random.random() < 0.5 else ""
    operands = ", ".join(_group("w", numbers) for numbers in (d, a, b, c))
    p.add(f"mma.sync.aligned.{shape}.row.col{saturated}.{types} {operands};")


def matrix_of_float64(p: Program) -> None:
    """The same of float64, without NaN."""
    d, (a, b, *c) = p.some_of(64, 2), p.some_of(64, 4)
    for name in (a, b, *c):
        p.add(*without_nan(name))
    operands = f"{{{', '.join(d)}}}, {{{a}}}, {{{b}}}, {{{', '.join(c)}}}"
    p.add(f"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {operands};")


def _group(letter: str, numbers: list[int]) -> str:
    return "{" + ", ".join(f"%{letter}{number}" for number in numbers) + "}"


def bulk_copy(p: Program) -> None:
    """The block's tile goes to global memory in bulk, and comes back a piece further on."""
    done, again, phase = p.label(), p.label(), p.phases % 2
    p.phases += 1
    piece = 16 * p.random.randint(1, TILE_BYTES // 32)
    start, target = (16 * p.random.randint(0, (TILE_BYTES - piece) // 16) for _ in range(2))
    p.add(
        f"st.shared.b64 [%tile], {p.any_of(64)};",
        "fence.proxy.async;",
        "bar.sync 0;",
        f"@%first bra {done};",
        f"cp.async.bulk.global.shared::cta.bulk_group [%tiles], [tile], {TILE_BYTES};",
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group 0;",
        "fence.proxy.async;",
        f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], {piece};",
        "{",
        ".reg .b64 %from;",
        f"add.u64 %from, %tiles, {start};",
        f"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile+{target}], [%from], {piece}, [full];",
        "}",
        f"{done}:",
        "{",
        ".reg .pred %done;",
        f"{again}:",
        f"mbarrier.try_wait.parity.shared::cta.b64 %done, [full], {phase};",
        f"@!%done bra {again};",
        "}",
        f"ld.shared.b64 {p.any_of(64)}, [%tile+8];",
        "bar.sync 0;",
    )


WARPGROUPS = [
    ("k16", "f32.f16.f16", "f", 4, ", 1, 1, 0, 0"), ("k16", "f32.bf16.bf16", "f", 4, ", 1, 1, 0, 0"),
    ("k16", "f16.f16.f16", "r", 2, ", 1, 1, 0, 0"), ("k8", "f32.tf32.tf32", "f", 4, ", 1, 1"),
    ("k32", "f32.e4m3.e5m2", "f", 4, ", 1, 1"), ("k32", "f16.e5m2.e4m3", "r", 2, ", 1, 1"),
    ("k32", "s32.s8.s8", "r", 4, ""), ("k32", "s32.u8.s8", "r", 4, ""),
]  # fmt: skip
"""wgmma.mma_async m64n8: depth, types, kind and number of D's registers, and what follows scale-d."""


def warpgroup(p: Program) -> None:
    """A product of the warpgroup: A and B from the block's tile, without swizzle, D added to or written."""
    p.needs_sm90a = True
    depth, types, kind, count, after = p.random.choice(WARPGROUPS)
    numbers = p.random.sample(range(REGISTERS[32]), count)
    saved = [f"mov.b32 %d{i}, %w{number};" for i, number in enumerate(numbers)]
    results = [f"mov.b32 %w{number}, %d{i};" for i, number in enumerate(numbers)]
    d = ", ".join(f"%d{i}" for i in range(count))
    register = ".f32" if kind == "f" else ".b32"
    # Rows of 16 bytes, 8 of them a core matrix of 128 bytes; the second along k 128 bytes on, the next rows 256.
    fields = (128 >> 4) << 16 | (256 >> 4) << 32
    p.add(
        f"st.shared.b64 [%tile+16], {p.any_of(64)};",
        "fence.proxy.async;",
        "bar.sync 0;",
        "{",
        f".reg {register} %d<{count}>;",
        ".reg .b64 %a, %b;",
        ".reg .pred %keep;",
        *saved,
        "mov.u32 %x, tile;",
        "shr.u32 %x, %x, 4;",
        "cvt.u64.u32 %a, %x;",
        f"or.b64 %a, %a, {fields:#x};",
        f"add.u64 %b, %a, {p.random.randrange(0, 1024, 128) // 16};",
        f"setp.ne.b32 %keep, {p.random.randrange(2)}, 0;",
        "wgmma.fence.sync.aligned;",
        f"wgmma.mma_async.sync.aligned.m64n8{depth}.{types} {{{d}}}, %a, %b, %keep{after};",
        "wgmma.commit_group.sync.aligned;",
        "wgmma.wait_group.sync.aligned 0;",
        *results,
        "}",
        "bar.sync 0;",
    )
