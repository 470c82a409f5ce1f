// Trabalho 3 - produto reduzido em tres etapas (precisao dupla)
//   1) As = soma dos pares de linhas de A      (m/2 x k)
//   2) Bs = soma dos pares de colunas de B     (k x n/2)
//   3) C  = As * Bs, com blocos 1D de 256 threads, cada bloco faz 32x32 de C
#include <cuda_runtime.h>
#include <cassert>

__global__ void somaLinhas(const double *A, double *As, int m2, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < m2 && j < k)
        As[i * k + j] = A[2 * i * k + j] + A[(2 * i + 1) * k + j];
}

__global__ void somaColunas(const double *B, double *Bs, int k, int n2)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < k && j < n2)
        Bs[i * n2 + j] = B[i * 2 * n2 + 2 * j] + B[i * 2 * n2 + 2 * j + 1];
}

#define LADO 32
#define PROF 8

// P = X * Y, X: l x k, Y: k x c
__global__ void produto(const double *X, const double *Y, double *P, int l, int c, int k)
{
    __shared__ double xs[LADO][PROF];
    __shared__ double ys[PROF][LADO];

    int tid = threadIdx.x;
    int tx = tid % 16, ty = tid / 16;
    int lin0 = blockIdx.y * LADO, col0 = blockIdx.x * LADO;

    double s[2][2] = {{0, 0}, {0, 0}};

    for (int p = 0; p < k; p += PROF) {
        int xi = tid / PROF, xp = tid % PROF;
        int yp = tid / LADO, yj = tid % LADO;
        xs[xi][xp] = (lin0 + xi < l && p + xp < k) ? X[(lin0 + xi) * k + p + xp] : 0.0;
        ys[yp][yj] = (p + yp < k && col0 + yj < c) ? Y[(p + yp) * c + col0 + yj] : 0.0;
        __syncthreads();

        for (int q = 0; q < PROF; q++) {
            double x0 = xs[ty][q], x1 = xs[ty + 16][q];
            double y0 = ys[q][tx], y1 = ys[q][tx + 16];
            s[0][0] += x0 * y0;
            s[0][1] += x0 * y1;
            s[1][0] += x1 * y0;
            s[1][1] += x1 * y1;
        }
        __syncthreads();
    }

    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            int i = lin0 + ty + 16 * a;
            int j = col0 + tx + 16 * b;
            if (i < l && j < c)
                P[i * c + j] = s[a][b];
        }
}

static int teto(int a, int b) { return (a + b - 1) / b; }

// dA (m x k), dB (k x n), dC (m/2 x n/2) na memoria da GPU
void produtoReduzido(const double *dA, const double *dB, double *dC, int m, int n, int k)
{
    assert(m > 0 && n > 0 && k > 0);
    assert(m % 2 == 0 && n % 2 == 0);
    int m2 = m / 2, n2 = n / 2;

    double *As, *Bs;
    cudaMalloc(&As, sizeof(double) * m2 * k);
    cudaMalloc(&Bs, sizeof(double) * k * n2);

    dim3 bloco(32, 8);
    somaLinhas<<<dim3(teto(k, 32), teto(m2, 8)), bloco>>>(dA, As, m2, k);
    somaColunas<<<dim3(teto(n2, 32), teto(k, 8)), bloco>>>(dB, Bs, k, n2);
    produto<<<dim3(teto(n2, LADO), teto(m2, LADO)), 256>>>(As, Bs, dC, m2, n2, k);
    cudaDeviceSynchronize();

    cudaFree(As);
    cudaFree(Bs);
}
