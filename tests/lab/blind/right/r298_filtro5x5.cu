// Filtro 5x5 (correlazione) su immagini float, bordo a zero.
// Coefficienti in memoria costante, tessera con alone in memoria condivisa.
// Due immagini elaborate su due stream con memoria host bloccata (pinned).
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define R      2
#define DIAM   (2 * R + 1)
#define BX     32
#define BY     8

__constant__ float c_k[DIAM * DIAM];

static inline void ok(cudaError_t e, const char *f, int l)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s(%d): %s\n", f, l, cudaGetErrorString(e));
    exit(1);
}
#define OK(x) ok((x), __FILE__, __LINE__)

__global__ void filtro(const float *in, float *out, int w, int h)
{
    __shared__ float s[BY + 2 * R][BX + 2 * R];

    const int x0 = blockIdx.x * BX - R;
    const int y0 = blockIdx.y * BY - R;

    // caricamento cooperativo della tessera con l'alone
    for (int j = threadIdx.y; j < BY + 2 * R; j += BY)
        for (int i = threadIdx.x; i < BX + 2 * R; i += BX) {
            const int gx = x0 + i, gy = y0 + j;
            const bool dentro = gx >= 0 && gx < w && gy >= 0 && gy < h;
            s[j][i] = dentro ? in[gy * w + gx] : 0.0f;
        }
    __syncthreads();

    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;
    if (x >= w || y >= h) return;

    float acc = 0.0f;
#pragma unroll
    for (int dy = 0; dy < DIAM; ++dy)
#pragma unroll
        for (int dx = 0; dx < DIAM; ++dx)
            acc += c_k[dy * DIAM + dx] * s[threadIdx.y + dy][threadIdx.x + dx];
    out[y * w + x] = acc;
}

int main()
{
    const int w = 333, h = 221;
    const size_t byte = (size_t)w * h * sizeof(float);

    float k[DIAM * DIAM];
    for (int i = 0; i < DIAM * DIAM; ++i) k[i] = 0.01f * (i + 1);
    OK(cudaMemcpyToSymbol(c_k, k, sizeof(k)));

    float *hIn[2], *hOut[2], *dIn[2], *dOut[2];
    cudaStream_t st[2];
    for (int q = 0; q < 2; ++q) {
        OK(cudaStreamCreate(&st[q]));
        OK(cudaMallocHost(&hIn[q], byte));
        OK(cudaMallocHost(&hOut[q], byte));
        OK(cudaMalloc(&dIn[q], byte));
        OK(cudaMalloc(&dOut[q], byte));
        for (int i = 0; i < w * h; ++i) hIn[q][i] = (float)(rand() % 256) / 255.0f;
    }

    dim3 blocco(BX, BY), griglia((w + BX - 1) / BX, (h + BY - 1) / BY);
    for (int q = 0; q < 2; ++q) {
        OK(cudaMemcpyAsync(dIn[q], hIn[q], byte, cudaMemcpyHostToDevice, st[q]));
        filtro<<<griglia, blocco, 0, st[q]>>>(dIn[q], dOut[q], w, h);
        OK(cudaGetLastError());
        OK(cudaMemcpyAsync(hOut[q], dOut[q], byte, cudaMemcpyDeviceToHost, st[q]));
    }
    for (int q = 0; q < 2; ++q) OK(cudaStreamSynchronize(st[q]));

    int errori = 0;
    for (int q = 0; q < 2; ++q)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                double a = 0;
                for (int dy = -R; dy <= R; ++dy)
                    for (int dx = -R; dx <= R; ++dx) {
                        int gx = x + dx, gy = y + dy;
                        if (gx < 0 || gx >= w || gy < 0 || gy >= h) continue;
                        a += (double)k[(dy + R) * DIAM + dx + R] * hIn[q][gy * w + gx];
                    }
                if (fabs(a - hOut[q][y * w + x]) > 1e-4) ++errori;
            }
    printf("errori: %d\n", errori);

    for (int q = 0; q < 2; ++q) {
        OK(cudaFree(dIn[q]));
        OK(cudaFree(dOut[q]));
        OK(cudaFreeHost(hIn[q]));
        OK(cudaFreeHost(hOut[q]));
        OK(cudaStreamDestroy(st[q]));
    }
    return errori ? 1 : 0;
}
