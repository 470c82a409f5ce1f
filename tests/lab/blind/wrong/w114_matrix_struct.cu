#include <cuda_runtime.h>

// simple row-major matrix view
struct Mat {
    float* data;
    int rows;
    int cols;
    __host__ __device__ float& at(int r, int c) const { return data[r * cols + c]; }
    __host__ __device__ bool has(int r, int c) const { return r < rows && c < cols; }
};

#define B_SIZE 16

__global__ void matMulStruct(const Mat a, const Mat b, Mat c)
{
    __shared__ float sa[B_SIZE][B_SIZE];
    __shared__ float sb[B_SIZE][B_SIZE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int r = blockIdx.y * B_SIZE + y;
    const int q = blockIdx.x * B_SIZE + x;

    int total = 0;
    for (int t = 0; t < a.cols; t += B_SIZE) {
        sa[y][x] = a.has(r, t + x) ? a.at(r, t + x) : 0.f;
        sb[y][x] = b.has(t + y, q) ? b.at(t + y, q) : 0.f;
        __syncthreads();
        for (int i = 0; i < B_SIZE; i++)
            total += sa[y][i] * sb[i][x];
        __syncthreads();
    }
    if (c.has(r, q))
        c.at(r, q) = total;
}

// a.cols == b.rows, c is a.rows x b.cols; data pointers are device pointers
void matMul(const Mat& a, const Mat& b, Mat& c)
{
    dim3 threads(B_SIZE, B_SIZE);
    dim3 blocks((c.cols + B_SIZE - 1) / B_SIZE, (c.rows + B_SIZE - 1) / B_SIZE);
    matMulStruct<<<blocks, threads>>>(a, b, c);
}
