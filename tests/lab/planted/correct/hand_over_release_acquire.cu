// Block 0 doubles x into y, raises a flag, and block 1 waits for it and reverses y into z. `flag` starts as 0.
// Style: a store that releases and loads that acquire, in PTX.

extern "C" __global__ void hand_over(const float* x, float* y, float* z, int* flag)
{
    int tid = threadIdx.x;
    if (blockIdx.x == 0) {
        y[tid] = 2 * x[tid];
        __syncthreads();
        if (tid == 0)
            asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        if (tid == 0) {
            int seen;
            do {
                asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
            } while (seen == 0);
        }
        __syncthreads();
        z[tid] = y[blockDim.x - 1 - tid];
    }
}
