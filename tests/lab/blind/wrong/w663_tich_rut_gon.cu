// Tích ma trận rút gọn:
//   C[i][j] = tổng theo l của (A[2i][l] + A[2i+1][l]) * (B[l][2j] + B[l][2j+1])
// A: M x K, B: K x N; M và N là số chẵn. C: (M/2) x (N/2)
#include <cstdio>
#include <cstdlib>

#define O 16

__global__ void tichRutGon(const int *A, const int *B, int *C, int M, int N, int K)
{
    __shared__ int tA[2 * O][O];
    __shared__ int tB[O][2 * O];

    int x = threadIdx.x, y = threadIdx.y;
    int hangA = blockIdx.y * 2 * O;      // hàng đầu tiên của A trong khối này
    int cotB = blockIdx.x * 2 * O;       // cột đầu tiên của B trong khối này
    int kq = 0;

    for (int l0 = 0; l0 < K; l0 += O) {
        // mỗi luồng đọc hai phần tử của A và hai phần tử của B
        for (int h = 0; h < 2; h++) {
            int r = y + h * O;
            tA[r][x] = (hangA + r < M && l0 + x < K) ? A[(hangA + r) * K + l0 + x] : 0;
            int c = x + h * O;
            tB[y][c] = (l0 + y < K && cotB + c < N) ? B[(l0 + y) * N + cotB + c] : 0;
        }
        __syncthreads();

        for (int l = 0; l < O; l++) {
            int sa = tA[y][l] + tA[y + O][l];
            int sb = tB[l][2 * x] + tB[l][2 * x + 1];
            kq += sa * sb;
        }
        __syncthreads();
    }

    int i = blockIdx.y * O + y;
    int j = blockIdx.x * O + x;
    if (i < M / 2 && j < N / 2)
        C[i * (N / 2) + j] = kq;
}

int main()
{
    int M = 64, N = 100, K = 40;
    int *A = new int[M * K], *B = new int[K * N], *C = new int[M * N / 4];
    for (int i = 0; i < M * K; i++) A[i] = rand() % 10;
    for (int i = 0; i < K * N; i++) B[i] = rand() % 10;

    int *dA, *dB, *dC;
    cudaMalloc(&dA, M * K * sizeof(int));
    cudaMalloc(&dB, K * N * sizeof(int));
    cudaMalloc(&dC, M / 2 * (N / 2) * sizeof(int));
    cudaMemcpy(dA, A, M * K * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B, K * N * sizeof(int), cudaMemcpyHostToDevice);

    dim3 luong(O, O);
    dim3 khoi((N / 2 + O - 1) / O, (M / 2 + O - 1) / O);
    tichRutGon<<<khoi, luong>>>(dA, dB, dC, M, N, K);
    cudaMemcpy(C, dC, M / 2 * (N / 2) * sizeof(int), cudaMemcpyDeviceToHost);

    printf("C[0] = %d, C[cuối] = %d\n", C[0], C[M / 2 * (N / 2) - 1]);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    delete[] A; delete[] B; delete[] C;
    return 0;
}
