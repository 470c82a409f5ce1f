// Opgave 6: y = A^T * x
// A har M raekker og N soejler, gemt raekkevis; x har M elementer, y har N.
// En blok paa 32 x 8 traade tager 32 soejler; hver traadraekke loeber
// gennem hver ottende raekke af A.
#include <cuda_runtime.h>

constexpr int BREDDE = 32;
constexpr int HOEJDE = 8;

__global__ void matvecTransponeret(const float *__restrict__ A, const float *__restrict__ x,
                                   float *__restrict__ y, int M, int N)
{
    __shared__ float del[HOEJDE][BREDDE];

    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int j  = blockIdx.x * BREDDE + tx;

    float sum = 0.0f;
    if (j < N)
        for (int i = ty; i < M; i += HOEJDE)
            sum += A[(size_t)i * N + j] * x[i];
    del[ty][tx] = sum;
    __syncthreads();

    // trae over traadraekkerne
    for (int s = HOEJDE / 2; s > 0; s /= 2) {
        if (ty < s)
            del[ty][tx] += del[ty + s][tx];
        __syncthreads();
    }

    if (ty == 0 && j < N)
        y[j] = del[0][tx];
}

void koer(const float *dA, const float *dx, float *dy, int M, int N, cudaStream_t stroem)
{
    const dim3 blok(BREDDE, HOEJDE);
    const unsigned blokke = (N + BREDDE - 1) / BREDDE;
    if (blokke > 0)
        matvecTransponeret<<<blokke, blok, 0, stroem>>>(dA, dx, dy, M, N);
}
