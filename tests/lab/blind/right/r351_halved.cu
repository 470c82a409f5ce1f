// Exercise 9: reduced matrix multiplication.
// R has M/2 rows and N/2 columns; R[i][j] is the sum of the four elements
// of A*B at rows 2i, 2i+1 and columns 2j, 2j+1. If M or N is odd, the last
// row or column of A*B is left out.
//
// One warp computes 32 neighbouring elements of one row of A*B. Pairs of
// columns are added by shuffle, pairs of rows through shared memory.
#include <cstdio>
#include <cstdlib>
#include <vector>

static const int W = 32;    // block width  = columns of A*B per block
static const int H = 8;     // block height = rows of A*B per block
static const int KT = 32;   // depth of a tile

__global__ void reducedMul(const float* A, const float* B, float* R, int M, int N, int K)
{
    __shared__ float a[H][KT];
    __shared__ float b[KT][W];
    __shared__ float pairs[H][W / 2];

    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int row = blockIdx.y * H + ty;
    int col = blockIdx.x * W + tx;

    float c = 0.0f;
    for (int base = 0; base < K; base += KT) {
        a[ty][tx] = (row < M && base + tx < K) ? A[row * K + base + tx] : 0.0f;
        for (int r = ty; r < KT; r += H)
            b[r][tx] = (base + r < K && col < N) ? B[(base + r) * N + col] : 0.0f;
        __syncthreads();
        for (int k = 0; k < KT; ++k)
            c += a[ty][k] * b[k][tx];
        __syncthreads();
    }

    // columns tx and tx+1 of the same row: same warp, since the block is 32 wide
    float two = c + __shfl_down_sync(0xffffffffu, c, 1);
    if (tx % 2 == 0)
        pairs[ty][tx / 2] = two;
    __syncthreads();

    if (ty < H / 2 && tx < W / 2) {
        int i = blockIdx.y * (H / 2) + ty;
        int j = blockIdx.x * (W / 2) + tx;
        if (i < M / 2 && j < N / 2)
            R[i * (N / 2) + j] = pairs[2 * ty][tx] + pairs[2 * ty + 1][tx];
    }
}

static bool test(int M, int N, int K)
{
    int m2 = M / 2, n2 = N / 2;
    std::vector<float> A(M * K), B(K * N), R(m2 * n2);
    for (auto& v : A) v = float(rand() % 9 - 4);
    for (auto& v : B) v = float(rand() % 9 - 4);

    float *dA, *dB, *dR;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dR, R.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(W, H);
    dim3 grid((N + W - 1) / W, (M + H - 1) / H);
    reducedMul<<<grid, block>>>(dA, dB, dR, M, N, K);
    cudaMemcpy(R.data(), dR, R.size() * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dR);

    for (int i = 0; i < m2; ++i)
        for (int j = 0; j < n2; ++j) {
            float s = 0;
            for (int k = 0; k < K; ++k)
                s += (A[2 * i * K + k] + A[(2 * i + 1) * K + k]) *
                     (B[k * N + 2 * j] + B[k * N + 2 * j + 1]);
            if (s != R[i * n2 + j]) return false;   // small whole numbers: exact
        }
    return true;
}

int main()
{
    bool ok = test(64, 64, 64) && test(10, 70, 33) && test(30, 6, 1) && test(21, 35, 40);
    printf("%s\n", ok ? "passed" : "FAILED");
    return ok ? 0 : 1;
}
