#include <iostream>
#include <vector>
#include <cuda_runtime.h>

constexpr int TILE = 16;

template <int S>
__global__ void intProduct(const int* a, const int* b, int* c, int rows, int cols, int inner)
{
    __shared__ int sa[S * S];
    __shared__ int sb[S * S];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * S + ty;
    const int col = blockIdx.x * S + tx;

    int value = 0;
    for (int p = 0; p < (inner + S - 1) / S; ++p) {
        const int ka = p * S + tx;
        const int kb = p * S + ty;
        sa[ty * S + tx] = (row < rows && ka < inner) ? a[row * inner + ka] : 0;
        sb[ty * S + tx] = (kb < inner && col < cols) ? b[kb * cols + col] : 0;
        __syncthreads();
        for (int k = 0; k < S; ++k)
            value += sa[ty * S + k] * sb[k * S + tx];
        __syncthreads();
    }
    if (row < rows && col < cols)
        c[row * cols + col] = value;
}

void multiply(const std::vector<int>& a, const std::vector<int>& b, std::vector<int>& c,
              int rows, int cols, int inner)
{
    int *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(int));
    cudaMalloc(&db, b.size() * sizeof(int));
    cudaMalloc(&dc, c.size() * sizeof(int));
    cudaMemcpy(da, a.data(), a.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(int), cudaMemcpyHostToDevice);

    const int blocksX = (cols + TILE - 1) / TILE;
    const int blocksY = rows / TILE;
    dim3 grid(blocksX, blocksY);
    dim3 block(TILE, TILE);
    intProduct<TILE><<<grid, block>>>(da, db, dc, rows, cols, inner);

    cudaMemcpy(c.data(), dc, c.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}

int main()
{
    std::vector<int> a(100 * 77), b(77 * 120), c(100 * 120, -1);
    for (size_t i = 0; i < a.size(); ++i) a[i] = i % 14;
    for (size_t i = 0; i < b.size(); ++i) b[i] = i % 15;
    multiply(a, b, c, 100, 120, 77);

    int differing = 0;
    for (int i = 0; i < 100; ++i)
        for (int j = 0; j < 120; ++j) {
            int s = 0;
            for (int k = 0; k < 77; ++k) s += a[i * 77 + k] * b[k * 120 + j];
            differing += (s != c[i * 120 + j]);
        }
    std::cout << "differing elements: " << differing << std::endl;
    return 0;
}
