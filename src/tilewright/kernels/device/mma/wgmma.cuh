// The tensor cores of Hopper (wgmma): 128 threads multiply a 64 x 16 tile of A by a 16 x N tile of B, asynchronously;
// of tf32, 64 x 8 by 8 x N.
//
// Both tiles are read straight from shared memory, as descriptors say (wgmma_operands.cuh); the sums stay in registers,
// N / 2 per thread.
// Source: PTX ISA, "Asynchronous warpgroup level matrix instructions".
#pragma once

#include "device/mma/wgmma_operands.cuh"

#if A_K_MAJOR
#define WGMMA_A_TRANSPOSED "0"
#else
#define WGMMA_A_TRANSPOSED "1"
#endif
#if JOIN(IS_FLOAT_, ELEMENT)
#define WGMMA_K "k8"
#define WGMMA_TRANSPOSED ""
#else
#define WGMMA_K "k16"
#define WGMMA_TRANSPOSED ", " WGMMA_A_TRANSPOSED ", " WGMMA_B_TRANSPOSED
#endif

#define WGMMA_FORM(a, b, keep, ...)                                                                                    \
    "{\n.reg .pred keep;\nsetp.ne.b32 keep, " keep ", 0;\n"                                                            \
    "wgmma.mma_async.sync.aligned.m64n" VALUE_AS_TEXT(BLOCK_N) WGMMA_K ".f32." WGMMA_TYPES                            \
    " {" JOIN(TEXT_, BLOCK_N) "}, " a ", " b ", keep, 1, 1" WGMMA_TRANSPOSED ";\n}"

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

// Wait until at most GROUPS of the newest groups are still running.
template <int GROUPS> __device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}

// Sums may be read from here on. It emits nothing: it keeps the compiler from reading them before the wait above it.
__device__ __forceinline__ void wgmma_finished(float (&sums)[BLOCK_N / 2])
{
    asm volatile("" : JOIN(SUMS_, BLOCK_N)(sums)::"memory");
}

// Register reallocation: the warps that only copy give registers back to those that multiply; a multiple of 8.
template <int REGISTERS> __device__ __forceinline__ void give_registers_back()
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

template <int REGISTERS> __device__ __forceinline__ void take_registers()
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}
