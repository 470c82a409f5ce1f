// 실습 2: 공유 메모리를 쓰는 전치 행렬
#include <stdio.h>
#include <stdlib.h>

#define TILE 32
#define ROWS 8

#define CHECK(call) { cudaError_t err = (call); if (err != cudaSuccess) { \
    printf("오류: %s (%d)\n", cudaGetErrorString(err), __LINE__); exit(1); } }

__global__ void jeonchi(const int *in, int *out, int width, int height)
{
    __shared__ int tile[TILE][TILE + 1];

    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int r = 0; r < TILE; r += ROWS)
        if (x < width && y + r < height)
            tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * width + x];
    __syncthreads();

    // 블록 위치를 바꾼다
    int ox = blockIdx.y * TILE + threadIdx.x;
    int oy = blockIdx.x * TILE + threadIdx.y;
    for (int r = 0; r < TILE; r += ROWS)
        if (ox < height && oy + r < width)
            out[(oy + r) * width + ox] = tile[threadIdx.x][threadIdx.y + r];
}

int main(void)
{
    int width = 300, height = 170;
    size_t bytes = (size_t)width * height * sizeof(int);
    int *h_in = (int *)malloc(bytes);
    int *h_out = (int *)malloc(bytes);
    for (int i = 0; i < width * height; i++) h_in[i] = i;

    int *d_in, *d_out;
    CHECK(cudaMalloc(&d_in, bytes));
    CHECK(cudaMalloc(&d_out, bytes));
    CHECK(cudaMemcpy(d_in, h_in, bytes, cudaMemcpyHostToDevice));

    dim3 block(TILE, ROWS);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    jeonchi<<<grid, block>>>(d_in, d_out, width, height);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(h_out, d_out, bytes, cudaMemcpyDeviceToHost));

    int bad = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (h_out[x * height + y] != h_in[y * width + x]) bad++;
    printf("틀린 원소: %d\n", bad);

    cudaFree(d_in);
    cudaFree(d_out);
    free(h_in);
    free(h_out);
    return 0;
}
