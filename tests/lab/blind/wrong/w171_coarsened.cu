// Thread coarsening: each block computes COARSE neighbouring tiles in x direction
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define TILE 16
#define COARSE 4

__global__ void matmulCoarse(const float *M, const float *N, float *P, int width)
{
    __shared__ float Ms[TILE][TILE];
    __shared__ float Ns[TILE][TILE];

    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int colStart = blockIdx.x * TILE * COARSE + tx;

    float pValue = 0.0f;

    for (int c = 0; c < COARSE; c++) {
        int col = colStart + c * TILE;

        for (int ph = 0; ph < (width + TILE - 1) / TILE; ph++) {
            int mc = ph * TILE + tx;
            int nr = ph * TILE + ty;
            Ms[ty][tx] = (row < width && mc < width) ? M[row * width + mc] : 0.0f;
            Ns[ty][tx] = (nr < width && col < width) ? N[nr * width + col] : 0.0f;
            __syncthreads();

            for (int k = 0; k < TILE; k++)
                pValue += Ms[ty][k] * Ns[k][tx];
            __syncthreads();
        }

        if (row < width && col < width)
            P[row * width + col] = pValue;
    }
}

int main(int argc, char *argv[])
{
    int width = 130;
    if (argc > 1) width = atoi(argv[1]);
    int count = width * width;
    float *M, *N, *P;
    cudaMallocManaged(&M, count * sizeof(float));
    cudaMallocManaged(&N, count * sizeof(float));
    cudaMallocManaged(&P, count * sizeof(float));
    for (int i = 0; i < count; i++) {
        M[i] = (float)(i % 3);
        N[i] = (float)(i % 4) - 1.5f;
    }

    dim3 dimBlock(TILE, TILE);
    dim3 dimGrid((width + TILE * COARSE - 1) / (TILE * COARSE), (width + TILE - 1) / TILE);
    matmulCoarse<<<dimGrid, dimBlock>>>(M, N, P, width);
    cudaDeviceSynchronize();

    bool ok = true;
    for (int i = 0; i < width && ok; i++)
        for (int j = 0; j < width; j++) {
            float s = 0;
            for (int k = 0; k < width; k++)
                s += M[i * width + k] * N[k * width + j];
            if (fabsf(s - P[i * width + j]) > 1e-2f) {
                printf("mismatch at (%d,%d): %f instead of %f\n", i, j, P[i * width + j], s);
                ok = false;
                break;
            }
        }
    if (ok) printf("OK\n");
    cudaFree(M); cudaFree(N); cudaFree(P);
    return ok ? 0 : 1;
}
