// Practicum 5: tweedimensionale convolutie met een filter van 5 x 5.
// Het filter staat in constant geheugen; elk blok laadt een tegel met rand.
// Buiten het beeld rekenen we met nul. Het filter wordt niet gespiegeld.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <cuda_runtime.h>

#define STRAAL 2
#define FILTER (2 * STRAAL + 1)
#define BX 32
#define BY 8
#define TX (BX + 2 * STRAAL)
#define TY (BY + 2 * STRAAL)

__constant__ float cFilter[FILTER * FILTER];

__global__ void convolutie(const float* in, float* uit, int breedte, int hoogte)
{
    __shared__ float tegel[TY][TX];

    const int linksBoven_x = blockIdx.x * BX - STRAAL;
    const int linksBoven_y = blockIdx.y * BY - STRAAL;

    // de tegel is groter dan het blok: iedere draad laadt zo nodig meer pixels
    for (int ty = threadIdx.y; ty < TY; ty += BY)
        for (int tx = threadIdx.x; tx < TX; tx += BX) {
            int px = linksBoven_x + tx;
            int py = linksBoven_y + ty;
            bool binnen = px >= 0 && px < breedte && py >= 0 && py < hoogte;
            tegel[ty][tx] = binnen ? in[py * breedte + px] : 0.0f;
        }
    __syncthreads();

    const int x = blockIdx.x * BX + threadIdx.x;
    const int y = blockIdx.y * BY + threadIdx.y;
    if (x < breedte && y < hoogte) {
        float som = 0.0f;
        for (int fy = 0; fy < FILTER; ++fy)
            for (int fx = 0; fx < FILTER; ++fx)
                som += cFilter[fy * FILTER + fx] * tegel[threadIdx.y + fy][threadIdx.x + fx];
        uit[y * breedte + x] = som;
    }
}

int main(int argc, char** argv)
{
    int breedte = argc > 1 ? atoi(argv[1]) : 317;
    int hoogte  = argc > 2 ? atoi(argv[2]) : 203;
    if (breedte < 1 || hoogte < 1 || breedte > 20000 || hoogte > 20000) {
        printf("afmetingen van 1 tot en met 20000\n");
        return 1;
    }
    size_t aantal = (size_t)breedte * hoogte;
    std::vector<float> beeld(aantal), resultaat(aantal);
    float filter[FILTER * FILTER];
    for (size_t i = 0; i < aantal; ++i) beeld[i] = (float)((i * 37) % 101) / 100.0f;
    for (int i = 0; i < FILTER * FILTER; ++i) filter[i] = 0.1f * (i - 7);

    float *dIn, *dUit;
    cudaMalloc(&dIn, aantal * sizeof(float));
    cudaMalloc(&dUit, aantal * sizeof(float));
    cudaMemcpy(dIn, beeld.data(), aantal * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(cFilter, filter, sizeof(filter));

    dim3 blok(BX, BY);
    dim3 rooster((breedte + BX - 1) / BX, (hoogte + BY - 1) / BY);
    convolutie<<<rooster, blok>>>(dIn, dUit, breedte, hoogte);

    cudaError_t fout = cudaMemcpy(resultaat.data(), dUit, aantal * sizeof(float), cudaMemcpyDeviceToHost);
    if (fout != cudaSuccess) { printf("fout: %s\n", cudaGetErrorString(fout)); return 1; }

    double ergste = 0.0;
    for (int y = 0; y < hoogte; ++y)
        for (int x = 0; x < breedte; ++x) {
            double s = 0.0;
            for (int fy = -STRAAL; fy <= STRAAL; ++fy)
                for (int fx = -STRAAL; fx <= STRAAL; ++fx) {
                    int py = y + fy, px = x + fx;
                    if (py < 0 || py >= hoogte || px < 0 || px >= breedte) continue;
                    s += filter[(fy + STRAAL) * FILTER + fx + STRAAL] * beeld[(size_t)py * breedte + px];
                }
            ergste = fmax(ergste, fabs(s - resultaat[(size_t)y * breedte + x]));
        }
    printf("grootste verschil %g: %s\n", ergste, ergste < 1e-3 ? "goed" : "FOUT");
    cudaFree(dIn);
    cudaFree(dUit);
    return ergste < 1e-3 ? 0 : 1;
}
