// 課題3: 共有メモリを使った行列の転置
// 入力 rows x cols、出力 cols x rows（任意の大きさ）
#include <cstdio>
#include <vector>

#define TILE 16

__global__ void tenchi(const float *in, float *out, int rows, int cols)
{
    __shared__ float t[TILE][TILE + 1];

    int c = blockIdx.x * TILE + threadIdx.x;
    int r = blockIdx.y * TILE + threadIdx.y;
    if (r < rows && c < cols)
        t[threadIdx.y][threadIdx.x] = in[r * cols + c];
    __syncthreads();

    // 出力側の座標
    int oc = blockIdx.y * TILE + threadIdx.x;
    int orow = blockIdx.x * TILE + threadIdx.y;
    if (orow < cols && oc < rows)
        out[orow * rows + oc] = t[threadIdx.x][threadIdx.y];
}

int main()
{
    const int rows = 100, cols = 35;
    std::vector<float> a(rows * cols), b(rows * cols);
    for (int i = 0; i < rows * cols; i++)
        a[i] = i + 1;

    float *da, *db;
    cudaMalloc(&da, rows * cols * sizeof(float));
    cudaMalloc(&db, rows * cols * sizeof(float));
    cudaMemcpy(da, a.data(), rows * cols * sizeof(float), cudaMemcpyHostToDevice);

    dim3 block(TILE, TILE);
    dim3 grid((rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);
    tenchi<<<grid, block>>>(da, db, rows, cols);
    cudaMemcpy(b.data(), db, rows * cols * sizeof(float), cudaMemcpyDeviceToHost);

    int ng = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            if (b[j * rows + i] != a[i * cols + j])
                ng++;
    printf("不一致: %d\n", ng);
    cudaFree(da);
    cudaFree(db);
    return ng != 0;
}
