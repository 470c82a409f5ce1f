// A block of wgmma.cu: how many threads and registers it has.
#pragma once

#include "include/tile.cuh"

constexpr int THREADS = 128 * (CONSUMERS + 1);
// Registers are handed out per warpgroup in eights.
constexpr int REGISTERS = 65536 / (THREADS * BLOCKS_PER_SM) / 8 * 8;
constexpr int PRODUCER_REGISTERS = 56;
constexpr int CONSUMER_REGISTERS = (REGISTERS * (CONSUMERS + 1) - PRODUCER_REGISTERS) / CONSUMERS / 8 * 8;
constexpr bool HAND_OUT_REGISTERS = REGISTERS < 232;
// Results wait in registers and are stored while the next tile is multiplied, if asked for and where registers allow.
// A tile of 128 x 256 would need 232 of them, which a producer with 40 leaves. On an H200 that was tried for both ways
// of storing and did not pay: 4096^3 and 8191^3 took what they take, 64 x 1024^3 3 % longer, with gelu 5 %.
constexpr bool LATER = STORE_LATER && sizeof(OUTPUT) == 2 &&
                       M_TILES * BLOCK_N / 4 * 3 + 40 <= (HAND_OUT_REGISTERS ? CONSUMER_REGISTERS : 248);

static_assert(!A_ROW_CLASSES || (A_K_MAJOR && !B_K_MAJOR && CLUSTER_N == 1), "A along k, B along n, A not shared");
