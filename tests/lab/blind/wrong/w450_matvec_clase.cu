#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

// y = A x, un hilo por fila
__global__ void matvec(const float *A, const float *x, float *y, int filas, int cols)
{
    int f = blockIdx.x * blockDim.x + threadIdx.x;
    if (f < filas) {
        float s = 0.0f;
        for (int c = 0; c < cols; ++c)
            s += A[f * cols + c] * x[c];
        y[f] = s;
    }
}

class MatrizGPU {
    int filas_, cols_;
    float *A_, *x_, *y_;

public:
    MatrizGPU(int filas, int cols, const std::vector<float> &valores)
        : filas_(filas), cols_(cols)
    {
        cudaMalloc(&A_, sizeof(float) * filas * cols);
        cudaMalloc(&x_, sizeof(float) * cols);
        cudaMalloc(&y_, sizeof(float) * filas);
        cudaMemcpy(A_, valores.data(), sizeof(float) * filas * cols, cudaMemcpyHostToDevice);
    }
    ~MatrizGPU()
    {
        cudaFree(A_);
        cudaFree(x_);
        cudaFree(y_);
    }

    // x tiene tantas entradas como columnas la matriz
    std::vector<float> por(const std::vector<float> &x)
    {
        std::vector<float> y(filas_);
        cudaMemcpy(x_, x.data(), sizeof(float) * filas_, cudaMemcpyHostToDevice);
        matvec<<<(filas_ + 127) / 128, 128>>>(A_, x_, y_, filas_, cols_);
        cudaMemcpy(y.data(), y_, sizeof(float) * filas_, cudaMemcpyDeviceToHost);
        return y;
    }
};

int main()
{
    const int n = 500;
    std::vector<float> A(n * n), x(n);
    for (int i = 0; i < n * n; ++i)
        A[i] = (i % 17) * 0.1f;
    for (int i = 0; i < n; ++i)
        x[i] = i % 2 ? 1.0f : 2.0f;

    MatrizGPU m(n, n, A);
    std::vector<float> y = m.por(x);
    printf("%f %f %f\n", y[0], y[1], y[n - 1]);
    return 0;
}
