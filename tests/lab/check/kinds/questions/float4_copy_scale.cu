__global__ void scale4(const float4 *in, float4 *out, float f, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) { float4 v = in[i]; v.x *= f; v.y *= f; v.z *= f; v.w *= f; out[i] = v; }
}
