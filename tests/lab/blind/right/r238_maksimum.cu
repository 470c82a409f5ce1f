#include <cstdio>
#include <climits>
#include <cuda_runtime.h>

// Najwieksza liczba w tablicy; *wynik zaczyna od INT_MIN
__global__ void maksimum(const int *dane, int ile, int *wynik)
{
    __shared__ int najw[512];
    int moj = INT_MIN;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < ile; i += blockDim.x * gridDim.x)
        moj = max(moj, dane[i]);

    najw[threadIdx.x] = moj;
    __syncthreads();

    for (unsigned krok = blockDim.x / 2; krok > 0; krok >>= 1) {
        if (threadIdx.x < krok)
            najw[threadIdx.x] = max(najw[threadIdx.x], najw[threadIdx.x + krok]);
        __syncthreads();
    }

    if (threadIdx.x == 0)
        atomicMax(wynik, najw[0]);
}

int main()
{
    const int ile = 7777;
    int *d, *w;
    cudaMallocManaged(&d, ile * sizeof(int));
    cudaMallocManaged(&w, sizeof(int));
    for (int i = 0; i < ile; i++) d[i] = (i * 37) % 1009 - 600;
    *w = INT_MIN;
    maksimum<<<6, 512>>>(d, ile, w);   // 512 watkow: potega dwojki
    cudaDeviceSynchronize();
    printf("max = %d\n", *w);
    return 0;
}
