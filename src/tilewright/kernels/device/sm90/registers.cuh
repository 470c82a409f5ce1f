// How many registers the threads of a block of wgmma.cu have: a producer warpgroup, and CONSUMERS that multiply.
#pragma once

#include "device/mma/wgmma_operands.cuh"

constexpr int THREADS = WARPGROUP_THREADS * (CONSUMERS + 1);
// Threads have registers in eights, up to 255 of a multiprocessor's. Where an even share is less, warpgroups reallocate
// them: the producer keeps what its addresses need.
constexpr int REGISTERS_PER_SM = 65536, REGISTER_GROUP = 8, MOST_REGISTERS = 255;
constexpr int REGISTERS = REGISTERS_PER_SM / (THREADS * BLOCKS_PER_SM) / REGISTER_GROUP * REGISTER_GROUP;
constexpr int PRODUCER_REGISTERS = 56;
constexpr int CONSUMER_REGISTERS =
    (REGISTERS * (CONSUMERS + 1) - PRODUCER_REGISTERS) / CONSUMERS / REGISTER_GROUP * REGISTER_GROUP;
constexpr bool REALLOCATES_REGISTERS = REGISTERS < MOST_REGISTERS;
constexpr int REGISTERS_OF_A_CONSUMER =
    REALLOCATES_REGISTERS ? CONSUMER_REGISTERS : MOST_REGISTERS / REGISTER_GROUP * REGISTER_GROUP;
