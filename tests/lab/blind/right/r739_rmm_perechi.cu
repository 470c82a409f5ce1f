// Inmultire redusa de matrice, cu perechi citite prin float2.
// A: m x k, B: k x n, R: (m/2) x (n/2). m si n trebuie sa fie pare
// (n par inseamna ca fiecare rand din B este aliniat pentru float2).
#include <cstdio>
#include <cmath>
#include <vector>

constexpr int COL = 32;    // coloane din R pe bloc
constexpr int RAN = 8;     // randuri din R pe bloc
constexpr int FY  = 4;     // fire pe y; fiecare fir are 2 randuri
constexpr int ADANC = 32;  // cat din k la un pas

__global__ void rmm_perechi(const float *__restrict__ A, const float *__restrict__ B,
                            float *__restrict__ R, int m, int k, int n)
{
    __shared__ float sumaA[RAN][ADANC];
    __shared__ float sumaB[ADANC][COL];

    const int lat = n / 2, inalt = m / 2;
    const int x = threadIdx.x, y = threadIdx.y;
    const int j = blockIdx.x * COL + x;
    const int r0 = blockIdx.y * RAN;
    const float2 *B2 = reinterpret_cast<const float2 *>(B);

    float s0 = 0.f, s1 = 0.f;
    for (int p0 = 0; p0 < k; p0 += ADANC) {
        for (int r = y; r < RAN; r += FY) {
            float v = 0.f;
            if (r0 + r < inalt && p0 + x < k) {
                size_t sus = (size_t)(2 * (r0 + r)) * k + p0 + x;
                v = A[sus] + A[sus + k];
            }
            sumaA[r][x] = v;
        }
        for (int q = y; q < ADANC; q += FY) {
            float v = 0.f;
            if (p0 + q < k && j < lat) {
                float2 per = B2[(size_t)(p0 + q) * lat + j];
                v = per.x + per.y;
            }
            sumaB[q][x] = v;
        }
        __syncthreads();
        #pragma unroll 8
        for (int q = 0; q < ADANC; ++q) {
            float b = sumaB[q][x];
            s0 += sumaA[y][q] * b;
            s1 += sumaA[y + FY][q] * b;
        }
        __syncthreads();
    }
    if (j < lat) {
        if (r0 + y < inalt)      R[(size_t)(r0 + y) * lat + j] = s0;
        if (r0 + y + FY < inalt) R[(size_t)(r0 + y + FY) * lat + j] = s1;
    }
}

int main()
{
    const int m = 70, k = 45, n = 102;
    static_assert(m % 2 == 0 && n % 2 == 0, "m si n pare");
    std::vector<float> A(m * k), B(k * n), R((m / 2) * (n / 2));
    for (int i = 0; i < m * k; ++i) A[i] = (float)((i * 37) % 19 - 9);
    for (int i = 0; i < k * n; ++i) B[i] = (float)((i * 11) % 15 - 7);

    float *dA, *dB, *dR;
    cudaMalloc(&dA, A.size() * sizeof(float));
    cudaMalloc(&dB, B.size() * sizeof(float));
    cudaMalloc(&dR, R.size() * sizeof(float));
    cudaMemcpy(dA, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 fire(COL, FY);
    dim3 grila((n / 2 + COL - 1) / COL, (m / 2 + RAN - 1) / RAN);
    rmm_perechi<<<grila, fire>>>(dA, dB, dR, m, k, n);
    cudaError_t e1 = cudaGetLastError();
    cudaError_t e2 = cudaMemcpy(R.data(), dR, R.size() * sizeof(float), cudaMemcpyDeviceToHost);
    bool bine = e1 == cudaSuccess && e2 == cudaSuccess;

    int gresite = 0;
    for (int i = 0; i < m / 2; ++i)
        for (int j = 0; j < n / 2; ++j) {
            long ref = 0;
            for (int d = 0; d < 4; ++d)
                for (int p = 0; p < k; ++p)
                    ref += (long)A[(2 * i + d / 2) * k + p] * (long)B[p * n + 2 * j + d % 2];
            if (!(std::fabs(R[i * (n / 2) + j] - (float)ref) < 0.5f)) ++gresite;
        }
    bine = bine && gresite == 0;
    cudaFree(dA); cudaFree(dB); cudaFree(dR);
    printf("elemente gresite: %d din %d: %s\n", gresite, (int)R.size(), bine ? "OK" : "FAILED");
    return bine ? 0 : 1;
}
