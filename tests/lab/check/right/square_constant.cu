#define N 256
__global__ void matmul(float A[N][N], float B[N][N], float C[N][N])
{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && j < N) {
        float s = 0;
        for (int k = 0; k < N; k++) s += A[i][k] * B[k][j];
        C[i][j] = s;
    }
}
