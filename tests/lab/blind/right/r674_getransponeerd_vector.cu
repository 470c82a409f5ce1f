// y = A^T * x in twee stappen.
// A heeft "rijen" x "kolommen" elementen, rij na rij opgeslagen; x heeft "rijen" elementen.
#include <cstdio>
#include <cstdlib>
#include <cmath>

#define DRADEN 64
#define RIJEN_PER_BLOK 50

// stap 1: elk blok neemt een strook rijen en DRADEN kolommen
__global__ void deelsommen(const double *A, const double *x, double *deel, int rijen, int kolommen)
{
    int k = blockIdx.x * DRADEN + threadIdx.x;
    int eerste = blockIdx.y * RIJEN_PER_BLOK;
    int laatste = min(eerste + RIJEN_PER_BLOK, rijen);
    if (k < kolommen) {
        double s = 0.0;
        for (int r = eerste; r < laatste; r++)
            s += A[r * kolommen + k] * x[r];
        deel[blockIdx.y * kolommen + k] = s;
    }
}

// stap 2: tel de stroken op
__global__ void optellen(const double *deel, double *y, int stroken, int kolommen)
{
    int k = blockIdx.x * DRADEN + threadIdx.x;
    if (k >= kolommen) return;
    double s = deel[k];
    for (int b = 1; b < stroken; b++)
        s += deel[b * kolommen + k];
    y[k] = s;
}

int main()
{
    const int rijen = 333, kolommen = 210;
    double *A = (double *)malloc(rijen * kolommen * sizeof(double));
    double *x = (double *)malloc(rijen * sizeof(double));
    double *y = (double *)malloc(kolommen * sizeof(double));
    for (int i = 0; i < rijen * kolommen; i++) A[i] = (i % 23) * 0.1;
    for (int i = 0; i < rijen; i++) x[i] = 1.0 - (i % 4);

    const int stroken = (rijen + RIJEN_PER_BLOK - 1) / RIJEN_PER_BLOK;
    const int blokken = (kolommen + DRADEN - 1) / DRADEN;
    double *dA, *dx, *dy, *dDeel;
    cudaMalloc(&dA, rijen * kolommen * sizeof(double));
    cudaMalloc(&dx, rijen * sizeof(double));
    cudaMalloc(&dy, kolommen * sizeof(double));
    cudaMalloc(&dDeel, stroken * kolommen * sizeof(double));
    cudaMemcpy(dA, A, rijen * kolommen * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, rijen * sizeof(double), cudaMemcpyHostToDevice);

    deelsommen<<<dim3(blokken, stroken), DRADEN>>>(dA, dx, dDeel, rijen, kolommen);
    optellen<<<blokken, DRADEN>>>(dDeel, dy, stroken, kolommen);
    cudaMemcpy(y, dy, kolommen * sizeof(double), cudaMemcpyDeviceToHost);

    double fout = 0.0;
    for (int k = 0; k < kolommen; k++) {
        double s = 0.0;
        for (int r = 0; r < rijen; r++) s += A[r * kolommen + k] * x[r];
        fout = fmax(fout, fabs(s - y[k]));
    }
    printf("grootste fout: %g\n", fout);
    cudaFree(dA); cudaFree(dx); cudaFree(dy); cudaFree(dDeel);
    free(A); free(x); free(y);
    return 0;
}
