// Laboratorio 4: matrici con memoria condivisa dinamica
// C = A * B, A: righe x interno, B: interno x colonne
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

__global__ void prodotto(const float *A, const float *B, float *C,
                         int righe, int interno, int colonne)
{
    extern __shared__ float mem[];
    const int L = blockDim.x;
    float *pa = mem;
    float *pb = &mem[L * L];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = blockIdx.y * L + ty;
    const int c = blockIdx.x * L + tx;

    float s = 0.f;
    for (int p = 0; p < interno; p += L) {
        pa[ty * L + tx] = (r < righe && p + tx < interno) ? A[r * interno + p + tx] : 0.f;
        pb[ty * L + tx] = (p + ty < interno && c < colonne) ? B[(p + ty) * colonne + c] : 0.f;
        __syncthreads();
        for (int q = 0; q < L; q++)
            s += pa[ty * L + q] * pb[q * L + tx];
        __syncthreads();
    }
    if (r < righe && c < colonne)
        C[r * colonne + c] = s;
}

int main(int argc, char **argv)
{
    const int righe = 48, interno = 80, colonne = 100;
    const int lato = argc > 1 ? atoi(argv[1]) : 16;   // 8, 16 oppure 32

    std::vector<float> A(righe * interno), B(interno * colonne), C(righe * colonne);
    for (auto &x : A) x = rand() % 5;
    for (auto &x : B) x = rand() % 5;

    const size_t byteA = A.size() * sizeof(float);
    const size_t byteB = B.size() * sizeof(float);
    const size_t byteC = C.size() * sizeof(float);
    float *dA, *dB, *dC;
    cudaMalloc(&dA, byteA);
    cudaMalloc(&dB, byteB);
    cudaMalloc(&dC, byteC);
    cudaMemcpy(dA, A.data(), byteA, cudaMemcpyHostToDevice);
    cudaMemcpy(dB, B.data(), byteB, cudaMemcpyHostToDevice);

    dim3 blocco(lato, lato);
    dim3 griglia((colonne + lato - 1) / lato, (righe + lato - 1) / lato);
    size_t condivisa = 2 * lato * lato;
    prodotto<<<griglia, blocco, condivisa>>>(dA, dB, dC, righe, interno, colonne);
    cudaMemcpy(C.data(), dC, byteC, cudaMemcpyDeviceToHost);

    int sbagliati = 0;
    for (int i = 0; i < righe; i++)
        for (int j = 0; j < colonne; j++) {
            float s = 0;
            for (int q = 0; q < interno; q++) s += A[i * interno + q] * B[q * colonne + j];
            if (fabsf(s - C[i * colonne + j]) > 0.01f) sbagliati++;
        }
    printf("elementi sbagliati: %d\n", sbagliati);
    cudaFree(dA);
    cudaFree(dB);
    cudaFree(dC);
    return sbagliati != 0;
}
