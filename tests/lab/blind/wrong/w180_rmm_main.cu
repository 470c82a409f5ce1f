// Reduced matrix multiply, square n x n inputs (n even), result n/2 x n/2
#include <iostream>
#include <cmath>
#include <cstdlib>
using namespace std;

#define BLOCK_SIZE 16

__global__ void reducedMM(float *a, float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int half = n / 2;

    if (row < half && col < half) {
        float acc = 0;
        for (int k = 0; k < n; k++) {
            float rows = a[(2 * row) * n + k] + a[(2 * row + 1) * n + k];
            float cols = b[k * n + (2 * col)] + b[k * n + (2 * col + 1)];
            acc += rows * cols;
        }
        c[row * half + col] = acc;
    }
}

int main(int argc, char **argv)
{
    int n = 1000;
    if (argc > 1)
        n = atoi(argv[1]);
    int half = n / 2;

    float *a = new float[n * n];
    float *b = new float[n * n];
    float *c = new float[half * half];
    for (int i = 0; i < n * n; i++) {
        a[i] = i % 4;
        b[i] = i % 3;
    }

    float *d_a, *d_b, *d_c;
    cudaMalloc(&d_a, n * n * sizeof(float));
    cudaMalloc(&d_b, n * n * sizeof(float));
    cudaMalloc(&d_c, half * half * sizeof(float));
    cudaMemcpy(d_a, a, n * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_b, b, n * n * sizeof(float), cudaMemcpyHostToDevice);

    int numBlocks = (int)ceil(half / BLOCK_SIZE);
    dim3 grid(numBlocks, numBlocks);
    dim3 block(BLOCK_SIZE, BLOCK_SIZE);
    reducedMM<<<grid, block>>>(d_a, d_b, d_c, n);
    cudaMemcpy(c, d_c, half * half * sizeof(float), cudaMemcpyDeviceToHost);

    int mismatches = 0;
    for (int i = 0; i < half; i++)
        for (int j = 0; j < half; j++) {
            float ref = 0;
            for (int k = 0; k < n; k++)
                ref += (a[2 * i * n + k] + a[(2 * i + 1) * n + k]) * (b[k * n + 2 * j] + b[k * n + 2 * j + 1]);
            if (fabs(ref - c[i * half + j]) > 0.5f)
                mismatches++;
        }
    cout << "mismatches: " << mismatches << endl;

    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_c);
    delete[] a;
    delete[] b;
    delete[] c;
    return 0;
}
