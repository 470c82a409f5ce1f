#include <cstdio>
#include <vector>

#define TILE 32
#define ROWS 8

// out (w x h) = transpose of in (h x w)
template <class T>
__global__ void transpose(T *out, const T *in, int w, int h)
{
    __shared__ T buf[TILE][TILE + 1];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int r = 0; r < TILE; r += ROWS)
        if (x < w && y + r < h)
            buf[threadIdx.y + r][threadIdx.x] = in[(y + r) * w + x];

    __syncthreads();

    x = blockIdx.y * TILE + threadIdx.x;    // swapped block offset
    y = blockIdx.x * TILE + threadIdx.y;
    for (int r = 0; r < TILE; r += ROWS)
        if (x < h && y + r < w)
            out[(y + r) * h + x] = buf[threadIdx.x][threadIdx.y + r];
}

int main()
{
    const int h = 100, w = 71;
    std::vector<double> a(h * w), b(h * w);
    for (int i = 0; i < h * w; i++) a[i] = i;
    double *da, *db;
    cudaMalloc(&da, a.size() * sizeof(double));
    cudaMalloc(&db, b.size() * sizeof(double));
    cudaMemcpy(da, a.data(), a.size() * sizeof(double), cudaMemcpyHostToDevice);
    dim3 grid((w + TILE - 1) / TILE, (h + TILE - 1) / TILE);
    transpose<double><<<grid, dim3(TILE, ROWS)>>>(db, da, w, h);
    cudaMemcpy(b.data(), db, b.size() * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++)
            if (b[j * h + i] != a[i * w + j]) { printf("wrong %d %d\n", i, j); return 1; }
    printf("transpose ok\n");
    cudaFree(da);
    cudaFree(db);
    return 0;
}
