// Column sums of a table of measurements: one line per sample, one column per sensor.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void column_sums(const float* table, double* sums, int rows, int cols)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        double s = 0.0;
        for (int r = 0; r < rows; ++r) s += table[static_cast<size_t>(r) * cols + c];
        sums[c] = s;
    }
}

int main()
{
    const int samples = 5000;
    const int sensors = 700;

    std::vector<float> table(static_cast<size_t>(samples) * sensors);
    for (int s = 0; s < samples; ++s)
        for (int q = 0; q < sensors; ++q) table[static_cast<size_t>(s) * sensors + q] = 0.5f * q;

    float* d_table = nullptr;
    double* d_sums = nullptr;
    const auto fine = [](cudaError_t e) {
        if (e != cudaSuccess) std::printf("CUDA: %s\n", cudaGetErrorString(e));
        return e == cudaSuccess;
    };
    if (!fine(cudaMalloc(&d_table, table.size() * sizeof(float)))) return 1;
    if (!fine(cudaMalloc(&d_sums, sensors * sizeof(double)))) return 1;
    if (!fine(cudaMemcpy(d_table, table.data(), table.size() * sizeof(float), cudaMemcpyHostToDevice)))
        return 1;

    const int threads = 256;
    const int blocks = (sensors + threads - 1) / threads;
    column_sums<<<blocks, threads>>>(d_table, d_sums, sensors, samples);
    if (!fine(cudaGetLastError())) return 1;

    std::vector<double> sums(sensors);
    if (!fine(cudaMemcpy(sums.data(), d_sums, sensors * sizeof(double), cudaMemcpyDeviceToHost)))
        return 1;

    int wrong = 0;
    for (int q = 0; q < sensors; ++q)
        if (sums[q] != 0.5 * q * samples) ++wrong;
    std::printf("%d of %d columns wrong\n", wrong, sensors);

    cudaFree(d_table);
    cudaFree(d_sums);
    return wrong ? 1 : 0;
}
