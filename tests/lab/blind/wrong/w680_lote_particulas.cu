// Para cada partícula p:  R_p = S_p * T_p   (S_p: filas x medio, T_p: medio x cols)
// Las matrices de todas las partículas están una detrás de otra.
// Un bloque por partícula, los hilos recorren los elementos de R_p.
#include <cstdio>
#include <cstdlib>
#include <cmath>

struct Forma {
    int filas, medio, cols;      // cada uno entre 1 y 40
};

__global__ void porParticula(Forma f, const double *S, const double *T, double *R)
{
    extern __shared__ double sm[];
    double *s = sm;                          // filas * medio
    double *t = sm + f.filas * f.medio;      // medio * cols

    const double *Sp = S + (size_t)blockIdx.x * f.filas * f.medio;
    const double *Tp = T + (size_t)blockIdx.x * f.medio * f.cols;
    double       *Rp = R + (size_t)blockIdx.x * f.filas * f.medio;

    for (int e = threadIdx.x; e < f.filas * f.medio; e += blockDim.x) s[e] = Sp[e];
    for (int e = threadIdx.x; e < f.medio * f.cols; e += blockDim.x)  t[e] = Tp[e];
    __syncthreads();

    for (int e = threadIdx.x; e < f.filas * f.cols; e += blockDim.x) {
        int i = e / f.cols;
        int j = e % f.cols;
        double suma = 0.0;
        for (int l = 0; l < f.medio; l++)
            suma += s[i * f.medio + l] * t[l * f.cols + j];
        Rp[e] = suma;
    }
}

int main()
{
    Forma f = {6, 6, 6};
    const int particulas = 500;
    size_t nS = (size_t)particulas * f.filas * f.medio;
    size_t nT = (size_t)particulas * f.medio * f.cols;
    size_t nR = (size_t)particulas * f.filas * f.cols;

    double *S = (double *)malloc(nS * sizeof(double));
    double *T = (double *)malloc(nT * sizeof(double));
    double *R = (double *)malloc(nR * sizeof(double));
    for (size_t e = 0; e < nS; e++) S[e] = (double)(e % 23) - 11;
    for (size_t e = 0; e < nT; e++) T[e] = (double)(e % 19) - 9;

    double *dS, *dT, *dR;
    cudaMalloc(&dS, nS * sizeof(double));
    cudaMalloc(&dT, nT * sizeof(double));
    cudaMalloc(&dR, nR * sizeof(double));
    cudaMemcpy(dS, S, nS * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dT, T, nT * sizeof(double), cudaMemcpyHostToDevice);

    size_t bytes = (size_t)(f.filas + f.cols) * f.medio * sizeof(double);
    porParticula<<<particulas, 64, bytes>>>(f, dS, dT, dR);
    cudaMemcpy(R, dR, nR * sizeof(double), cudaMemcpyDeviceToHost);

    double peor = 0;
    for (int p = 0; p < particulas; p++)
        for (int i = 0; i < f.filas; i++)
            for (int j = 0; j < f.cols; j++) {
                double suma = 0;
                for (int l = 0; l < f.medio; l++)
                    suma += S[(p * f.filas + i) * f.medio + l] * T[(p * f.medio + l) * f.cols + j];
                peor = fmax(peor, fabs(suma - R[(p * f.filas + i) * f.cols + j]));
            }
    printf("error máximo: %g\n", peor);
    cudaFree(dS); cudaFree(dT); cudaFree(dR);
    free(S); free(T); free(R);
    return 0;
}
