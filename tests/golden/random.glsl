// map bits_to_unit_float
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform uint U[2];
layout(location = 0) out vec4 y0;
uvec4 pt_threefry(uvec4 k0, uvec4 k1, uvec4 i) {
  uvec4 k2 = k0 ^ k1 ^ 0x1BD11BDAu;
  uvec4 a = k0, b = i + k1;
#define PT_R(n) a += b; b = (b << n) | (b >> (32 - n)); b ^= a;
  PT_R(13) PT_R(15) PT_R(26) PT_R(6) a += k1; b += k2 + 1u;
  PT_R(17) PT_R(29) PT_R(16) PT_R(24) a += k2; b += k0 + 2u;
  PT_R(13) PT_R(15) PT_R(26) PT_R(6) a += k0; b += k1 + 3u;
  PT_R(17) PT_R(29) PT_R(16) PT_R(24) a += k1; b += k2 + 4u;
  PT_R(13) PT_R(15) PT_R(26) PT_R(6) a += k2; b += k0 + 5u;
#undef PT_R
  return a ^ b;
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 2 + P.x;
  int e = t * 4;
  ivec4 i1 = e + ivec4(0, 1, 2, 3);
  uvec4 v2 = uvec4(i1);
  uvec4 v3 = pt_threefry(uvec4(U[0]), uvec4(U[1]), v2);
  vec4 v4 = uintBitsToFloat((v3 >> 9) | 0x3f800000u) - 1.0;
  y0 = v4;
}
