// Harjoitus 8: matriisitulo rekisterilaatoilla
//
// Lohko (16 x 16 saietta) laskee 64 x 64 kokoisia laattoja matriisista C,
// jokainen saie 4 x 4 alkiota. Lohkoja voi olla vahemman kuin laattoja:
// laatat kaydaan lapi silmukassa. Koot m, k, n saavat olla mita tahansa.
// Kaynnistys: <<<lohkoja, dim3(16, 16)>>>
#include <cuda_runtime.h>

#define LAATTA 64
#define SYVYYS 8
#define OMA 4

__global__ void matriisitulo(const float *__restrict__ A, const float *__restrict__ B,
                             float *__restrict__ C, int m, int k, int n)
{
    __shared__ float sA[SYVYYS][LAATTA];
    __shared__ float sB[SYVYYS][LAATTA];

    const int tx = threadIdx.x, ty = threadIdx.y;
    const int tunnus = ty * 16 + tx;

    const int laattojaX = (n + LAATTA - 1) / LAATTA;
    const int laattojaY = (m + LAATTA - 1) / LAATTA;

    float summa[OMA][OMA] = {};

    for (int laatta = blockIdx.x; laatta < laattojaX * laattojaY; laatta += gridDim.x) {
        const int rivi0 = (laatta / laattojaX) * LAATTA;
        const int sarake0 = (laatta % laattojaX) * LAATTA;

        for (int p0 = 0; p0 < k; p0 += SYVYYS) {
            // 512 alkiota kumpaankin, 256 saietta
            for (int e = tunnus; e < SYVYYS * LAATTA; e += 256) {
                const int ra = e / SYVYYS, pa = e % SYVYYS;
                const int pb = e / LAATTA, cb = e % LAATTA;
                sA[pa][ra] = (rivi0 + ra < m && p0 + pa < k)
                                 ? A[(size_t)(rivi0 + ra) * k + p0 + pa] : 0.0f;
                sB[pb][cb] = (p0 + pb < k && sarake0 + cb < n)
                                 ? B[(size_t)(p0 + pb) * n + sarake0 + cb] : 0.0f;
            }
            __syncthreads();

            for (int p = 0; p < SYVYYS; ++p) {
                float a[OMA], b[OMA];
                for (int i = 0; i < OMA; ++i) a[i] = sA[p][ty * OMA + i];
                for (int j = 0; j < OMA; ++j) b[j] = sB[p][tx + 16 * j];
                for (int i = 0; i < OMA; ++i)
                    for (int j = 0; j < OMA; ++j)
                        summa[i][j] += a[i] * b[j];
            }
            __syncthreads();
        }

        for (int i = 0; i < OMA; ++i) {
            const int rivi = rivi0 + ty * OMA + i;
            for (int j = 0; j < OMA; ++j) {
                const int sarake = sarake0 + tx + 16 * j;
                if (rivi < m && sarake < n)
                    C[(size_t)rivi * n + sarake] = summa[i][j];
            }
        }
    }
}
