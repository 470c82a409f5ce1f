// Opdracht 4b: matrixvermenigvuldiging met float4
// Let op: K en N moeten een veelvoud van 4 zijn (wordt in main gecontroleerd)
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TEGEL 32

__global__ void vermenigvuldig4(const float *A, const float *B, float *C, int M, int K, int N)
{
    __shared__ __align__(16) float tA[TEGEL][TEGEL];
    __shared__ __align__(16) float tB[TEGEL][TEGEL];

    const int rij  = blockIdx.y * TEGEL + threadIdx.y;
    const int kol  = blockIdx.x * TEGEL + threadIdx.x * 4;
    const int lok  = threadIdx.x * 4;
    const float4 nul = make_float4(0.f, 0.f, 0.f, 0.f);

    float4 som = nul;

    for (int t = 0; t < K; t += TEGEL) {
        float4 va = nul, vb = nul;
        if (rij < M && t + lok < K)
            va = *reinterpret_cast<const float4 *>(&A[rij * K + t + lok]);
        if (t + threadIdx.y < K && kol < N)
            vb = *reinterpret_cast<const float4 *>(&B[(t + threadIdx.y) * N + kol]);
        *reinterpret_cast<float4 *>(&tA[threadIdx.y][lok]) = va;
        *reinterpret_cast<float4 *>(&tB[threadIdx.y][lok]) = vb;
        __syncthreads();

        for (int k = 0; k < TEGEL; ++k) {
            float a = tA[threadIdx.y][k];
            float4 b = *reinterpret_cast<const float4 *>(&tB[k][lok]);
            som.x += a * b.x;
            som.y += a * b.y;
            som.z += a * b.z;
            som.w += a * b.w;
        }
        __syncthreads();
    }

    if (rij < M && kol < N)
        *reinterpret_cast<float4 *>(&C[rij * N + kol]) = som;
}

static void fout(cudaError_t e)
{
    if (e != cudaSuccess) {
        printf("CUDA-fout: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

int main(int argc, char *argv[])
{
    int M = 101, K = 84, N = 116;
    if (argc == 4) { M = atoi(argv[1]); K = atoi(argv[2]); N = atoi(argv[3]); }
    if (K % 4 != 0 || N % 4 != 0) {
        printf("K en N moeten deelbaar door 4 zijn\n");
        return 1;
    }

    float *A, *B, *C;
    fout(cudaMallocManaged(&A, sizeof(float) * M * K));
    fout(cudaMallocManaged(&B, sizeof(float) * K * N));
    fout(cudaMallocManaged(&C, sizeof(float) * M * N));
    for (int i = 0; i < M * K; ++i) A[i] = (float)((i * 7) % 11) - 5.f;
    for (int i = 0; i < K * N; ++i) B[i] = (float)((i * 3) % 13) - 6.f;

    dim3 draden(TEGEL / 4, TEGEL);
    dim3 blokken((N + TEGEL - 1) / TEGEL, (M + TEGEL - 1) / TEGEL);
    vermenigvuldig4<<<blokken, draden>>>(A, B, C, M, K, N);
    fout(cudaGetLastError());
    fout(cudaDeviceSynchronize());

    int fouten = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < N; ++j) {
            float s = 0.f;
            for (int k = 0; k < K; ++k) s += A[i * K + k] * B[k * N + j];
            if (fabsf(s - C[i * N + j]) > 1e-2f) ++fouten;
        }
    printf("%d fouten\n", fouten);
    cudaFree(A); cudaFree(B); cudaFree(C);
    return fouten != 0;
}
