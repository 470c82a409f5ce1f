// Trabalho 3 - multiplicacao com leituras float4
// C = A * B, por linhas. K e N tem de ser multiplos de 4 (M qualquer).
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define T 32          // bloco de saida: 32 x 32
#define TV (T / 4)    // colunas de float4 por bloco

__global__ void mult4(const float4 *A, const float4 *B, float4 *C, int M, int N, int K)
{
    // blockDim = (8, 32): cada thread cuida de 4 colunas seguidas de uma linha
    __shared__ float4 As[T][TV];
    __shared__ float4 Bs[T][TV];

    const int x = threadIdx.x, y = threadIdx.y;
    const int N4 = N / 4, K4 = K / 4;
    const int lin = blockIdx.y * T + y;
    const int col4 = blockIdx.x * TV + x;
    const float4 zero = make_float4(0.f, 0.f, 0.f, 0.f);

    float4 s = zero;
    for (int t = 0; t < (K + T - 1) / T; t++) {
        const int ka = t * TV + x;     // em float4
        const int kb = t * T + y;      // em linhas de B
        if (lin < M && ka < K4) As[y][x] = A[(size_t)lin * K4 + ka];
        else                    As[y][x] = zero;
        if (kb < K && col4 < N4) Bs[y][x] = B[(size_t)kb * N4 + col4];
        else                     Bs[y][x] = zero;
        __syncthreads();

        for (int q = 0; q < TV; q++) {
            const float4 a = As[y][q];
            float4 b;
            b = Bs[4 * q + 0][x];
            s.x += a.x * b.x; s.y += a.x * b.y; s.z += a.x * b.z; s.w += a.x * b.w;
            b = Bs[4 * q + 1][x];
            s.x += a.y * b.x; s.y += a.y * b.y; s.z += a.y * b.z; s.w += a.y * b.w;
            b = Bs[4 * q + 2][x];
            s.x += a.z * b.x; s.y += a.z * b.y; s.z += a.z * b.z; s.w += a.z * b.w;
            b = Bs[4 * q + 3][x];
            s.x += a.w * b.x; s.y += a.w * b.y; s.z += a.w * b.z; s.w += a.w * b.w;
        }
        __syncthreads();
    }

    if (lin < M && col4 < N4)
        C[(size_t)lin * N4 + col4] = s;
}

int main(int argc, char *argv[])
{
    int M = 45, N = 100, K = 52;
    if (argc == 4) { M = atoi(argv[1]); N = atoi(argv[2]); K = atoi(argv[3]); }
    if (N % 4 || K % 4) {
        fprintf(stderr, "N e K devem ser multiplos de 4\n");
        return 2;
    }

    float *A, *B, *C;   // memoria unificada
    cudaMallocManaged(&A, sizeof(float) * M * K);
    cudaMallocManaged(&B, sizeof(float) * K * N);
    cudaMallocManaged(&C, sizeof(float) * M * N);
    for (int i = 0; i < M * K; i++) A[i] = (i * 3) % 8 - 4;
    for (int i = 0; i < K * N; i++) B[i] = (i * 5) % 6 - 2;

    dim3 threads(TV, T);
    dim3 blocos((N + T - 1) / T, (M + T - 1) / T);
    mult4<<<blocos, threads>>>((const float4 *)A, (const float4 *)B, (float4 *)C, M, N, K);
    if (cudaDeviceSynchronize() != cudaSuccess) {
        fprintf(stderr, "falhou\n");
        return 1;
    }

    int erros = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float r = 0;
            for (int k = 0; k < K; k++) r += A[i * K + k] * B[k * N + j];
            erros += fabsf(r - C[i * N + j]) > 1e-3f;
        }
    printf("%s (%d erros)\n", erros ? "ERRADO" : "certo", erros);
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return erros > 0;
}
