// gyouretsu no seki (行列の積) - kantan na baajon
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

// gyou: A no gyousuu, naka: kyoutsuu, retsu: B no retsusuu
__global__ void seki(float *kekka, const float *hidari, const float *migi, int gyou, int naka, int retsu)
{
    int y = blockDim.y * blockIdx.y + threadIdx.y;
    int x = blockDim.x * blockIdx.x + threadIdx.x;

    if (y < gyou && x <= retsu) {
        float goukei = 0.0f;
        for (int i = 0; i < naka; i++)
            goukei += hidari[y * naka + i] * migi[i * retsu + x];
        kekka[y * retsu + x] = goukei;
    }
}

int main(void)
{
    const int gyou = 50, naka = 40, retsu = 60;
    float *h = (float*)malloc(sizeof(float) * gyou * naka);
    float *m = (float*)malloc(sizeof(float) * naka * retsu);
    float *k = (float*)malloc(sizeof(float) * gyou * retsu);

    for (int i = 0; i < gyou * naka; i++) h[i] = (float)(i % 9);
    for (int i = 0; i < naka * retsu; i++) m[i] = (float)(i % 4 + 1);

    float *dh, *dm, *dk;
    cudaMalloc((void**)&dh, sizeof(float) * gyou * naka);
    cudaMalloc((void**)&dm, sizeof(float) * naka * retsu);
    cudaMalloc((void**)&dk, sizeof(float) * gyou * retsu);
    cudaMemcpy(dh, h, sizeof(float) * gyou * naka, cudaMemcpyHostToDevice);
    cudaMemcpy(dm, m, sizeof(float) * naka * retsu, cudaMemcpyHostToDevice);

    dim3 burokku(8, 8);
    dim3 guriddo((retsu + 7) / 8, (gyou + 7) / 8);
    seki<<<guriddo, burokku>>>(dk, dh, dm, gyou, naka, retsu);
    cudaDeviceSynchronize();
    cudaMemcpy(k, dk, sizeof(float) * gyou * retsu, cudaMemcpyDeviceToHost);

    int machigai = 0;
    for (int y = 0; y < gyou; y++)
        for (int x = 0; x < retsu; x++) {
            float s = 0;
            for (int i = 0; i < naka; i++) s += h[y * naka + i] * m[i * retsu + x];
            if (fabsf(s - k[y * retsu + x]) > 1e-3f) machigai++;
        }
    printf("machigai: %d\n", machigai);

    cudaFree(dh); cudaFree(dm); cudaFree(dk);
    free(h); free(m); free(k);
    return machigai ? 1 : 0;
}
