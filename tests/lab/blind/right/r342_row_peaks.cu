// Lab 4, part 2: largest value of every row.  One block per row.
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <vector>
#include <algorithm>

const int NT = 128;   // power of two

__global__ void rowPeaks(const float *mat, float *peak, int rows, int cols)
{
    __shared__ float best[NT];
    int row = blockIdx.x;
    if (row >= rows)          // the whole block leaves together
        return;

    const float *line = mat + (size_t)row * cols;
    float mine = -FLT_MAX;
    for (int c = threadIdx.x; c < cols; c += NT)
        mine = fmaxf(mine, line[c]);
    best[threadIdx.x] = mine;
    __syncthreads();

    for (int half = NT / 2; half >= 1; half /= 2) {
        if (threadIdx.x < half)
            best[threadIdx.x] = fmaxf(best[threadIdx.x], best[threadIdx.x + half]);
        __syncthreads();
    }

    if (threadIdx.x == 0)
        peak[row] = best[0];
}

int main()
{
    bool ok = true;
    const int shapes[][2] = {{1, 1}, {40, 77}, {9, 128}, {25, 1000}};
    for (auto &s : shapes) {
        int rows = s[0], cols = s[1];
        std::vector<float> h(rows * cols), got(rows);
        for (auto &v : h) v = -(float)(rand() % 100000);

        float *d, *p;
        cudaMalloc(&d, h.size() * sizeof(float));
        cudaMalloc(&p, rows * sizeof(float));
        cudaMemcpy(d, h.data(), h.size() * sizeof(float), cudaMemcpyHostToDevice);
        rowPeaks<<<rows, NT>>>(d, p, rows, cols);
        cudaMemcpy(got.data(), p, rows * sizeof(float), cudaMemcpyDeviceToHost);
        cudaFree(d);
        cudaFree(p);

        for (int r = 0; r < rows; r++)
            if (got[r] != *std::max_element(h.begin() + r * cols, h.begin() + (r + 1) * cols))
                ok = false;
    }
    printf("%s\n", ok ? "all peaks right" : "some peak is wrong");
    return ok ? 0 : 1;
}
