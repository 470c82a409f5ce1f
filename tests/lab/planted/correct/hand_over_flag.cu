// Block 0 doubles x into y, raises a flag, and block 1 waits for it and reverses y into z. `flag` starts as 0.
// Style: a volatile flag with fences, spinning.

extern "C" __global__ void hand_over(const float* x, float* y, float* z, int* flag)
{
    int tid = threadIdx.x;
    volatile int* raised = flag;
    if (blockIdx.x == 0) {
        y[tid] = 2 * x[tid];
        __threadfence();
        __syncthreads();
        if (tid == 0) {
            __threadfence();
            *raised = 1;
        }
    } else {
        if (tid == 0)
            while (*raised == 0)
                ;
        __threadfence();
        __syncthreads();
        __threadfence();
        z[tid] = y[blockDim.x - 1 - tid];
    }
}
