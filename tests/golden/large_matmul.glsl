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

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int quad = (P.y >> 1) * 32 + (P.x >> 1);
  int n0 = (quad & 31) * 4 + (P.x & 1);
  int line = (quad >> 11);
  int block = (((quad >> 5)) & 63);
  int m0 = (block >> 2) * 32 + (block & 3) * 4 + (P.y & 1) * 16;
  vec4 s00 = vec4(0);
  vec4 s01 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s11 = vec4(0);
  vec4 s20 = vec4(0);
  vec4 s21 = vec4(0);
  vec4 s30 = vec4(0);
  vec4 s31 = vec4(0);
  int ay = (m0 >> 4);
  int ax = (m0 & 15) * 128;
  int bx = n0;
  int by = 0;
  for (int k = 0; k < 128; k++) {
    int bk = bx + (k & 3) * 512;
    int bl = by + (k >> 2);
    vec4 a0 = texelFetch(x0, ivec2(ax + k, ay), 0);
    vec4 a1 = texelFetch(x0, ivec2(ax + k + 128, ay), 0);
    vec4 a2 = texelFetch(x0, ivec2(ax + k + 256, ay), 0);
    vec4 a3 = texelFetch(x0, ivec2(ax + k + 384, ay), 0);
    vec4 b00 = texelFetch(x1, ivec2(bk, bl), 0);
    vec4 b01 = texelFetch(x1, ivec2(bk + 2, bl), 0);
    vec4 b10 = texelFetch(x1, ivec2(bk + 128, bl), 0);
    vec4 b11 = texelFetch(x1, ivec2(bk + 130, bl), 0);
    vec4 b20 = texelFetch(x1, ivec2(bk + 256, bl), 0);
    vec4 b21 = texelFetch(x1, ivec2(bk + 258, bl), 0);
    vec4 b30 = texelFetch(x1, ivec2(bk + 384, bl), 0);
    vec4 b31 = texelFetch(x1, ivec2(bk + 386, bl), 0);
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

// map dot
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
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 2048 + P.x;
  int i1 = (t >> 7);
  int i2 = (t & 127);
  vec4 v3 = texelFetch(x0, ivec3((i2 >> 2) * 2 + (i2 & 1), ((i1 >> 5) * 4 + (((i1 & 15)) >> 2)) * 2 + (((i1 >> 4)) & 1), (((i1 & 15)) & 3) * 2 + (((i2 & 3)) >> 1)), 0);
  y0 = v3;
}
