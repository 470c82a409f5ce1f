// What an instrumented subscript calls: tilewright_in(index, site) returns the index, and notes one outside of its dimension.
// TILEWRIGHT_SITES is the number of subscripts that are checked.
#pragma once

// One row for each: times, index, extent, blockIdx and threadIdx of the first time.
__device__ long long tilewright_subscripts[TILEWRIGHT_SITES][9];

template <class A> struct tilewright_extent { static const long long value = 0; };
template <class T, unsigned long long N> struct tilewright_extent<T[N]> { static const long long value = N; };
template <class T, unsigned long long N> struct tilewright_extent<T (&)[N]> { static const long long value = N; };
template <class T, unsigned long long N> struct tilewright_extent<T (&&)[N]> { static const long long value = N; };

#define TILEWRIGHT_EXTENT(array) tilewright_extent<decltype array>::value

template <long long EXTENT> struct tilewright_subscript {
    template <class I> __device__ __forceinline__ static I tilewright_in(I index, int site)
    {
        long long place = (long long)index;
        if (place < 0 || place >= EXTENT) {
            long long* row = tilewright_subscripts[site];
            if (atomicAdd((unsigned long long*)row, 1ull) == 0) {
                row[1] = place;
                row[2] = EXTENT;
                row[3] = blockIdx.x;
                row[4] = blockIdx.y;
                row[5] = blockIdx.z;
                row[6] = threadIdx.x;
                row[7] = threadIdx.y;
                row[8] = threadIdx.z;
            }
        }
        return index;
    }
};

// No array of a known extent: nothing to check.
template <> struct tilewright_subscript<0> {
    template <class I> __device__ __forceinline__ static I&& tilewright_in(I&& index, int) { return static_cast<I&&>(index); }
};
