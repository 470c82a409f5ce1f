// 行列積 C = A * B (ユニファイドメモリ版)
#include <cstdio>
#include <cmath>
#include <cuda_runtime.h>

struct Matrix {
    int rows, cols;
    double *data;
    __host__ __device__ double &at(int r, int c) const { return data[r * cols + c]; }
};

static Matrix makeMatrix(int rows, int cols)
{
    Matrix m = {rows, cols, nullptr};
    cudaMallocManaged(&m.data, sizeof(double) * rows * cols);
    return m;
}

// 1スレッドが C の1要素を計算する
__global__ void multiply(Matrix a, Matrix b, Matrix c)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < c.rows && col < c.cols) {
        double sum = 0.0;
        for (int k = 0; k < a.cols; k++)
            sum += a.at(row, k) * b.at(k, col);
        c.at(row, col) = sum;
    }
}

int main()
{
    Matrix a = makeMatrix(400, 350);
    Matrix b = makeMatrix(350, 300);
    Matrix c = makeMatrix(400, 300);

    for (int i = 0; i < a.rows; i++)
        for (int k = 0; k < a.cols; k++)
            a.at(i, k) = i + k;
    for (int k = 0; k < b.rows; k++)
        for (int j = 0; j < b.cols; j++)
            b.at(k, j) = k - j;

    dim3 block(16, 16);
    dim3 grid((c.cols + 15) / 16, (c.rows + 15) / 16);
    multiply<<<grid, block>>>(a, b, c);

    // CPU で検算
    double maxDiff = 0.0;
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.cols; j++) {
            double s = 0.0;
            for (int k = 0; k < a.cols; k++)
                s += a.at(i, k) * b.at(k, j);
            maxDiff = fmax(maxDiff, fabs(s - c.at(i, j)));
        }
    printf("最大誤差 = %g\n", maxDiff);

    cudaFree(a.data);
    cudaFree(b.data);
    cudaFree(c.data);
    return maxDiff > 0.0;
}
