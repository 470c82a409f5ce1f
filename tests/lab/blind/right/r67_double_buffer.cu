#include <cstdio>
#include <cstdlib>
#include <cmath>

#define T 16

/* ping-pong buffers: while tile t is multiplied, tile t+1 is already being
   fetched into the other half, so one barrier per phase is enough */
__global__ void mmDoubleBuf(float *C, const float *A, const float *B, int hA, int wA, int wB)
{
    __shared__ float As[2][T][T];
    __shared__ float Bs[2][T][T];
    int x = threadIdx.x, y = threadIdx.y;
    int i = blockIdx.y * T + y, j = blockIdx.x * T + x;
    int ntiles = (wA + T - 1) / T;
    int cur = 0;

    As[0][y][x] = (i < hA && x < wA) ? A[i * wA + x] : 0.0f;
    Bs[0][y][x] = (y < wA && j < wB) ? B[y * wB + j] : 0.0f;
    __syncthreads();

    float c = 0.0f;
    for (int t = 0; t < ntiles; t++) {
        int nxt = cur ^ 1;
        if (t + 1 < ntiles) {
            int ak = (t + 1) * T + x;
            int bk = (t + 1) * T + y;
            As[nxt][y][x] = (i < hA && ak < wA) ? A[i * wA + ak] : 0.0f;
            Bs[nxt][y][x] = (bk < wA && j < wB) ? B[bk * wB + j] : 0.0f;
        }
        for (int k = 0; k < T; k++)
            c += As[cur][y][k] * Bs[cur][k][x];
        __syncthreads();
        cur = nxt;
    }
    if (i < hA && j < wB)
        C[i * wB + j] = c;
}

static void cpuMul(float *C, const float *A, const float *B, int hA, int wA, int wB)
{
    for (int i = 0; i < hA; i++)
        for (int j = 0; j < wB; j++) {
            float s = 0;
            for (int k = 0; k < wA; k++) s += A[i * wA + k] * B[k * wB + j];
            C[i * wB + j] = s;
        }
}

int main(void)
{
    int hA = 60, wA = 83, wB = 35;
    size_t sa = hA * wA * sizeof(float), sb = wA * wB * sizeof(float), sc = hA * wB * sizeof(float);
    float *a = (float *)malloc(sa), *b = (float *)malloc(sb);
    float *c = (float *)malloc(sc), *ref = (float *)malloc(sc);
    for (int i = 0; i < hA * wA; i++) a[i] = rand() / (float)RAND_MAX;
    for (int i = 0; i < wA * wB; i++) b[i] = rand() / (float)RAND_MAX;
    float *da, *db, *dc;
    cudaMalloc((void **)&da, sa);
    cudaMalloc((void **)&db, sb);
    cudaMalloc((void **)&dc, sc);
    cudaMemcpy(da, a, sa, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sb, cudaMemcpyHostToDevice);
    dim3 th(T, T);
    dim3 gr((wB + T - 1) / T, (hA + T - 1) / T);
    mmDoubleBuf<<<gr, th>>>(dc, da, db, hA, wA, wB);
    cudaMemcpy(c, dc, sc, cudaMemcpyDeviceToHost);
    cpuMul(ref, a, b, hA, wA, wB);
    int errs = 0;
    for (int q = 0; q < hA * wB; q++)
        if (fabsf(c[q] - ref[q]) > 1e-3f) errs++;
    printf("errors: %d\n", errs);
    cudaFree(da); cudaFree(db); cudaFree(dc);
    free(a); free(b); free(c); free(ref);
    return errs ? 1 : 0;
}
