// dot product, my version: shared memory tree in every block + one atomic
#include <iostream>
#include <cuda_runtime.h>

using namespace std;

const int NT = 256;

__global__ void dot(const float *x, const float *y, double *result, int n)
{
    __shared__ double cache[NT];

    double mine = 0;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine += (double)x[i] * y[i];

    cache[threadIdx.x] = mine;
    __syncthreads();

    for (int half = NT / 2; half > 0; half /= 2)
    {
        if (threadIdx.x < half)
            cache[threadIdx.x] += cache[threadIdx.x + half];
        __syncthreads();
    }

    if (threadIdx.x == 0)
        atomicAdd(result, cache[0]);
}

int main()
{
    int n = 1000003;
    float *x, *y;
    double *result;

    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&y, n * sizeof(float));
    cudaMallocManaged(&result, sizeof(double));

    for (int i = 0; i < n; i++)
    {
        x[i] = (i % 10) * 0.5f;
        y[i] = 2.0f;
    }
    *result = 0;

    dot<<<120, NT>>>(x, y, result, n);
    cudaDeviceSynchronize();

    double expect = 0;
    for (int i = 0; i < n; i++) expect += (double)x[i] * y[i];
    cout << "gpu " << *result << "  cpu " << expect << endl;

    cudaFree(x);
    cudaFree(y);
    cudaFree(result);
    return 0;
}
