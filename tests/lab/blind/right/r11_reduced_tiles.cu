// "Reduced" matrix product: neighbouring rows of A and neighbouring columns of B
// are added, then multiplied:
//   C[i][j] = sum_k (A[2i][k] + A[2i+1][k]) * (B[k][2j] + B[k][2j+1])
// A: 2H x K,  B: K x 2W,  C: H x W
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TILE 16

__global__ void reducedMul(const float* A, const float* B, float* C, int H, int W, int K)
{
    __shared__ float sa[TILE][TILE];
    __shared__ float sb[TILE][TILE];

    int i = blockIdx.y * TILE + threadIdx.y;
    int j = blockIdx.x * TILE + threadIdx.x;
    int widthB = 2 * W;

    float acc = 0.0f;
    for (int t = 0; t < (K + TILE - 1) / TILE; t++) {
        int ka = t * TILE + threadIdx.x;
        int kb = t * TILE + threadIdx.y;

        // do the addition already while loading, saves half the shared memory
        if (i < H && ka < K)
            sa[threadIdx.y][threadIdx.x] = A[(2 * i) * K + ka] + A[(2 * i + 1) * K + ka];
        else
            sa[threadIdx.y][threadIdx.x] = 0.0f;
        if (j < W && kb < K)
            sb[threadIdx.y][threadIdx.x] = B[kb * widthB + 2 * j] + B[kb * widthB + 2 * j + 1];
        else
            sb[threadIdx.y][threadIdx.x] = 0.0f;
        __syncthreads();

        for (int k = 0; k < TILE; k++)
            acc += sa[threadIdx.y][k] * sb[k][threadIdx.x];
        __syncthreads();
    }
    if (i < H && j < W)
        C[i * W + j] = acc;
}

int main()
{
    int H = 75, W = 60, K = 130;
    int nA = 2 * H * K, nB = K * 2 * W, nC = H * W;
    float *A = new float[nA], *B = new float[nB], *C = new float[nC];
    for (int x = 0; x < nA; x++) A[x] = (x % 9) * 0.125f;
    for (int x = 0; x < nB; x++) B[x] = (x % 14) * 0.25f - 1.0f;

    float *a, *b, *c;
    cudaMalloc(&a, nA * 4);
    cudaMalloc(&b, nB * 4);
    cudaMalloc(&c, nC * 4);
    cudaMemcpy(a, A, nA * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(b, B, nB * 4, cudaMemcpyHostToDevice);
    dim3 blk(TILE, TILE), grd((W + TILE - 1) / TILE, (H + TILE - 1) / TILE);
    reducedMul<<<grd, blk>>>(a, b, c, H, W, K);
    cudaMemcpy(C, c, nC * 4, cudaMemcpyDeviceToHost);

    bool ok = true;
    for (int i = 0; i < H; i++)
        for (int j = 0; j < W; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += (A[2 * i * K + k] + A[(2 * i + 1) * K + k]) * (B[k * 2 * W + 2 * j] + B[k * 2 * W + 2 * j + 1]);
            if (!(fabs(s - C[i * W + j]) <= 1e-2)) ok = false;
        }
    printf("%s\n", ok ? "OK" : "BAD");
    cudaFree(a); cudaFree(b); cudaFree(c);
    delete[] A; delete[] B; delete[] C;
    return ok ? 0 : 1;
}
