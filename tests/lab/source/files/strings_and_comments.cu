// Text that looks like code, and code that looks like text.
#include <string>
#include <stdio.h>

static const char* source = R"cuda(
__global__ void not_a_kernel(float* a) { a[0] = 1; }
#include "nothing.h"
)cuda";
/* __global__ void commented_out(float* a) { a[0] = 1; */
const char* quote = "__global__ void \"neither\"(); {{{";
char brace = '{', other = '\'';
int big = 1'000'000;

__global__ void kernel(float* a /* in, out */, int n) // } not the end {
{
    /* a brace in a comment: } */
    const char c = '}';
    if (c == '}' && threadIdx.x < n)
        a[threadIdx.x] = 1'000;
    // a line that goes on \
    a[0] = 5;
}

int main() { printf("}{ <<<1, 1>>>\n"); kernel<<<1, 32>>>(nullptr, 3); puts(source); return big != 1000000; }
