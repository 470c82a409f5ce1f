// Stands in for the samples' helper_math.h: arithmetic and geometry on CUDA's vectors of 2, 3 and 4 elements.
#ifndef TILEWRIGHT_HELPER_MATH
#define TILEWRIGHT_HELPER_MATH

#define TILEWRIGHT_FN __device__ __forceinline__

// EACH(F, ...) applies F to each component.
#define TILEWRIGHT_EACH2(F, ...) F(x, __VA_ARGS__), F(y, __VA_ARGS__)
#define TILEWRIGHT_EACH3(F, ...) TILEWRIGHT_EACH2(F, __VA_ARGS__), F(z, __VA_ARGS__)
#define TILEWRIGHT_EACH4(F, ...) TILEWRIGHT_EACH3(F, __VA_ARGS__), F(w, __VA_ARGS__)

#define TILEWRIGHT_VV(c, op) a.c op b.c
#define TILEWRIGHT_VS(c, op) a.c op b
#define TILEWRIGHT_SV(c, op) a op b.c
#define TILEWRIGHT_NEG(c, ...) -a.c
#define TILEWRIGHT_CALL1(c, f) f(a.c)
#define TILEWRIGHT_CALL2(c, f) f(a.c, b.c)
#define TILEWRIGHT_CALLS(c, f) f(a.c, b)
#define TILEWRIGHT_FILL(c, T) (T)s
#define TILEWRIGHT_CAST(c, T) (T)a.c

#define TILEWRIGHT_OPERATOR(T, S, N, op) \
    TILEWRIGHT_FN T##N operator op(T##N a, T##N b) { return make_##T##N(TILEWRIGHT_EACH##N(TILEWRIGHT_VV, op)); } \
    TILEWRIGHT_FN T##N operator op(T##N a, S b) { return make_##T##N(TILEWRIGHT_EACH##N(TILEWRIGHT_VS, op)); } \
    TILEWRIGHT_FN T##N operator op(S a, T##N b) { return make_##T##N(TILEWRIGHT_EACH##N(TILEWRIGHT_SV, op)); } \
    TILEWRIGHT_FN void operator op##=(T##N& a, T##N b) { a = a op b; } \
    TILEWRIGHT_FN void operator op##=(T##N& a, S b) { a = a op b; }

#define TILEWRIGHT_ARITHMETIC(T, S, N) \
    TILEWRIGHT_FN T##N make_##T##N(S s) { return make_##T##N(TILEWRIGHT_EACH##N(TILEWRIGHT_FILL, S)); } \
    TILEWRIGHT_OPERATOR(T, S, N, +) \
    TILEWRIGHT_OPERATOR(T, S, N, -) \
    TILEWRIGHT_OPERATOR(T, S, N, *) \
    TILEWRIGHT_FN T##N min(T##N a, T##N b) { return make_##T##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CALL2, TILEWRIGHT_MIN_##T)); } \
    TILEWRIGHT_FN T##N max(T##N a, T##N b) { return make_##T##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CALL2, TILEWRIGHT_MAX_##T)); } \
    TILEWRIGHT_FN T##N clamp(T##N v, T##N low, T##N high) { return max(low, min(v, high)); } \
    TILEWRIGHT_FN T##N clamp(T##N v, S low, S high) { return clamp(v, make_##T##N(low), make_##T##N(high)); }

#define TILEWRIGHT_MIN_float ::fminf
#define TILEWRIGHT_MAX_float ::fmaxf
#define TILEWRIGHT_MIN_int ::min
#define TILEWRIGHT_MAX_int ::max
#define TILEWRIGHT_MIN_uint ::min
#define TILEWRIGHT_MAX_uint ::max

#define TILEWRIGHT_WIDTHS(F) F(2) F(3) F(4)

TILEWRIGHT_FN float lerp(float a, float b, float t) { return a + t * (b - a); }
TILEWRIGHT_FN float clamp(float v, float low, float high) { return ::fmaxf(low, ::fminf(v, high)); }
TILEWRIGHT_FN int clamp(int v, int low, int high) { return ::max(low, ::min(v, high)); }
TILEWRIGHT_FN unsigned clamp(unsigned v, unsigned low, unsigned high) { return ::max(low, ::min(v, high)); }
TILEWRIGHT_FN float fracf(float v) { return v - ::floorf(v); }

#define TILEWRIGHT_INTEGERS(N) \
    TILEWRIGHT_ARITHMETIC(int, int, N) \
    TILEWRIGHT_ARITHMETIC(uint, unsigned, N) \
    TILEWRIGHT_FN int##N operator-(const int##N& a) { return make_int##N(TILEWRIGHT_EACH##N(TILEWRIGHT_NEG)); } \
    TILEWRIGHT_FN int##N abs(int##N a) { return make_int##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CALL1, ::abs)); } \
    TILEWRIGHT_FN int##N make_int##N(uint##N a) { return make_int##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CAST, int)); } \
    TILEWRIGHT_FN int##N make_int##N(float##N a) { return make_int##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CAST, int)); } \
    TILEWRIGHT_FN uint##N make_uint##N(int##N a) { return make_uint##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CAST, unsigned)); }

#define TILEWRIGHT_FLOATS(N) \
    TILEWRIGHT_ARITHMETIC(float, float, N) \
    TILEWRIGHT_OPERATOR(float, float, N, /) \
    TILEWRIGHT_FN float##N operator-(const float##N& a) { return make_float##N(TILEWRIGHT_EACH##N(TILEWRIGHT_NEG)); } \
    TILEWRIGHT_FN float##N make_float##N(int##N a) { return make_float##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CAST, float)); } \
    TILEWRIGHT_FN float##N make_float##N(uint##N a) { return make_float##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CAST, float)); } \
    TILEWRIGHT_FN float##N fminf(float##N a, float##N b) { return min(a, b); } \
    TILEWRIGHT_FN float##N fmaxf(float##N a, float##N b) { return max(a, b); } \
    TILEWRIGHT_FN float##N floorf(float##N a) { return make_float##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CALL1, ::floorf)); } \
    TILEWRIGHT_FN float##N fabs(float##N a) { return make_float##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CALL1, ::fabsf)); } \
    TILEWRIGHT_FN float##N fracf(float##N a) { return make_float##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CALL1, fracf)); } \
    TILEWRIGHT_FN float##N fmodf(float##N a, float##N b) { return make_float##N(TILEWRIGHT_EACH##N(TILEWRIGHT_CALL2, ::fmodf)); } \
    TILEWRIGHT_FN float##N lerp(float##N a, float##N b, float t) { return a + t * (b - a); } \
    TILEWRIGHT_FN float length(float##N v) { return ::sqrtf(dot(v, v)); } \
    TILEWRIGHT_FN float##N normalize(float##N v) { return v * ::rsqrtf(dot(v, v)); } \
    TILEWRIGHT_FN float##N reflect(float##N i, float##N n) { return i - 2.0f * n * dot(n, i); } \
    TILEWRIGHT_FN float##N smoothstep(float##N a, float##N b, float##N v) \
    { \
        float##N y = clamp((v - a) / (b - a), 0.0f, 1.0f); \
        return y * y * (make_float##N(3.0f) - make_float##N(2.0f) * y); \
    }

#define TILEWRIGHT_DOT(T, S) \
    TILEWRIGHT_FN S dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; } \
    TILEWRIGHT_FN S dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    TILEWRIGHT_FN S dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; } \
    TILEWRIGHT_FN T##2 make_##T##2(T##3 a) { return make_##T##2(a.x, a.y); } \
    TILEWRIGHT_FN T##3 make_##T##3(T##2 a, S s = 0) { return make_##T##3(a.x, a.y, s); } \
    TILEWRIGHT_FN T##3 make_##T##3(T##4 a) { return make_##T##3(a.x, a.y, a.z); } \
    TILEWRIGHT_FN T##4 make_##T##4(T##3 a, S s = 0) { return make_##T##4(a.x, a.y, a.z, s); }

TILEWRIGHT_DOT(float, float)
TILEWRIGHT_DOT(int, int)
TILEWRIGHT_DOT(uint, unsigned)
TILEWRIGHT_WIDTHS(TILEWRIGHT_INTEGERS)
TILEWRIGHT_WIDTHS(TILEWRIGHT_FLOATS)

TILEWRIGHT_FN float3 cross(float3 a, float3 b)
{
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
TILEWRIGHT_FN float smoothstep(float a, float b, float v)
{
    float y = clamp((v - a) / (b - a), 0.0f, 1.0f);
    return y * y * (3.0f - 2.0f * y);
}
#endif
