// Block 0 doubles x into y, raises a flag, and block 1 waits for it and reverses y into z. `flag` starts as 0.
// The flag may be seen before the elements of y are.

extern "C" __global__ void hand_over(const float* x, float* y, float* z, int* flag)
{
    int tid = threadIdx.x;
    if (blockIdx.x == 0) {
        y[tid] = 2 * x[tid];  // planted: race
        __syncthreads();
        if (tid == 0) {
            *(volatile int*)flag = 1;
        }
    } else {
        if (tid == 0) {
            while (*(volatile int*)flag == 0)
                ;
        }
        __syncthreads();
        z[tid] = y[blockDim.x - 1 - tid];  // planted: race
    }
}
