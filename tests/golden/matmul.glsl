// contract dot
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2D x0;
uniform sampler2D x1;
uniform int I[9];
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[2], t >> I[3]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  vec4 s3 = vec4(0);
  int t5 = b2 * I[4];
  for (int k4 = 0; k4 < 5; k4++) {
    vec4 t6 = pt_texel0(t5 + k4);
    int i7 = n1 + k4 * I[5];
    vec4 t8 = pt_texel1(i7);
    vec4 t9 = pt_texel1(i7 + I[6]);
    vec4 t10 = pt_texel1(i7 + I[7]);
    vec4 t11 = pt_texel1(i7 + I[8]);
    s3 += t6.x * t8 + t6.y * t9 + t6.z * t10 + t6.w * t11;
  }
  y0 = s3;
}

// map relu
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2DArray x0;
uniform sampler2D x1;
uniform float F[2];
uniform int I[3];
layout(location = 0) out vec4 y0;
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_maximum(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 3, t >> 2), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  int i3 = pt_quotient(t1, F[0]);
  int i4 = pt_modulo(t1, I[1], F[0]);
  vec4 v5 = texelFetch(x0, ivec3(i4, i3, 0), 0);
  int i6 = pt_modulo(e2, I[2], F[1]);
  vec4 v7 = pt_texel1(i6 >> 2);
  vec4 v8 = v5 + v7;
  vec4 v9 = pt_maximum(v8, vec4(0.0));
  y0 = v9;
}
