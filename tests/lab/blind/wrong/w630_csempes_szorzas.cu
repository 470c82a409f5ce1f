// Mátrixszorzás állandó számú blokkal: minden blokk több csempét számol ki egymás után
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <cuda_runtime.h>

#define CS 16

static void ell(cudaError_t e, const char *mit)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", mit, cudaGetErrorString(e));
        exit(1);
    }
}

__global__ void szorzas(const double *a, const double *b, double *c,
                        int m, int n, int k, int csempeX, int csempeDb)
{
    __shared__ double sa[CS][CS];
    __shared__ double sb[CS][CS];
    int x = threadIdx.x;
    int y = threadIdx.y;
    double osszeg = 0.0;

    for (int cs = blockIdx.x; cs < csempeDb; cs += gridDim.x) {
        int sor    = (cs / csempeX) * CS + y;
        int oszlop = (cs % csempeX) * CS + x;

        for (int p = 0; p < k; p += CS) {
            sa[y][x] = (sor < m && p + x < k)    ? a[(size_t)sor * k + p + x]        : 0.0;
            sb[y][x] = (p + y < k && oszlop < n) ? b[(size_t)(p + y) * n + oszlop]   : 0.0;
            __syncthreads();
            for (int q = 0; q < CS; q++)
                osszeg += sa[y][q] * sb[q][x];
            __syncthreads();
        }

        if (sor < m && oszlop < n)
            c[(size_t)sor * n + oszlop] = osszeg;
    }
}

int main(int argc, char **argv)
{
    int m = argc > 1 ? atoi(argv[1]) : 700;
    int n = argc > 2 ? atoi(argv[2]) : 900;
    int k = argc > 3 ? atoi(argv[3]) : 120;
    if (m < 1 || n < 1 || k < 1) {
        printf("hasznalat: %s m n k\n", argv[0]);
        return 1;
    }
    size_t ba = sizeof(double) * m * k, bb = sizeof(double) * k * n, bc = sizeof(double) * m * n;
    double *ha = (double *)malloc(ba), *hb = (double *)malloc(bb), *hc = (double *)malloc(bc);
    for (int i = 0; i < m * k; i++) ha[i] = i % 7 - 3;
    for (int i = 0; i < k * n; i++) hb[i] = i % 5 + 1;

    double *da, *db, *dc;
    ell(cudaMalloc(&da, ba), "malloc a");
    ell(cudaMalloc(&db, bb), "malloc b");
    ell(cudaMalloc(&dc, bc), "malloc c");
    ell(cudaMemcpy(da, ha, ba, cudaMemcpyHostToDevice), "masolas a");
    ell(cudaMemcpy(db, hb, bb, cudaMemcpyHostToDevice), "masolas b");

    int sm = 1;
    ell(cudaDeviceGetAttribute(&sm, cudaDevAttrMultiProcessorCount, 0), "SM szam");
    int csempeX = (n + CS - 1) / CS;
    int csempeY = (m + CS - 1) / CS;
    int db_csempe = csempeX * csempeY;
    int blokkok = db_csempe < 2 * sm ? db_csempe : 2 * sm;
    szorzas<<<blokkok, dim3(CS, CS)>>>(da, db, dc, m, n, k, csempeX, db_csempe);
    ell(cudaGetLastError(), "inditas");
    ell(cudaMemcpy(hc, dc, bc, cudaMemcpyDeviceToHost), "masolas vissza");

    printf("c[0][0] = %g, c[%d][%d] = %g\n", hc[0], m - 1, n - 1, hc[(size_t)m * n - 1]);
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
    free(ha);
    free(hb);
    free(hc);
    return 0;
}
