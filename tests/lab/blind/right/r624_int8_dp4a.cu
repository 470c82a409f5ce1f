// Gehele getallen: C = A * B^T met int8-invoer en int32-uitvoer via __dp4a
//  A: rijen x diepte, B: kolommen x diepte (dus B staat al getransponeerd)
//  diepte moet een viervoud zijn en hoogstens 131068, zodat de som in 32 bits past
//  adressen van A en B op 4 bytes uitgelijnd (cudaMalloc zorgt daarvoor)
#include <cuda_runtime.h>
#include <stdint.h>

struct Taak {
    const int8_t *A;
    const int8_t *B;
    int32_t *C;
    int rijen;
    int kolommen;
    int diepte;
};

static const int BREED = 32;   // threads in x
static const int HOOG  = 8;    // threads in y
static const int STAP  = 32;   // pakketten van 4 per tegel

__global__ void int8Product(Taak t)
{
    __shared__ int tegelA[HOOG][STAP];
    __shared__ int tegelB[BREED][STAP + 1];

    const int *a = reinterpret_cast<const int *>(t.A);
    const int *b = reinterpret_cast<const int *>(t.B);
    const int pakketten = t.diepte / 4;

    const int rij = blockIdx.y * HOOG + threadIdx.y;
    const int kolom = blockIdx.x * BREED + threadIdx.x;
    int som = 0;

    for (int p0 = 0; p0 < pakketten; p0 += STAP) {
        const int p = p0 + threadIdx.x;       // BREED == STAP
        tegelA[threadIdx.y][threadIdx.x] =
            (rij < t.rijen && p < pakketten) ? a[(size_t)rij * pakketten + p] : 0;
        for (int r = threadIdx.y; r < BREED; r += HOOG) {
            const int rijB = blockIdx.x * BREED + r;
            tegelB[r][threadIdx.x] =
                (rijB < t.kolommen && p < pakketten) ? b[(size_t)rijB * pakketten + p] : 0;
        }
        __syncthreads();

        for (int q = 0; q < STAP; ++q)
            som = __dp4a(tegelA[threadIdx.y][q], tegelB[threadIdx.x][q], som);
        __syncthreads();
    }

    if (rij < t.rijen && kolom < t.kolommen)
        t.C[(size_t)rij * t.kolommen + kolom] = som;
}

cudaError_t voerUit(const Taak &t)
{
    static_assert(BREED == STAP, "laden gaat uit van gelijke maten");
    if (t.rijen < 1 || t.kolommen < 1 || t.diepte < 4 || t.diepte % 4 != 0 || t.diepte > 131068)
        return cudaErrorInvalidValue;
    dim3 blok(BREED, HOOG);
    dim3 rooster((t.kolommen + BREED - 1) / BREED, (t.rijen + HOOG - 1) / HOOG);
    int8Product<<<rooster, blok>>>(t);
    return cudaGetLastError();
}
