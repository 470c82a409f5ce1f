// The C operand by the copy engine: a tile's part of it arrives in the stages, behind the last of k.
//
// The epilogue reads as many elements as it stores. Were they asked for when the sums are done, the tensor cores would
// stand still until they come. Here the producer asks for them as for one more tile or two of A and B, and they arrive
// while the last of k is multiplied. What each consumer needs comes in parts of 64 rows and PART_COLUMNS columns, as
// many to a stage as its room for A and for B takes; a consumer reads them in the order in which it finishes its sums.
// C_OPERAND_BY_COLUMNS: the C operand's columns are contiguous, not its rows. A line of a part is then a column, and
// matrices of eight by eight elements are transposed on their way to the registers (ldmatrix.trans).
// Source: PTX ISA, "Warp level matrix load instruction: ldmatrix".
#pragma once

#include "device/epilogue/epilogue.cuh"
#include "device/sm90/stages.cuh"
#include "device/sm90/tile.cuh"
#include "device/sm90/tma.cuh"

#ifndef C_OPERAND_STAGED
#define C_OPERAND_STAGED 0
#endif

#if C_OPERAND_STAGED
constexpr int C_OPERAND_BYTES = sizeof(COperandElement);
constexpr int PART_COLUMNS = power_of_two_in(BLOCK_N, SWIZZLE_BYTES / C_OPERAND_BYTES);
constexpr int PART_BYTES = WARPGROUP_ROWS * PART_COLUMNS * C_OPERAND_BYTES;
constexpr int PARTS_ACROSS = BLOCK_N / PART_COLUMNS;
constexpr int PARTS = M_TILES * PARTS_ACROSS; // of one consumer
constexpr int PARTS_IN_A = A_BYTES / PART_BYTES;
constexpr int PARTS_OF_STAGE = (PARTS_IN_A + B_BYTES / PART_BYTES) / CONSUMERS; // for one consumer
constexpr int C_OPERAND_STAGES = (PARTS + PARTS_OF_STAGE - 1) / PARTS_OF_STAGE;
// A line is at most 128 bytes: along columns, 64 rows of float32 come as two boxes.
constexpr int BOX_ROWS = C_OPERAND_BY_COLUMNS ? SWIZZLE_BYTES / C_OPERAND_BYTES : WARPGROUP_ROWS;
constexpr int BOX_BYTES = BOX_ROWS * PART_COLUMNS * C_OPERAND_BYTES;
constexpr int C_OPERAND_LINE_BYTES = C_OPERAND_BY_COLUMNS ? SWIZZLE_BYTES : PART_COLUMNS * C_OPERAND_BYTES;

// Where the `part`th part in the order of a consumer lies, in the stage that has it.
__device__ __forceinline__ unsigned char* place_of_part(const Stages& stages, int stage, int part, int consumer)
{
    int slot = part % PARTS_OF_STAGE * CONSUMERS + consumer;
    return slot < PARTS_IN_A ? stages.a + stage * A_BYTES + slot * PART_BYTES
                             : stages.b + stage * B_BYTES + (slot - PARTS_IN_A) * PART_BYTES;
}

// Where the boxes of a part begin: the first row of the C operand, or the first column.
__device__ __forceinline__ BoxAt box_of_part(int part, int consumer, int box, const BoxAt& tile)
{
    int row = tile.row + (consumer * M_TILES + part / PARTS_ACROSS) * WARPGROUP_ROWS + box * BOX_ROWS;
    int column = tile.column + part % PARTS_ACROSS * PART_COLUMNS;
    if (C_OPERAND_BY_COLUMNS)
        return {row, column, tile.batch_1, tile.batch_2};
    return {column, row, tile.batch_1, tile.batch_2};
}

// Ask for a tile's part of the C operand, stage after stage, each as soon as it is empty.
__device__ __forceinline__ void load_c_operand(const Stages& stages, Turn& turn, const TensorMap& map,
                                               const BoxAt& tile)
{
#pragma unroll 1
    for (int first = 0; first < PARTS; first += PARTS_OF_STAGE) {
        int end = min(first + PARTS_OF_STAGE, PARTS);
        Barrier* full = &stages.full[turn.stage];
        barrier_wait(&stages.empty[turn.stage], turn.parity ^ 1);
        barrier_arrive_expecting(full, (end - first) * CONSUMERS * PART_BYTES);
#pragma unroll 1
        for (int part = first; part < end; ++part)
            for (int consumer = 0; consumer < CONSUMERS; ++consumer)
                for (int box = 0; box < WARPGROUP_ROWS / BOX_ROWS; ++box)
                    load_box<BATCHED>(place_of_part(stages, turn.stage, part, consumer) + box * BOX_BYTES, map, full,
                                      box_of_part(part, consumer, box, tile));
        turn.next();
    }
}

// Two matrices of eight by eight elements of 16 bits, one below the other, to the two pairs of a lane.
__device__ __forceinline__ void load_matrices(unsigned address, unsigned& above, unsigned& below)
{
#if C_OPERAND_BY_COLUMNS
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(above), "=r"(below)
                 : "r"(address)
                 : "memory");
#else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(above), "=r"(below)
                 : "r"(address)
                 : "memory");
#endif
}

// Four of them: two more to the right.
__device__ __forceinline__ void load_matrices(unsigned address, unsigned& above, unsigned& below, unsigned& above_right,
                                              unsigned& below_right)
{
#if C_OPERAND_BY_COLUMNS
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(above), "=r"(below), "=r"(above_right), "=r"(below_right)
                 : "r"(address)
                 : "memory");
#else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(above), "=r"(below), "=r"(above_right), "=r"(below_right)
                 : "r"(address)
                 : "memory");
#endif
}

__device__ __forceinline__ void load_float(unsigned address, COperandElement& to)
{
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(reinterpret_cast<unsigned&>(to)) : "r"(address) : "memory");
}

// A consumer's part of the C operand, read in the order of its sums. KEEP: all stages are given back to the producer;
// else only those that it fills once more.
template <bool KEEP> struct COperandInStages {
    const Stages& stages;
    Turn& turn;
    int consumer, thread;

    // The pairs `first` and following of the `m_tile`th 64 rows.
    __device__ __forceinline__ void load(PairsOf<COperandElement>& added, int m_tile, int first)
    {
#pragma unroll
        for (int pair = 0; pair < PAIRS_AT_ONCE; ++pair) {
            int column = 8 * (first + pair), in_part = column % PART_COLUMNS;
            int part = m_tile * PARTS_ACROSS + column / PART_COLUMNS;
            if (in_part == 0 && part % PARTS_OF_STAGE == 0)
                barrier_wait(&stages.full[turn.stage], turn.parity);
            unsigned from = shared_address(place_of_part(stages, turn.stage, part, consumer));
            constexpr bool BY_TWO = PAIRS_AT_ONCE % 2 == 0 && PART_COLUMNS >= 16;
            if constexpr (C_OPERAND_BYTES == 4)
                load_floats(added, pair, from, in_part);
            else if (!BY_TWO)
                load_matrices(from + place_of_line(in_part), bits(added.at[0][pair]), bits(added.at[1][pair]));
            else if (pair % 2 == 0)
                load_matrices(from + place_of_line(in_part), bits(added.at[0][pair]), bits(added.at[1][pair]),
                              bits(added.at[0][pair + 1]), bits(added.at[1][pair + 1]));
            bool ends_stage = part % PARTS_OF_STAGE == PARTS_OF_STAGE - 1 || part == PARTS - 1;
            if (in_part + 8 == PART_COLUMNS && ends_stage)
                leave_stage(part / PARTS_OF_STAGE);
        }
    }

private:
    __device__ __forceinline__ static unsigned& bits(PairOf<COperandElement>& pair)
    {
        return *reinterpret_cast<unsigned*>(&pair);
    }

    // The line of eight elements of 16 bits that this lane gives the address of: of the columns from `column` on, in
    // the rows of its warp.
    __device__ __forceinline__ int place_of_line(int column) const
    {
        int warp_row = thread / 32 * 16, lane = thread % 32;
        if (C_OPERAND_BY_COLUMNS)
            return swizzled<C_OPERAND_LINE_BYTES>((column + lane / 16 * 8 + lane % 8) * C_OPERAND_LINE_BYTES +
                                                  (warp_row + lane / 8 % 2 * 8) * 2);
        return swizzled<C_OPERAND_LINE_BYTES>((warp_row + lane % 16) * C_OPERAND_LINE_BYTES +
                                              (column + lane / 16 * 8) * 2);
    }

    __device__ __forceinline__ void load_floats(PairsOf<COperandElement>& added, int pair, unsigned from, int column)
    {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            int row = thread / 32 * 16 + thread % 32 / 4 + 8 * half, at = column + thread % 4 * 2;
            load_float(from + place_of_float(row, at), added.at[half][pair].first);
            load_float(from + place_of_float(row, at + 1), added.at[half][pair].second);
        }
    }

    __device__ __forceinline__ static int place_of_float(int row, int column)
    {
        if (C_OPERAND_BY_COLUMNS)
            return row / BOX_ROWS * BOX_BYTES +
                   swizzled<C_OPERAND_LINE_BYTES>(column * C_OPERAND_LINE_BYTES + row % BOX_ROWS * 4);
        return swizzled<C_OPERAND_LINE_BYTES>(row * C_OPERAND_LINE_BYTES + column * 4);
    }

    __device__ __forceinline__ void leave_stage(int number)
    {
        __syncwarp();
        if (KEEP || number + STAGES < C_OPERAND_STAGES)
            ::leave_stage(stages, turn.stage, thread % 32);
        turn.next();
    }
};
#else
constexpr int C_OPERAND_STAGES = 0;

template <bool KEEP> struct COperandInStages {
    const Stages& stages;
    Turn& turn;
    int consumer, thread;
};
#endif
