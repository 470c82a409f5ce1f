// The tensor cores of Hopper (wgmma): 128 threads multiply a 64 x 16 tile of A by a 16 x N tile of B, asynchronously.
//
// Both tiles are read straight from shared memory; the sums stay in registers, N / 2 per thread. A descriptor of 64
// bits says where a tile lies. Tiles are rows of 128 bytes (64 elements), eight rows to an atom of 1024 bytes, in which
// the 16-byte pieces of row r stand at place (piece XOR r): so eight threads that read one column of pieces touch all
// 32 banks. The copy engine writes exactly this swizzle.
//   K-major:  a row of 128 bytes is 64 consecutive k of one row of A (or column of B);
//   MN-major: a row of 128 bytes is 64 consecutive rows of A (or columns of B) at one k.
// Sixteen-bit types may be either, so neither operand is ever transposed in memory.
// Source: PTX ISA, "Asynchronous warpgroup level matrix instructions".
#pragma once

#include "device/mma/wgmma_operands.cuh"

#if A_K_MAJOR
#define WGMMA_A_TRANSPOSED "0"
#else
#define WGMMA_A_TRANSPOSED "1"
#endif

#define WGMMA_FORM(a, b, keep)                                                                                         \
    "{\n.reg .pred keep;\nsetp.ne.b32 keep, " keep ", 0;\n"                                                            \
    "wgmma.mma_async.sync.aligned.m64n" VALUE_AS_TEXT(BLOCK_N) "k16.f32." WGMMA_TYPES " {" JOIN(TEXT_, BLOCK_N) "}, "  \
    a ", " b ", keep, 1, 1, " WGMMA_A_TRANSPOSED ", " WGMMA_B_TRANSPOSED ";\n}"

// sums = A B, or sums += A B when `keep` is not 0. They are readable only after wgmma_wait.
__device__ __forceinline__ void wgmma(float (&sums)[BLOCK_N / 2], unsigned long long a, unsigned long long b, int keep)
{
    asm volatile(JOIN(INPUTS_, BLOCK_N)(WGMMA_FORM) : JOIN(SUMS_, BLOCK_N)(sums) : "l"(a), "l"(b), "r"(keep));
}

// Order the registers and shared memory before the first wgmma that uses them.
__device__ __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_end_group()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Wait until at most `groups` of the newest groups are still running.
template <int groups>
__device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

// Sums may be read from here on. It emits nothing: it keeps the compiler from reading them before the wait above it.
__device__ __forceinline__ void wgmma_finished(float (&sums)[BLOCK_N / 2])
{
    asm volatile("" : JOIN(SUMS_, BLOCK_N)(sums)::"memory");
}

// Descriptor of a tile that starts at `address`. Eight rows of 128 bytes are 1024 bytes; `block_bytes` is the distance
// from one block of 64 rows or columns to the next (MN-major only; K-major has one block).
__device__ __forceinline__ unsigned long long tile_descriptor(unsigned address, unsigned block_bytes)
{
    constexpr unsigned long long SWIZZLE_128_BYTES = 1ull << 62;
    return SWIZZLE_128_BYTES | static_cast<unsigned long long>(1024 >> 4) << 32 |
           static_cast<unsigned long long>(block_bytes >> 4) << 16 | ((address & 0x3FFFF) >> 4);
}

// Registers move from the warps that only copy to those that multiply; the count is a multiple of 8.
template <int registers>
__device__ __forceinline__ void give_registers_back()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}

template <int registers>
__device__ __forceinline__ void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
