#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Shape {
    int m, n, k;
    int batch;
    __host__ __device__ size_t sizeA() const { return (size_t)m * k; }
    __host__ __device__ size_t sizeB() const { return (size_t)k * n; }
    __host__ __device__ size_t sizeC() const { return (size_t)m * n; }
};

// blockIdx.z picks the matrix of the batch; x and y cover C as usual.
__global__ void batchedProduct(Shape s, const double* A, const double* B, double* C)
{
    const double* a = A + blockIdx.z * s.sizeA();
    const double* b = B + blockIdx.z * s.sizeB();
    double* c = C + blockIdx.z * s.sizeC();

    for (int i = blockIdx.y * blockDim.y + threadIdx.y; i < s.m; i += gridDim.y * blockDim.y)
        for (int j = blockIdx.x * blockDim.x + threadIdx.x; j < s.n; j += gridDim.x * blockDim.x) {
            double v = 0.0;
            for (int p = 0; p < s.k; ++p)
                v = fma(a[i * s.k + p], b[p * s.n + j], v);
            c[i * s.n + j] = v;
        }
}

int main()
{
    Shape s = {20, 12, 33, 50};
    std::vector<double> a(s.batch * s.sizeA()), b(s.batch * s.sizeB()), c(s.batch * s.sizeC());
    for (size_t i = 0; i < a.size(); ++i) a[i] = (double)(i % 13);
    for (size_t i = 0; i < b.size(); ++i) b[i] = (double)(i % 19) - 9.0;

    double *da = nullptr, *db = nullptr, *dc = nullptr;
    cudaMalloc(&da, a.size() * sizeof(double));
    cudaMalloc(&db, b.size() * sizeof(double));
    cudaMalloc(&dc, c.size() * sizeof(double));
    cudaMemcpy(da, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(double), cudaMemcpyHostToDevice);

    // deliberately a small grid in x and y: the kernel strides over C
    batchedProduct<<<dim3(1, 2, s.batch), dim3(8, 8)>>>(s, da, db, dc);
    if (cudaGetLastError() != cudaSuccess) { puts("launch failed"); return 1; }
    cudaMemcpy(c.data(), dc, c.size() * sizeof(double), cudaMemcpyDeviceToHost);

    int wrong = 0;
    for (int z = 0; z < s.batch; ++z)
        for (int i = 0; i < s.m; ++i)
            for (int j = 0; j < s.n; ++j) {
                double v = 0.0;
                for (int p = 0; p < s.k; ++p)
                    v += a[z * s.sizeA() + i * s.k + p] * b[z * s.sizeB() + p * s.n + j];
                if (v != c[z * s.sizeC() + i * s.n + j]) ++wrong;
            }
    printf("%d wrong of %zu\n", wrong, c.size());
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return wrong ? 1 : 0;
}
