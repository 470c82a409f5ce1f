// A function that is not inlined and reads global memory through a pointer argument: a generic access.
// out[i] = the polynomial of the given coefficients at x[i], by Horner's rule.

__device__ __noinline__ double horner(const double* coefficients, int degree, double x)
{
    double sum = coefficients[degree];
    for (int power = degree - 1; power >= 0; --power) sum = fma(sum, x, coefficients[power]);
    return sum;
}

extern "C" __global__ void polynomial_noinline(
    const double* coefficients, int degree, const double* x, double* out, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = horner(coefficients, degree, x[i]);
}
