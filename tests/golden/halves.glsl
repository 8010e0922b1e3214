// map multiply
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
uniform float F[1];
uniform int I[1];
layout(location = 0) out vec4 y0;
vec4 pt_round_half(vec4 x) {
  uvec4 raw = floatBitsToUint(x);
  uvec4 size = raw & 0x7fffffffu;
  uvec4 near = (size + 0xfffu + ((size >> 13) & 1u)) & 0xffffe000u;
  uvec4 small = floatBitsToUint(roundEven(uintBitsToFloat(size) * 16777216.0) / 16777216.0);
  near = near + (small - near) * uvec4(lessThan(size, uvec4(0x38800000u)));
  near = near + (0x7f800000u - near) * uvec4(greaterThan(near, uvec4(0x477fe000u)));
  near = near + (size - near) * uvec4(greaterThan(size, uvec4(0x7f800000u)));
  return uintBitsToFloat(near | (raw & 0x80000000u));
}
#define PT_STORED_INF 0x7f800000u
vec4 pt_stored_half(vec4 x) {
  uvec4 raw = floatBitsToUint(pt_round_half(x));
  uvec4 size = raw & 0x7fffffffu;
  return uintBitsToFloat(raw - (0x7f800000u - PT_STORED_INF) * uvec4(equal(size, uvec4(0x7f800000u))));
}
ivec4 pt_quotient4(ivec4 x, float r) { return ivec4((vec4(x) + 0.5) * r); }
ivec4 pt_modulo4(ivec4 x, int n, float r) { return x - pt_quotient4(x, r) * n; }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 1, t >> 1), 0); }
float pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  vec4 v3 = texelFetch(x0, P, 0);
  ivec4 i4 = e2 + ivec4(0, 1, 2, 3);
  ivec4 i5 = pt_modulo4(i4, I[0], F[0]);
  vec4 v6 = vec4(pt_at1(i5.x), pt_at1(i5.y), pt_at1(i5.z), pt_at1(i5.w));
  vec4 v7 = v3 * v6;
  y0 = pt_stored_half(v7);
}
