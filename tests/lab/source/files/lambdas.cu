// Lambdas on the host, a lambda in a kernel, an extended lambda that is passed to a kernel template.
#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

template <class F>
__global__ void for_each(int n, F f)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        f(i);
}

__global__ void with_lambda(float* x, int n)
{
    auto twice = [&](int i) { x[i] = 2 * x[i]; };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        twice(i);
}

int main()
{
    const int n = 1000;
    std::vector<float> v(n);
    std::sort(v.begin(), v.end(), [](float a, float b) { return a > b; });
    std::function<void()> launch = [=] { with_lambda<<<4, 256>>>((float*)nullptr, n); };
    float* x = nullptr;
    for_each<<<4, 256>>>(n, [=] __device__(int i) { x[i] = i; });
    auto start = std::chrono::steady_clock::now();
    launch();
    return start > std::chrono::steady_clock::now();
}
