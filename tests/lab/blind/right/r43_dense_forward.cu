// Dense layer of my small neural network: activations * weights^T
// 16x16 threads, each thread computes 1x4 outputs (4 neurons)
#include <cstdio>
#include <cmath>
#include <cstdlib>
#include <vector>

#define TB 16
#define NEUR 4

class DenseLayer {
public:
    int numIn, numOut;
    float* d_weights;      // numOut x numIn

    DenseLayer(int in, int out, const std::vector<float>& w) : numIn(in), numOut(out), d_weights(nullptr)
    {
        cudaMalloc(&d_weights, sizeof(float) * in * out);
        cudaMemcpy(d_weights, w.data(), sizeof(float) * in * out, cudaMemcpyHostToDevice);
    }
    ~DenseLayer() { cudaFree(d_weights); }
    void forward(const float* d_x, float* d_y, int samples);
};

__global__ void denseKernel(const float* x, const float* w, float* y, int samples, int numIn, int numOut)
{
    __shared__ float sx[TB][TB];
    __shared__ float sw[TB * NEUR][TB + 1];   // +1 against bank conflicts

    int tx = threadIdx.x, ty = threadIdx.y;
    int sample = blockIdx.y * TB + ty;
    int neuronBase = blockIdx.x * TB * NEUR;

    float out[NEUR] = {0, 0, 0, 0};

    for (int f = 0; f < numIn; f += TB) {
        bool fOk = f + tx < numIn;
        sx[ty][tx] = (fOk && sample < samples) ? x[sample * numIn + f + tx] : 0.0f;
        for (int q = 0; q < NEUR; q++) {
            int neuron = neuronBase + q * TB + ty;
            sw[q * TB + ty][tx] = (fOk && neuron < numOut) ? w[neuron * numIn + f + tx] : 0.0f;
        }
        __syncthreads();
        for (int k = 0; k < TB; k++) {
            float xv = sx[ty][k];
            for (int q = 0; q < NEUR; q++)
                out[q] += xv * sw[q * TB + tx][k];
        }
        __syncthreads();
    }

    for (int q = 0; q < NEUR; q++) {
        int neuron = neuronBase + q * TB + tx;
        if (sample < samples && neuron < numOut)
            y[sample * numOut + neuron] = out[q];
    }
}

void DenseLayer::forward(const float* d_x, float* d_y, int samples)
{
    dim3 threads(TB, TB);
    dim3 blocks((numOut + TB * NEUR - 1) / (TB * NEUR), (samples + TB - 1) / TB);
    denseKernel<<<blocks, threads>>>(d_x, d_weights, d_y, samples, numIn, numOut);
}

int main()
{
    const int samples = 53, in = 100, out = 150;
    std::vector<float> x(samples * in), w(in * out), y(samples * out);
    for (auto& v : x) v = rand() % 1000 / 1000.0f;
    for (auto& v : w) v = rand() % 1000 / 500.0f - 1.0f;

    float *dx, *dy;
    cudaMalloc(&dx, x.size() * sizeof(float));
    cudaMalloc(&dy, y.size() * sizeof(float));
    cudaMemcpy(dx, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
    DenseLayer layer(in, out, w);
    layer.forward(dx, dy, samples);
    cudaMemcpy(y.data(), dy, y.size() * sizeof(float), cudaMemcpyDeviceToHost);

    int bad = 0;
    for (int s = 0; s < samples; s++)
        for (int o = 0; o < out; o++) {
            float ref = 0;
            for (int k = 0; k < in; k++) ref += x[s * in + k] * w[o * in + k];
            if (!(fabs(ref - y[s * out + o]) <= 1e-3)) bad++;
        }
    printf("%s\n", bad ? "BAD" : "OK");
    cudaFree(dx); cudaFree(dy);
    return bad ? 1 : 0;
}
