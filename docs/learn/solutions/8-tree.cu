// Exercise 8, solved: a dot product. All threads wait after each step of the tree, those that rest, too.
//
// tilewright check 8-tree.cu --operation dot --args A,B,C,inner --block 256
//     --grid "ceil(inner/256)" --points ../rubric.toml
//
// A and B have n elements; C has one partial sum for each block, and the host adds them. Blocks have 256 threads.

#define THREADS 256

__global__ void dot(const float* A, const float* B, float* C, int n)
{
    __shared__ float sums[THREADS];
    int tid = blockIdx.x * THREADS + threadIdx.x;

    float sum = 0;
    for (int p = tid; p < n; p += gridDim.x * THREADS)
        sum += A[p] * B[p];
    sums[threadIdx.x] = sum;
    __syncthreads();

    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride)
            sums[threadIdx.x] += sums[threadIdx.x + stride];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        C[blockIdx.x] = sums[0];
}
