// Pistetulo: jokainen lohko laskee osasumman, prosessori laskee osasummat yhteen.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void pistetulo(const double *a, const double *b, double *osat, int n)
{
    extern __shared__ double muisti[];
    unsigned int s = threadIdx.x;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    muisti[s] = (i < n) ? a[i] * b[i] : 0.0;
    __syncthreads();

    for (unsigned int askel = 1; askel < blockDim.x; askel *= 2) {
        unsigned int kohta = 2 * askel * s;
        if (kohta + askel < blockDim.x)
            muisti[kohta] += muisti[kohta + askel];
        __syncthreads();
    }

    if (s == 0)
        osat[blockIdx.x] = muisti[0];
}

int main()
{
    const int n = 12345;
    const int saikeet = 256;
    const int lohkot = (n + saikeet - 1) / saikeet;

    double *ha = (double *)malloc(n * sizeof(double));
    double *hb = (double *)malloc(n * sizeof(double));
    double *ho = (double *)malloc(lohkot * sizeof(double));
    double odotettu = 0.0;
    for (int i = 0; i < n; i++) {
        ha[i] = i % 17;
        hb[i] = i % 19;
        odotettu += ha[i] * hb[i];
    }

    double *da, *db, *dosat;
    cudaMalloc(&da, n * sizeof(double));
    cudaMalloc(&db, n * sizeof(double));
    cudaMalloc(&dosat, lohkot * sizeof(double));
    cudaMemcpy(da, ha, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(db, hb, n * sizeof(double), cudaMemcpyHostToDevice);

    pistetulo<<<lohkot, saikeet, saikeet * sizeof(float)>>>(da, db, dosat, n);
    cudaMemcpy(ho, dosat, lohkot * sizeof(double), cudaMemcpyDeviceToHost);

    double tulos = 0.0;
    for (int l = 0; l < lohkot; l++)
        tulos += ho[l];
    printf("tulos %.1f, odotettu %.1f\n", tulos, odotettu);

    cudaFree(da); cudaFree(db); cudaFree(dosat);
    free(ha); free(hb); free(ho);
    return 0;
}
