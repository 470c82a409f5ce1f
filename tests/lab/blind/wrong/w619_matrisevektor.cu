/* Oppgave 6: y = A * x med én blokk per rad og float4-lesing
 *
 * A har "rader" rader og "kolonner" kolonner; begge kan være hva som helst >= 1.
 * Radene ligger lda elementer fra hverandre, lda er et multiplum av 4 og lda >= kolonner.
 * A og x er justert til 16 byte.
 */
#include <cuda_runtime.h>

#define TRADER 128

__global__ void matvek(const float *A, int lda, const float *x, float *y, int kolonner)
{
    __shared__ float del[TRADER];
    const float *rad = A + (size_t)blockIdx.x * lda;
    const float4 *rad4 = (const float4 *)rad;
    const float4 *x4 = (const float4 *)x;
    const int t = threadIdx.x;

    float sum = 0.0f;
    const int n4 = kolonner / 4;
    for (int j = t; j < n4; j += TRADER) {
        float4 a = rad4[j];
        float4 b = x4[j];
        sum += a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    }

    del[t] = sum;
    __syncthreads();
    for (int s = TRADER / 2; s > 0; s >>= 1) {
        if (t < s)
            del[t] += del[t + s];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = del[0];
}

int kjor_matvek(const float *dA, int lda, const float *dx, float *dy, int rader, int kolonner)
{
    if (rader < 1 || kolonner < 1 || lda < kolonner || lda % 4 != 0)
        return -1;
    matvek<<<rader, TRADER>>>(dA, lda, dx, dy, kolonner);
    return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
