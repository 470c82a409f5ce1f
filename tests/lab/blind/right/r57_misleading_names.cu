// I know the names are strange, but in the lecture it was A = B * C ...
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define N_ROWS 145      /* rows of A and B */
#define N_COLS 118      /* columns of A and C */
#define N_SUM  203      /* columns of B, rows of C */

__global__ void C_equals(float* A, float* B, float* C)
{
    // here x is the ROW and y the COLUMN (both are correct, this one is just slower)
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < N_ROWS && y < N_COLS) {
        A[x * N_COLS + y] = 0;
        for (int b = 0; b < N_SUM; b++)
            A[x * N_COLS + y] += B[x * N_SUM + b] * C[b * N_COLS + y];
    }
}

float hostA[N_ROWS * N_COLS], hostB[N_ROWS * N_SUM], hostC[N_SUM * N_COLS];

int main()
{
    for (int i = 0; i < N_ROWS * N_SUM; i++) hostB[i] = (i % 3) + 0.5f;
    for (int i = 0; i < N_SUM * N_COLS; i++) hostC[i] = (i % 7) - 3.0f;

    float *A, *B, *C;
    cudaMalloc(&A, sizeof(hostA));
    cudaMalloc(&B, sizeof(hostB));
    cudaMalloc(&C, sizeof(hostC));
    cudaMemcpy(B, hostB, sizeof(hostB), cudaMemcpyHostToDevice);
    cudaMemcpy(C, hostC, sizeof(hostC), cudaMemcpyHostToDevice);

    dim3 t(16, 16);
    dim3 g(N_ROWS / 16 + 1, N_COLS / 16 + 1);
    C_equals<<<g, t>>>(A, B, C);
    cudaMemcpy(hostA, A, sizeof(hostA), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int i = 0; i < N_ROWS; i++)
        for (int j = 0; j < N_COLS; j++) {
            float s = 0;
            for (int k = 0; k < N_SUM; k++) s += hostB[i * N_SUM + k] * hostC[k * N_COLS + j];
            if (!(fabs(s - hostA[i * N_COLS + j]) <= 1e-2)) bad = 1;
        }
    printf("%s\n", bad ? "BAD" : "OK");
    cudaFree(A); cudaFree(B); cudaFree(C);
    return bad;
}
