// Aufgabe: reduziertes Produkt. c ist halb so hoch wie a und halb so breit wie b.
//   c[i,j] = Summe ueber k von (a[2i,k] + a[2i+1,k]) * (b[k,2j] + b[k,2j+1])
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

// hoehe = Zeilen von a (gerade), breite = Spalten von b (gerade), tiefe = Spalten von a
__global__ void redMatMul(float* c, const float* a, const float* b, int hoehe, int tiefe, int breite)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    int h2 = hoehe / 2;
    int b2 = breite / 2;
    if (i >= h2 || j >= b2) return;

    const float* zeile0 = a + (2 * i) * tiefe;
    const float* zeile1 = zeile0 + tiefe;
    float s = 0.0f;
    for (int k = 0; k < tiefe; k++) {
        float links = zeile0[k] + zeile1[k];
        float rechts = b[k * breite + 2 * j] + b[k * breite + 2 * j + 1];
        s += links * rechts;
    }
    c[i * b2 + j] = s;
}

int main(int argc, char** argv)
{
    int hoehe = 2 * 57, tiefe = 99, breite = 2 * 83;
    std::vector<float> a(hoehe * tiefe), b(tiefe * breite), c((hoehe / 2) * (breite / 2));
    for (auto& v : a) v = (rand() % 7) / 7.0f;
    for (auto& v : b) v = (rand() % 5) / 5.0f;

    float *da, *db, *dc;
    cudaMalloc(&da, a.size() * sizeof(float));
    cudaMalloc(&db, b.size() * sizeof(float));
    cudaMalloc(&dc, c.size() * sizeof(float));
    cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);

    dim3 bl(32, 8);
    dim3 gr((breite / 2 + bl.x - 1) / bl.x, (hoehe / 2 + bl.y - 1) / bl.y);
    redMatMul<<<gr, bl>>>(dc, da, db, hoehe, tiefe, breite);
    cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int falsch = 0;
    for (int i = 0; i < hoehe / 2; i++)
        for (int j = 0; j < breite / 2; j++) {
            double s = 0;
            for (int k = 0; k < tiefe; k++)
                s += (double)(a[2 * i * tiefe + k] + a[(2 * i + 1) * tiefe + k]) *
                     (b[k * breite + 2 * j] + b[k * breite + 2 * j + 1]);
            if (!(fabs(s - c[i * (breite / 2) + j]) <= 1e-2)) falsch++;
        }
    printf("%s\n", falsch == 0 ? "OK" : "BAD");
    cudaFree(da); cudaFree(db); cudaFree(dc);
    return falsch == 0 ? 0 : 1;
}
