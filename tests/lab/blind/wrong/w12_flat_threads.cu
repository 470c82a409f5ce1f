#include <iostream>
#include <vector>
#include <cuda_runtime.h>
using namespace std;

// one dimensional launch, thread id -> (row, col)
__global__ void mulFlat(const int* a, const int* b, int* c, int rows, int inner, int cols)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    int row = id / cols;
    int col = id % cols;

    int total = 0;
    if (row < rows) {
        for (int k = 0; k < inner; k++)
            total += a[row * inner + k] * b[k * cols + col];
    }
    c[id] = total;
}

bool mul(int rows, int inner, int cols)
{
    vector<int> a(rows * inner), b(inner * cols), c(rows * cols, 0);
    for (size_t i = 0; i < a.size(); i++) a[i] = (int)(i % 11) - 5;
    for (size_t i = 0; i < b.size(); i++) b[i] = (int)(i % 13) - 6;

    int *pa, *pb, *pc;
    cudaMalloc((void**)&pa, a.size() * sizeof(int));
    cudaMalloc((void**)&pb, b.size() * sizeof(int));
    cudaMalloc((void**)&pc, c.size() * sizeof(int));
    cudaMemcpy(pa, &a[0], a.size() * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(pb, &b[0], b.size() * sizeof(int), cudaMemcpyHostToDevice);

    int threads = 256;
    int blocks = (rows * cols + threads - 1) / threads;
    mulFlat<<<blocks, threads>>>(pa, pb, pc, rows, inner, cols);
    cudaMemcpy(&c[0], pc, c.size() * sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(pa);
    cudaFree(pb);
    cudaFree(pc);

    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            int s = 0;
            for (int k = 0; k < inner; k++) s += a[i * inner + k] * b[k * cols + j];
            if (s != c[i * cols + j]) return false;
        }
    return true;
}

int main()
{
    cout << (mul(70, 90, 110) ? "equal" : "not equal") << endl;
    return 0;
}
