// Matrix transpose through a padded shared tile, with leading dimensions.
//   src: rows x cols (row stride lds >= cols)
//   dst: cols x rows (row stride ldd >= rows)
//
// Launch used in the benchmark:
//   dim3 block(16, 16);
//   dim3 grid((cols + 15) / 16, (rows + 15) / 16);
//   transpose<float><<<grid, block>>>(dst, ldd, src, lds, rows, cols);

constexpr int N_TILE = 16;

template <class T>
__global__ void transpose(T* __restrict__ dst, int ldd,
                          const T* __restrict__ src, int lds,
                          int rows, int cols)
{
    __shared__ T tile[N_TILE][N_TILE + 1];

    {
        const int c = blockIdx.x * N_TILE + threadIdx.x;
        const int r = blockIdx.y * N_TILE + threadIdx.y;
        if (r < rows && c < cols)
            tile[threadIdx.y][threadIdx.x] = src[r * lds + c];
    }
    __syncthreads();
    {
        const int r = blockIdx.y * N_TILE + threadIdx.x;   // column of dst
        const int c = blockIdx.x * N_TILE + threadIdx.y;   // row of dst
        if (r < rows && c < cols)
            dst[c * lds + r] = tile[threadIdx.x][threadIdx.y];
    }
}

template __global__ void transpose<float>(float*, int, const float*, int, int, int);
template __global__ void transpose<short>(short*, int, const short*, int, int, int);
