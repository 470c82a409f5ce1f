// Dynamic shared memory version; the tile side is chosen at run time (8, 16 or 32).
// C = A * B, square n x n, row-major, float or double.
#include <stdexcept>
#include <cuda_runtime.h>

template <typename T>
__global__ void mm_dynamic(const T *A, const T *B, T *C, int n)
{
    extern __shared__ __align__(16) unsigned char raw[];
    const int side = blockDim.x;
    T *ta = reinterpret_cast<T *>(raw);
    T *tb = ta + side * side;

    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * side + y;
    const int col = blockIdx.x * side + x;

    T sum = 0;
    for (int base = 0; base < n; base += side) {
        ta[y * side + x] = (row < n && base + x < n) ? A[(size_t)row * n + base + x] : T(0);
        tb[y * side + x] = (base + y < n && col < n) ? B[(size_t)(base + y) * n + col] : T(0);
        __syncthreads();
        for (int k = 0; k < side; ++k)
            sum += ta[y * side + k] * tb[k * side + x];
        __syncthreads();
    }
    if (row < n && col < n)
        C[(size_t)row * n + col] = sum;
}

// Device pointers.
template <typename T>
void mm(const T *A, const T *B, T *C, int n, int side)
{
    if (side != 8 && side != 16 && side != 32)
        throw std::invalid_argument("tile side");
    dim3 block(side, side);
    dim3 grid((n + side - 1) / side, (n + side - 1) / side);
    size_t shared = 2 * side * side * sizeof(float);
    mm_dynamic<T><<<grid, block, shared>>>(A, B, C, n);
    if (cudaGetLastError() != cudaSuccess)
        throw std::runtime_error("launch");
}

template void mm<float>(const float *, const float *, float *, int, int);
template void mm<double>(const double *, const double *, double *, int, int);
