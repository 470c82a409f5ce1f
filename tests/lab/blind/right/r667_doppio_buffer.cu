// Prodotto di matrici con doppio buffer in memoria condivisa (double).
// A: righe x comune, B: comune x colonne, tutto per righe.
#include <cstdio>
#include <vector>
#include <cmath>

constexpr int L = 16;

__device__ inline double leggi(const double *m, int r, int c, int nr, int nc)
{
    return (r < nr && c < nc) ? m[r * nc + c] : 0.0;
}

__global__ void prodotto(const double *A, const double *B, double *C, int righe, int colonne, int comune)
{
    __shared__ double a[2][L][L];
    __shared__ double b[2][L][L];

    const int x = threadIdx.x, y = threadIdx.y;
    const int r = blockIdx.y * L + y;
    const int c = blockIdx.x * L + x;
    const int passi = (comune + L - 1) / L;

    int ora = 0;
    a[0][y][x] = leggi(A, r, x, righe, comune);
    b[0][y][x] = leggi(B, y, c, comune, colonne);
    __syncthreads();

    double s = 0.0;
    for (int p = 0; p < passi; p++) {
        const int dopo = 1 - ora;
        if (p + 1 < passi) {              // carica il prossimo blocco mentre si calcola
            a[dopo][y][x] = leggi(A, r, (p + 1) * L + x, righe, comune);
            b[dopo][y][x] = leggi(B, (p + 1) * L + y, c, comune, colonne);
        }
        for (int k = 0; k < L; k++)
            s += a[ora][y][k] * b[ora][k][x];
        __syncthreads();
        ora = dopo;
    }

    if (r < righe && c < colonne)
        C[r * colonne + c] = s;
}

int main()
{
    const int m = 70, n = 90, k = 110;
    std::vector<double> A(m * k), B(k * n), C(m * n);
    for (int i = 0; i < m * k; i++) A[i] = std::sin(0.01 * i);
    for (int i = 0; i < k * n; i++) B[i] = std::cos(0.02 * i);

    double *dA, *dB, *dC;
    cudaMalloc(&dA, A.size() * sizeof(double));
    cudaMalloc(&dB, B.size() * sizeof(double));
    cudaMalloc(&dC, C.size() * sizeof(double));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(double), cudaMemcpyHostToDevice);

    prodotto<<<dim3((n + L - 1) / L, (m + L - 1) / L), dim3(L, L)>>>(dA, dB, dC, m, n, k);
    cudaMemcpy(C.data(), dC, C.size() * sizeof(double), cudaMemcpyDeviceToHost);

    double err = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int l = 0; l < k; l++) s += A[i * k + l] * B[l * n + j];
            err = std::fmax(err, std::fabs(s - C[i * n + j]));
        }
    std::printf("errore massimo = %e\n", err);
    cudaFree(dA); cudaFree(dB); cudaFree(dC);
    return err > 1e-9;
}
