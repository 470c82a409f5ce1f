// One access of one warp to shared memory, at the offsets that are passed: what it costs is what Nsight Compute counts.
//
// NBYTES: bytes per lane (1, 2, 4, 8, 16); LOADS: 1 for a load, 0 for a store. A lane with an offset below 0 stays out.
// The accesses are written in PTX and volatile, so that the compiler neither merges nor removes them.

#ifndef NBYTES
#define NBYTES 4
#endif
#ifndef LOADS
#define LOADS 1
#endif

extern "C" __global__ void bank_patterns(const int* offsets, float* out)
{
    __shared__ __align__(16) char memory[32768];
    int at = offsets[threadIdx.x];
    unsigned address = (unsigned)__cvta_generic_to_shared(memory) + at;
    float x = 0, y = 0, z = 0, w = 0;
    if (at >= 0) {
#if LOADS
#if NBYTES == 1
        unsigned narrow;
        asm volatile("ld.shared.u8 %0, [%1];" : "=r"(narrow) : "r"(address));
        x = narrow;
#elif NBYTES == 2
        unsigned short narrow;
        asm volatile("ld.shared.u16 %0, [%1];" : "=h"(narrow) : "r"(address));
        x = narrow;
#elif NBYTES == 4
        asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(address));
#elif NBYTES == 8
        asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x), "=f"(y) : "r"(address));
#else
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(address));
#endif
#else
#if NBYTES == 1
        asm volatile("st.shared.u8 [%0], %1;" ::"r"(address), "r"(at));
#elif NBYTES == 2
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"((unsigned short)at));
#elif NBYTES == 4
        asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(x));
#elif NBYTES == 8
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(x), "f"(y));
#else
        asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(address), "f"(x), "f"(y), "f"(z), "f"(w));
#endif
#endif
    }
    out[threadIdx.x] = x + y + z + w;
}
