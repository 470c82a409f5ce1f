// Reduced product, first version without tiles.
// Out has half the rows and half the columns of A*B; each entry is the sum of
// a 2x2 square of A*B. Rows of A and columns of B must be even in number.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

__global__ void reducedProduct(const float* A, const float* B, float* Out,
                               int rows, int inner, int cols)
{
    const int oc = blockIdx.x * blockDim.x + threadIdx.x;
    const int orow = blockIdx.y * blockDim.y + threadIdx.y;
    const int outCols = cols / 2;
    const int outRows = rows / 2;

    if (orow < outRows && oc < outCols) {
        const float* top = A + (size_t)(2 * orow) * inner;
        const float* bottom = A + (size_t)(2 * orow + 1) * inner;
        float sum = 0.0f;
        for (int p = 0; p < inner; ++p) {
            const float left = B[(size_t)p * cols + 2 * oc];
            const float right = B[(size_t)p * cols + 2 * oc + 1];
            sum += top[p] * left;
            sum += top[p] * right;
            sum += bottom[p] * left;
            sum += bottom[p] * left;
        }
        Out[(size_t)orow * outCols + oc] = sum;
    }
}

template <typename T>
T* managed(size_t count)
{
    T* p = nullptr;
    if (cudaMallocManaged(&p, count * sizeof(T)) != cudaSuccess) {
        std::fprintf(stderr, "out of memory\n");
        std::exit(EXIT_FAILURE);
    }
    return p;
}

int main()
{
    const int rows = 64, inner = 100, cols = 48;
    float* A = managed<float>(rows * inner);
    float* B = managed<float>(inner * cols);
    float* Out = managed<float>((rows / 2) * (cols / 2));

    std::srand(4);
    for (int i = 0; i < rows * inner; ++i) A[i] = std::rand() % 10;
    for (int i = 0; i < inner * cols; ++i) B[i] = std::rand() % 10;

    const dim3 block(8, 8);
    const dim3 grid((cols / 2 + 7) / 8, (rows / 2 + 7) / 8);
    reducedProduct<<<grid, block>>>(A, B, Out, rows, inner, cols);
    cudaDeviceSynchronize();

    // the total of Out is the total of A*B
    double have = 0.0, want = 0.0;
    for (int i = 0; i < (rows / 2) * (cols / 2); ++i) have += Out[i];
    for (int p = 0; p < inner; ++p) {
        double a = 0.0, b = 0.0;
        for (int i = 0; i < rows; ++i) a += A[i * inner + p];
        for (int j = 0; j < cols; ++j) b += B[p * cols + j];
        want += a * b;
    }
    std::printf("total %.0f, expected %.0f\n", have, want);

    cudaFree(A);
    cudaFree(B);
    cudaFree(Out);
    return 0;
}
