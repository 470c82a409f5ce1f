// Exercício 5: média dos vizinhos (estêncil de 5 pontos) com halo na memória compartilhada
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define BX 32
#define BY 8

#define CHECAR(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { \
    printf("erro na linha %d: %s\n", __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)

// fora da grade vale zero
__device__ float pega(const float *g, int y, int x, int h, int w)
{
    return (x >= 0 && x < w && y >= 0 && y < h) ? g[y * w + x] : 0.0f;
}

__global__ void media(const float *in, float *out, int h, int w)
{
    __shared__ float s[BY + 2][BX + 2];
    int x = blockIdx.x * BX + threadIdx.x;
    int y = blockIdx.y * BY + threadIdx.y;
    int sx = threadIdx.x + 1, sy = threadIdx.y + 1;

    s[sy][sx] = pega(in, y, x, h, w);
    if (threadIdx.x == 0)      s[sy][0]      = pega(in, y, x - 1, h, w);
    if (threadIdx.x == BX - 1) s[sy][BX + 1] = pega(in, y, x, h, w);
    if (threadIdx.y == 0)      s[0][sx]      = pega(in, y - 1, x, h, w);
    if (threadIdx.y == BY - 1) s[BY + 1][sx] = pega(in, y + 1, x, h, w);
    __syncthreads();

    if (x < w && y < h)
        out[y * w + x] = 0.2f * (s[sy][sx] + s[sy][sx - 1] + s[sy][sx + 1]
                                 + s[sy - 1][sx] + s[sy + 1][sx]);
}

int main()
{
    const int h = 100, w = 150;
    float *in, *out;
    CHECAR(cudaMallocManaged(&in, h * w * sizeof(float)));
    CHECAR(cudaMallocManaged(&out, h * w * sizeof(float)));
    for (int i = 0; i < h * w; i++) in[i] = (float)((i * 17) % 101);

    dim3 bloco(BX, BY);
    dim3 grade((w + BX - 1) / BX, (h + BY - 1) / BY);
    media<<<grade, bloco>>>(in, out, h, w);
    CHECAR(cudaGetLastError());
    CHECAR(cudaDeviceSynchronize());

    int ruins = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float r = in[y * w + x];
            if (x > 0) r += in[y * w + x - 1];
            if (x < w - 1) r += in[y * w + x + 1];
            if (y > 0) r += in[(y - 1) * w + x];
            if (y < h - 1) r += in[(y + 1) * w + x];
            if (fabsf(0.2f * r - out[y * w + x]) > 1e-3f) ruins++;
        }
    printf("pontos errados: %d\n", ruins);
    cudaFree(in); cudaFree(out);
    return 0;
}
