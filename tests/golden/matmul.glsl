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
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
layout(location = 4) out vec4 y4;
layout(location = 5) out vec4 y5;
layout(location = 6) out vec4 y6;
layout(location = 7) out vec4 y7;
vec4 pt_texel(sampler2D x, int t) { return texelFetch(x, ivec2(t & 2047, t >> 11), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int block = P.y * 3 + P.x;
  int n0 = block % 3 * 8;
  int m0 = block / 3 % 4 * 4;
  int g = block / 12;
  vec4 s00 = vec4(0);
  vec4 s01 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s11 = vec4(0);
  vec4 s20 = vec4(0);
  vec4 s21 = vec4(0);
  vec4 s30 = vec4(0);
  vec4 s31 = vec4(0);
  int ta = 0 + g * 80;
  int tb = 0 + g * 120;
  for (int k = 0; k < 5; k++) {
    vec4 a0 = pt_texel(x0, ta + (m0 + 0) * 5 + k);
    vec4 a1 = pt_texel(x0, ta + (m0 + 1) * 5 + k);
    vec4 a2 = pt_texel(x0, ta + (m0 + 2) * 5 + k);
    vec4 a3 = pt_texel(x0, ta + (m0 + 3) * 5 + k);
    vec4 b00 = pt_texel(x1, tb + (k * 4 + 0) * 6 + n0 / 4 + 0);
    vec4 b01 = pt_texel(x1, tb + (k * 4 + 0) * 6 + n0 / 4 + 1);
    vec4 b10 = pt_texel(x1, tb + (k * 4 + 1) * 6 + n0 / 4 + 0);
    vec4 b11 = pt_texel(x1, tb + (k * 4 + 1) * 6 + n0 / 4 + 1);
    vec4 b20 = pt_texel(x1, tb + (k * 4 + 2) * 6 + n0 / 4 + 0);
    vec4 b21 = pt_texel(x1, tb + (k * 4 + 2) * 6 + n0 / 4 + 1);
    vec4 b30 = pt_texel(x1, tb + (k * 4 + 3) * 6 + n0 / 4 + 0);
    vec4 b31 = pt_texel(x1, tb + (k * 4 + 3) * 6 + n0 / 4 + 1);
    s00 += a0.x * b00 + a0.y * b10 + a0.z * b20 + a0.w * b30;
    s01 += a0.x * b01 + a0.y * b11 + a0.z * b21 + a0.w * b31;
    s10 += a1.x * b00 + a1.y * b10 + a1.z * b20 + a1.w * b30;
    s11 += a1.x * b01 + a1.y * b11 + a1.z * b21 + a1.w * b31;
    s20 += a2.x * b00 + a2.y * b10 + a2.z * b20 + a2.w * b30;
    s21 += a2.x * b01 + a2.y * b11 + a2.z * b21 + a2.w * b31;
    s30 += a3.x * b00 + a3.y * b10 + a3.z * b20 + a3.w * b30;
    s31 += a3.x * b01 + a3.y * b11 + a3.z * b21 + a3.w * b31;
  }
  y0 = s00;
  y1 = s01;
  y2 = s10;
  y3 = s11;
  y4 = s20;
  y5 = s21;
  y6 = s30;
  y7 = s31;
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
layout(location = 0) out vec4 y0;
vec4 pt_tile(sampler2DArray x, int block, int layer, int width) { return texelFetch(x, ivec3(block % width, block / width, layer), 0); }
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_max(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int e = ((P.y << 11) | P.x) << 2;
  vec4 v1 = pt_tile(x0, ((e / 24) / 4) * 3 + (e % 24) / 8, ((e / 24) % 4) * 2 + ((e % 24) % 8) / 4, 3);
  int i2 = (e % 24);
  vec4 v3 = texelFetch(x1, ivec2((i2 >> 2) & 2047, i2 >> 13), 0);
  vec4 v4 = v1 + v3;
  vec4 v5 = pt_max(v4, vec4(0.0));
  y0 = v5;
}
