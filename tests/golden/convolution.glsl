// contract convolve
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
  int block = P.y * 2 + P.x;
  int n0 = block % 2 * 8;
  int m0 = block / 2 % 41 * 4;
  int g = block / 82;
  vec4 s00 = vec4(0);
  vec4 s01 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s11 = vec4(0);
  vec4 s20 = vec4(0);
  vec4 s21 = vec4(0);
  vec4 s30 = vec4(0);
  vec4 s31 = vec4(0);
  int m1 = min(m0 + 0, 161);
  int i0 = m1 / 9 % 9 * 1 - 1;
  int j0 = m1 % 9 * 1 - 1;
  int q0 = m1 / 81 * 9;
  int m2 = min(m0 + 1, 161);
  int i1 = m2 / 9 % 9 * 1 - 1;
  int j1 = m2 % 9 * 1 - 1;
  int q1 = m2 / 81 * 9;
  int m3 = min(m0 + 2, 161);
  int i2 = m3 / 9 % 9 * 1 - 1;
  int j2 = m3 % 9 * 1 - 1;
  int q2 = m3 / 81 * 9;
  int m4 = min(m0 + 3, 161);
  int i3 = m4 / 9 % 9 * 1 - 1;
  int j3 = m4 % 9 * 1 - 1;
  int q3 = m4 / 81 * 9;
  for (int ky = 0; ky < 3; ky++) {
    for (int kx = 0; kx < 3; kx++) {
      int iy0 = i0 + ky * 1, ix0 = j0 + kx * 1;
      bool in0 = iy0 >= 0 && iy0 < 9 && ix0 >= 0 && ix0 < 9;
      int t0 = ((q0 + iy0) * 9 + ix0) * 2;
      int iy1 = i1 + ky * 1, ix1 = j1 + kx * 1;
      bool in1 = iy1 >= 0 && iy1 < 9 && ix1 >= 0 && ix1 < 9;
      int t1 = ((q1 + iy1) * 9 + ix1) * 2;
      int iy2 = i2 + ky * 1, ix2 = j2 + kx * 1;
      bool in2 = iy2 >= 0 && iy2 < 9 && ix2 >= 0 && ix2 < 9;
      int t2 = ((q2 + iy2) * 9 + ix2) * 2;
      int iy3 = i3 + ky * 1, ix3 = j3 + kx * 1;
      bool in3 = iy3 >= 0 && iy3 < 9 && ix3 >= 0 && ix3 < 9;
      int t3 = ((q3 + iy3) * 9 + ix3) * 2;
      int tw = (ky * 3 + kx) * 32 + n0 / 4;
      for (int c = 0; c < 2; c++) {
        vec4 a0 = in0 ? pt_texel(x0, t0 + c) : vec4(0);
        vec4 a1 = in1 ? pt_texel(x0, t1 + c) : vec4(0);
        vec4 a2 = in2 ? pt_texel(x0, t2 + c) : vec4(0);
        vec4 a3 = in3 ? pt_texel(x0, t3 + c) : vec4(0);
        vec4 b00 = pt_texel(x1, tw + (c * 4 + 0) * 4 + 0);
        vec4 b01 = pt_texel(x1, tw + (c * 4 + 0) * 4 + 1);
        vec4 b10 = pt_texel(x1, tw + (c * 4 + 1) * 4 + 0);
        vec4 b11 = pt_texel(x1, tw + (c * 4 + 1) * 4 + 1);
        vec4 b20 = pt_texel(x1, tw + (c * 4 + 2) * 4 + 0);
        vec4 b21 = pt_texel(x1, tw + (c * 4 + 2) * 4 + 1);
        vec4 b30 = pt_texel(x1, tw + (c * 4 + 3) * 4 + 0);
        vec4 b31 = pt_texel(x1, tw + (c * 4 + 3) * 4 + 1);
        s00 += a0.x * b00 + a0.y * b10 + a0.z * b20 + a0.w * b30;
        s01 += a0.x * b01 + a0.y * b11 + a0.z * b21 + a0.w * b31;
        s10 += a1.x * b00 + a1.y * b10 + a1.z * b20 + a1.w * b30;
        s11 += a1.x * b01 + a1.y * b11 + a1.z * b21 + a1.w * b31;
        s20 += a2.x * b00 + a2.y * b10 + a2.z * b20 + a2.w * b30;
        s21 += a2.x * b01 + a2.y * b11 + a2.z * b21 + a2.w * b31;
        s30 += a3.x * b00 + a3.y * b10 + a3.z * b20 + a3.w * b30;
        s31 += a3.x * b01 + a3.y * b11 + a3.z * b21 + a3.w * b31;
      }
    }
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

// map convolve
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
vec4 pt_tile(sampler2DArray x, int block, int layer, int width) { return texelFetch(x, ivec3(block % width, block / width, layer), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int e = ((P.y << 11) | P.x) << 2;
  vec4 v1 = pt_tile(x0, (((e / 16) / 162) * 41 + ((e / 16) % 162) / 4) * 2 + (e % 16) / 8, (((e / 16) % 162) % 4) * 2 + ((e % 16) % 8) / 4, 2);
  y0 = v1;
}
