// Práctica 5: difusión de calor, plantilla de 5 puntos
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <utility>

#define LADO 16
#define OK(e) do { cudaError_t r = (e); if (r != cudaSuccess) { \
  printf("fallo linea %d: %s\n", __LINE__, cudaGetErrorString(r)); exit(1);} } while(0)

__global__ void paso(const float *in, float *out, int alto, int ancho, float c)
{
    __shared__ float s[LADO + 2][LADO + 2];

    int x = blockIdx.x * LADO + threadIdx.x;
    int y = blockIdx.y * LADO + threadIdx.y;
    int lx = threadIdx.x + 1;
    int ly = threadIdx.y + 1;

    if (x < ancho && y < alto) {
        s[ly][lx] = in[y * ancho + x];
        // los bordes del bloque traen también a su vecino
        if (threadIdx.x == 0 && x > 0)                s[ly][0] = in[y * ancho + x - 1];
        if (threadIdx.x == LADO - 1 && x + 1 < ancho) s[ly][LADO + 1] = in[y * ancho + x + 1];
        if (threadIdx.y == 0 && y > 0)                s[0][lx] = in[(y - 1) * ancho + x];
        if (threadIdx.y == LADO - 1 && y + 1 < alto)  s[LADO + 1][lx] = in[(y + 1) * ancho + x];
    }
    __syncthreads();

    if (x < ancho && y < alto) {
        float v = s[ly][lx];
        if (x > 0 && x < ancho - 1 && y > 0 && y < alto - 1)
            v += c * (s[ly - 1][lx] + s[ly + 1][lx] + s[ly][lx - 1] + s[ly][lx + 1] - 4.f * v);
        out[y * ancho + x] = v;
    }
}

int main()
{
    const int H = 90, W = 141, PASOS = 25;
    const float c = 0.2f;
    size_t bytes = H * W * sizeof(float);

    float *h = (float *)malloc(bytes), *r = (float *)malloc(bytes), *r2 = (float *)malloc(bytes);
    for (int i = 0; i < H * W; i++) r[i] = h[i] = (float)((i * 31) % 100);

    float *d1, *d2;
    OK(cudaMalloc(&d1, bytes));
    OK(cudaMalloc(&d2, bytes));
    OK(cudaMemcpy(d1, h, bytes, cudaMemcpyHostToDevice));

    dim3 b(LADO, LADO), g((W + LADO - 1) / LADO, (H + LADO - 1) / LADO);
    for (int p = 0; p < PASOS; p++) {
        paso<<<g, b>>>(d1, d2, H, W, c);
        OK(cudaGetLastError());
        std::swap(d1, d2);
    }
    OK(cudaMemcpy(h, d1, bytes, cudaMemcpyDeviceToHost));

    for (int p = 0; p < PASOS; p++) {
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                float v = r[y * W + x];
                if (x > 0 && x < W - 1 && y > 0 && y < H - 1)
                    v += c * (r[(y-1)*W+x] + r[(y+1)*W+x] + r[y*W+x-1] + r[y*W+x+1] - 4.f * v);
                r2[y * W + x] = v;
            }
        std::swap(r, r2);
    }
    float m = 0;
    for (int i = 0; i < H * W; i++) m = fmaxf(m, fabsf(h[i] - r[i]));
    printf("diferencia maxima %g\n", m);
    cudaFree(d1); cudaFree(d2); free(h); free(r); free(r2);
    return m > 1e-2f;
}
