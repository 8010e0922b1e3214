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
uvec4 pt_threefry(uvec4 k0, uvec4 k1, uvec4 i, uvec4 second) {
  uvec4 k2 = k0 ^ k1 ^ 0x1bd11bdau;
  uvec4 a = k0;
  uvec4 b = i + k1;
  a = a + b;
  b = ((b << 13) | (b >> 19)) ^ a;
  a = a + b;
  b = ((b << 15) | (b >> 17)) ^ a;
  a = a + b;
  b = ((b << 26) | (b >> 6)) ^ a;
  a = a + b;
  b = ((b << 6) | (b >> 26)) ^ a;
  a = a + k1;
  b = b + (k2 + 1u);
  a = a + b;
  b = ((b << 17) | (b >> 15)) ^ a;
  a = a + b;
  b = ((b << 29) | (b >> 3)) ^ a;
  a = a + b;
  b = ((b << 16) | (b >> 16)) ^ a;
  a = a + b;
  b = ((b << 24) | (b >> 8)) ^ a;
  a = a + k2;
  b = b + (k0 + 2u);
  a = a + b;
  b = ((b << 13) | (b >> 19)) ^ a;
  a = a + b;
  b = ((b << 15) | (b >> 17)) ^ a;
  a = a + b;
  b = ((b << 26) | (b >> 6)) ^ a;
  a = a + b;
  b = ((b << 6) | (b >> 26)) ^ a;
  a = a + k0;
  b = b + (k1 + 3u);
  a = a + b;
  b = ((b << 17) | (b >> 15)) ^ a;
  a = a + b;
  b = ((b << 29) | (b >> 3)) ^ a;
  a = a + b;
  b = ((b << 16) | (b >> 16)) ^ a;
  a = a + b;
  b = ((b << 24) | (b >> 8)) ^ a;
  a = a + k1;
  b = b + (k2 + 4u);
  a = a + b;
  b = ((b << 13) | (b >> 19)) ^ a;
  a = a + b;
  b = ((b << 15) | (b >> 17)) ^ a;
  a = a + b;
  b = ((b << 26) | (b >> 6)) ^ a;
  a = a + b;
  b = ((b << 6) | (b >> 26)) ^ a;
  a = a + k2;
  b = b + (k0 + 5u);
  return a ^ (b & second);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 2 + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  uvec4 v4 = uvec4(i3);
  uvec4 v5 = pt_threefry(uvec4(U[0]), uvec4(U[1]), v4, uvec4(0xffffffffu));
  vec4 v6 = uintBitsToFloat((v5 >> 9) | 0x3f800000u) - 1.0;
  y0 = v6;
}
