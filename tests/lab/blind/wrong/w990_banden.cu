#include <cuda_runtime.h>

// y = A x, A is rijen x kolommen (per rij opgeslagen).
// Elk blok neemt 64 rijen en een band van 16 kolommen; blockIdx.y kiest de band.

constexpr int RIJEN = 64;
constexpr int BAND  = 16;

__global__ void matvec(const float *A, const float *x, float *y, int rijen, int kolommen)
{
    __shared__ float xb[BAND];

    int r  = blockIdx.x * RIJEN + threadIdx.x;
    int k0 = blockIdx.y * BAND;

    if (threadIdx.x < BAND)
        xb[threadIdx.x] = (k0 + threadIdx.x < kolommen) ? x[k0 + threadIdx.x] : 0.0f;
    __syncthreads();

    if (r < rijen) {
        float som = 0.0f;
        for (int k = 0; k < BAND && k0 + k < kolommen; ++k)
            som += A[r * kolommen + k0 + k] * xb[k];
        y[r] += som;
    }
}

void doe(const float *A, const float *x, float *y, int rijen, int kolommen)
{
    cudaMemset(y, 0, rijen * sizeof(float));
    dim3 rooster((rijen + RIJEN - 1) / RIJEN, (kolommen + BAND - 1) / BAND);
    matvec<<<rooster, RIJEN>>>(A, x, y, rijen, kolommen);
}
