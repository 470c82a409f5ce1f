// Uppgift 3: C = A * B i dubbel precision, delat minne med dynamisk storlek.
// Rutans sida ges pa kommandoraden (hogst 32), blocket ar alltid kvadratiskt.
#include <cstdio>
#include <cstdlib>
#include <cmath>

struct Matris {
    int rader;
    int kolumner;
    double *data;
};

extern __shared__ double minne[];

__global__ void multiplicera(Matris A, Matris B, Matris C)
{
    int sida = blockDim.x;
    double *ra = minne;
    double *rb = minne + sida * sida;

    int lokal = threadIdx.y * sida + threadIdx.x;
    int rad = blockIdx.y * sida + threadIdx.y;
    int kol = blockIdx.x * sida + threadIdx.x;

    double v = 0.0;
    int rutor = (A.kolumner + sida - 1) / sida;
    for (int r = 0; r < rutor; r++) {
        int ak = r * sida + threadIdx.x;
        int br = r * sida + threadIdx.y;
        ra[lokal] = rad < A.rader && ak < A.kolumner ? A.data[rad * A.kolumner + ak] : 0.0;
        rb[lokal] = br < B.rader && kol < B.kolumner ? B.data[br * B.kolumner + kol] : 0.0;
        __syncthreads();
        for (int i = 0; i < sida; i++)
            v += ra[threadIdx.y * sida + i] * rb[i * sida + threadIdx.x];
        __syncthreads();
    }
    if (rad < C.rader && kol < C.kolumner)
        C.data[rad * C.kolumner + kol] = v;
}

static Matris ny(int r, int k)
{
    Matris m;
    m.rader = r;
    m.kolumner = k;
    cudaMallocManaged(&m.data, sizeof(double) * r * k);
    return m;
}

int main(int argc, char **argv)
{
    int sida = argc > 1 ? atoi(argv[1]) : 12;
    if (sida < 1 || sida > 32) {
        fprintf(stderr, "sidan ska ligga mellan 1 och 32\n");
        return 2;
    }

    Matris A = ny(61, 47), B = ny(47, 29), C = ny(61, 29);
    for (int i = 0; i < A.rader * A.kolumner; i++) A.data[i] = sin(0.1 * i);
    for (int i = 0; i < B.rader * B.kolumner; i++) B.data[i] = cos(0.1 * i);

    dim3 block(sida, sida);
    dim3 grid((C.kolumner + sida - 1) / sida, (C.rader + sida - 1) / sida);
    size_t byte = 2 * sizeof(double) * sida * sida;
    multiplicera<<<grid, block, byte>>>(A, B, C);
    cudaDeviceSynchronize();

    double fel = 0;
    for (int i = 0; i < C.rader; i++)
        for (int j = 0; j < C.kolumner; j++) {
            double s = 0;
            for (int k = 0; k < A.kolumner; k++)
                s += A.data[i * A.kolumner + k] * B.data[k * B.kolumner + j];
            fel = fmax(fel, fabs(s - C.data[i * C.kolumner + j]));
        }
    printf("storsta felet %g\n", fel);
    cudaFree(A.data);
    cudaFree(B.data);
    cudaFree(C.data);
    return fel < 1e-9 ? 0 : 1;
}
