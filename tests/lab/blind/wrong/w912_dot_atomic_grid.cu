#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

// Dot product with many blocks: every thread collects several products, the block adds them up
// in shared memory, and one atomicAdd per block brings the sum into *total.
template <int NT>
__global__ void dotAtomic(const int* p, const int* q, int* total, int n)
{
    __shared__ int cache[NT];
    int local = 0;
    for (int i = threadIdx.x + blockIdx.x * NT; i < n; i += NT)
        local += p[i] * q[i];
    cache[threadIdx.x] = local;

    for (int width = NT / 2; width >= 1; width >>= 1) {
        __syncthreads();
        if (threadIdx.x < width)
            cache[threadIdx.x] += cache[threadIdx.x + width];
    }
    if (threadIdx.x == 0)
        atomicAdd(total, cache[0]);
}

int main()
{
    const int n = 10007;
    std::vector<int> hp(n), hq(n);
    int expected = 0, got = -1;
    for (int i = 0; i < n; i++) {
        hp[i] = i % 5 - 1;
        hq[i] = i % 3;
        expected += hp[i] * hq[i];
    }

    int *p, *q, *total;
    cudaMalloc(&p, n * sizeof(int));
    cudaMalloc(&q, n * sizeof(int));
    cudaMalloc(&total, sizeof(int));
    cudaMemcpy(p, hp.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(q, hq.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(total, 0, sizeof(int));

    dotAtomic<256><<<8, 256>>>(p, q, total, n);

    cudaMemcpy(&got, total, sizeof(int), cudaMemcpyDeviceToHost);
    printf("expected %d, got %d\n", expected, got);
    cudaFree(p);
    cudaFree(q);
    cudaFree(total);
    return expected == got ? 0 : 1;
}
