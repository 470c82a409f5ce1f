#include <iostream>
#include <cuda_runtime.h>

#define T 32

struct Matrix {
    int height, width;
    float *data;
    Matrix(int h, int w) : height(h), width(w) { cudaMallocManaged(&data, sizeof(float) * h * w); }
    void release() { cudaFree(data); }
};

struct View { int height, width; float *data; };

__global__ void product(View A, View B, View C)
{
    __shared__ float ta[T][T + 1];
    __shared__ float tb[T][T + 1];
    int row = blockIdx.y * T + threadIdx.y;
    int col = blockIdx.x * T + threadIdx.x;
    float sum = 0.0f;

    int phases = A.width / T;
    for (int p = 0; p < phases; ++p) {
        int x = p * T + threadIdx.x;
        int y = p * T + threadIdx.y;
        ta[threadIdx.y][threadIdx.x] = (row < A.height && x < A.width) ? A.data[row * A.width + x] : 0.0f;
        tb[threadIdx.y][threadIdx.x] = (y < B.height && col < B.width) ? B.data[y * B.width + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < T; ++i)
            sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < C.height && col < C.width)
        C.data[row * C.width + col] = sum;
}

void multiply(const Matrix &A, const Matrix &B, Matrix &C)
{
    View a = {A.height, A.width, A.data}, b = {B.height, B.width, B.data}, c = {C.height, C.width, C.data};
    dim3 block(T, T);
    dim3 grid((C.width + T - 1) / T, (C.height + T - 1) / T);
    product<<<grid, block>>>(a, b, c);
    cudaDeviceSynchronize();
}

int main()
{
    Matrix A(130, 75), B(75, 90), C(130, 90);
    for (int i = 0; i < A.height * A.width; ++i) A.data[i] = 1 + i % 5;
    for (int i = 0; i < B.height * B.width; ++i) B.data[i] = 1 + i % 7;
    multiply(A, B, C);

    bool same = true;
    for (int i = 0; i < C.height; ++i)
        for (int j = 0; j < C.width; ++j) {
            float s = 0;
            for (int k = 0; k < A.width; ++k) s += A.data[i * A.width + k] * B.data[k * B.width + j];
            same = same && s == C.data[i * C.width + j];
        }
    std::cout << (same ? "same" : "not the same") << "\n";
    A.release(); B.release(); C.release();
    return 0;
}
