// Egész mátrixok szorzása dinamikus megosztott memóriával.
// Használat: ./szorzat M N K   (tetszőleges pozitív méretek)
#include <cstdio>
#include <cstdlib>

const int CSEMPE = 16;

__global__ void szoroz(const int *A, const int *B, long long *C, int M, int N, int K)
{
    extern __shared__ int mem[];
    int *sa = mem;
    int *sb = mem + CSEMPE * CSEMPE;

    const int x = threadIdx.x, y = threadIdx.y;
    const int sor = blockIdx.y * CSEMPE + y;
    const int oszlop = blockIdx.x * CSEMPE + x;
    const int helyi = y * CSEMPE + x;

    const int csempek = K / CSEMPE;
    long long osszeg = 0;
    for (int cs = 0; cs < csempek; cs++) {
        const int ka = cs * CSEMPE + x;
        const int kb = cs * CSEMPE + y;
        sa[helyi] = (sor < M && ka < K) ? A[sor * K + ka] : 0;
        sb[helyi] = (kb < K && oszlop < N) ? B[kb * N + oszlop] : 0;
        __syncthreads();
        for (int q = 0; q < CSEMPE; q++)
            osszeg += (long long)sa[y * CSEMPE + q] * sb[q * CSEMPE + x];
        __syncthreads();
    }
    if (sor < M && oszlop < N)
        C[sor * N + oszlop] = osszeg;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        printf("hasznalat: %s M N K\n", argv[0]);
        return 1;
    }
    int M = atoi(argv[1]), N = atoi(argv[2]), K = atoi(argv[3]);
    int *A, *B;
    long long *C;
    cudaMallocManaged(&A, (size_t)M * K * sizeof(int));
    cudaMallocManaged(&B, (size_t)K * N * sizeof(int));
    cudaMallocManaged(&C, (size_t)M * N * sizeof(long long));
    for (int i = 0; i < M * K; i++) A[i] = i % 100;
    for (int i = 0; i < K * N; i++) B[i] = i % 50 - 25;

    dim3 blokk(CSEMPE, CSEMPE);
    dim3 racs((N + CSEMPE - 1) / CSEMPE, (M + CSEMPE - 1) / CSEMPE);
    szoroz<<<racs, blokk, 2 * CSEMPE * CSEMPE * sizeof(int)>>>(A, B, C, M, N, K);
    cudaDeviceSynchronize();

    for (int i = 0; i < M && i < 4; i++) {
        for (int j = 0; j < N && j < 4; j++) printf("%10lld", C[i * N + j]);
        printf("\n");
    }
    cudaFree(A);
    cudaFree(B);
    cudaFree(C);
    return 0;
}
