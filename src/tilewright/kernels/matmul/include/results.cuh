// Sums that are done, on their way out: rounded to the type of C, two 16-bit neighbours in one register.
//
// Half the registers of the sums hold them. So the next tile's sums and this tile's results fit a thread together, and
// a tile is stored while the tensor cores already multiply for the next one. wgmma.cu does so; store.cuh stores.
#pragma once

#include "include/element.cuh"

template <typename Stored>
struct Register {
    typedef unsigned Type; // of two 16-bit results
};
template <>
struct Register<float> {
    typedef float Type;
};

// A thread's results of a 64 x N tile, in the order of its sums.
template <typename Stored>
struct ResultsOf {
    typename Register<Stored>::Type value[BLOCK_N * sizeof(Stored) / 8];

    __device__ __forceinline__ void take(const float (&sums)[BLOCK_N / 2])
    {
        if constexpr (sizeof(Stored) == 2) {
#pragma unroll
            for (int i = 0; i < BLOCK_N / 4; ++i)
                value[i] = packed(Stored(), sums[2 * i], sums[2 * i + 1]);
        } else {
#pragma unroll
            for (int i = 0; i < BLOCK_N / 2; ++i)
                value[i] = sums[i];
        }
    }

    __device__ __forceinline__ Stored at(int i) const
    {
        if constexpr (sizeof(Stored) == 2) {
            unsigned short bits = static_cast<unsigned short>(value[i / 2] >> i % 2 * 16);
            return *reinterpret_cast<Stored*>(&bits);
        } else {
            return value[i];
        }
    }
};

typedef ResultsOf<OUTPUT> Results;
