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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 31), (t >> 5)), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 127), (t >> 7)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int quad = (P.y >> 1) * 8 + (P.x >> 1);
  int n0 = (quad & 7) * 4 + (P.x & 1);
  int block = (quad >> 3) * 2 + (P.y & 1);
  int m0 = 0 * 4;
  int line = block;
  vec4 s00 = vec4(0);
  vec4 s01 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s11 = vec4(0);
  vec4 s20 = vec4(0);
  vec4 s21 = vec4(0);
  vec4 s30 = vec4(0);
  vec4 s31 = vec4(0);
  int iy0 = (line % 3) * 2 - 0, ix0 = m0 * 2 - 0;
  int tx0 = ((((line / 3)) & 1) * 64 + ix0) * 4;
  int tw0 = n0;
  for (int ky = 0; ky < 3; ky++) {
    int iy = iy0 + ky * 1;
    int tx = tx0 + iy * 32;
    int tw = tw0 + ky * 1536;
    for (int c = 0; c < 4; c++) {
      vec4 a0 = pt_texel0(tx + 0 + c);
      vec4 a2 = pt_texel0(tx + 8 + c);
      vec4 a4 = pt_texel0(tx + 16 + c);
      vec4 a6 = pt_texel0(tx + 24 + c);
      vec4 a8 = pt_texel0(tx + 32 + c);
       {
        vec4 b00 = pt_texel1(tw + 0 + c * 128);
        vec4 b01 = pt_texel1(tw + 2 + c * 128);
        vec4 b10 = pt_texel1(tw + 32 + c * 128);
        vec4 b11 = pt_texel1(tw + 34 + c * 128);
        vec4 b20 = pt_texel1(tw + 64 + c * 128);
        vec4 b21 = pt_texel1(tw + 66 + c * 128);
        vec4 b30 = pt_texel1(tw + 96 + c * 128);
        vec4 b31 = pt_texel1(tw + 98 + c * 128);
        s00 += a0.x * b00 + a0.y * b10 + a0.z * b20 + a0.w * b30;
        s01 += a0.x * b01 + a0.y * b11 + a0.z * b21 + a0.w * b31;
        s10 += a2.x * b00 + a2.y * b10 + a2.z * b20 + a2.w * b30;
        s11 += a2.x * b01 + a2.y * b11 + a2.z * b21 + a2.w * b31;
        s20 += a4.x * b00 + a4.y * b10 + a4.z * b20 + a4.w * b30;
        s21 += a4.x * b01 + a4.y * b11 + a4.z * b21 + a4.w * b31;
        s30 += a6.x * b00 + a6.y * b10 + a6.z * b20 + a6.w * b30;
        s31 += a6.x * b01 + a6.y * b11 + a6.z * b21 + a6.w * b31;
      }
       {
        vec4 b00 = pt_texel1(tw + 1024 + c * 128);
        vec4 b01 = pt_texel1(tw + 1026 + c * 128);
        vec4 b10 = pt_texel1(tw + 1056 + c * 128);
        vec4 b11 = pt_texel1(tw + 1058 + c * 128);
        vec4 b20 = pt_texel1(tw + 1088 + c * 128);
        vec4 b21 = pt_texel1(tw + 1090 + c * 128);
        vec4 b30 = pt_texel1(tw + 1120 + c * 128);
        vec4 b31 = pt_texel1(tw + 1122 + c * 128);
        s00 += a2.x * b00 + a2.y * b10 + a2.z * b20 + a2.w * b30;
        s01 += a2.x * b01 + a2.y * b11 + a2.z * b21 + a2.w * b31;
        s10 += a4.x * b00 + a4.y * b10 + a4.z * b20 + a4.w * b30;
        s11 += a4.x * b01 + a4.y * b11 + a4.z * b21 + a4.w * b31;
        s20 += a6.x * b00 + a6.y * b10 + a6.z * b20 + a6.w * b30;
        s21 += a6.x * b01 + a6.y * b11 + a6.z * b21 + a6.w * b31;
        s30 += a8.x * b00 + a8.y * b10 + a8.z * b20 + a8.w * b30;
        s31 += a8.x * b01 + a8.y * b11 + a8.z * b21 + a8.w * b31;
      }
      vec4 a1 = pt_texel0(tx + 4 + c);
      vec4 a3 = pt_texel0(tx + 12 + c);
      vec4 a5 = pt_texel0(tx + 20 + c);
      vec4 a7 = pt_texel0(tx + 28 + c);
       {
        vec4 b00 = pt_texel1(tw + 512 + c * 128);
        vec4 b01 = pt_texel1(tw + 514 + c * 128);
        vec4 b10 = pt_texel1(tw + 544 + c * 128);
        vec4 b11 = pt_texel1(tw + 546 + c * 128);
        vec4 b20 = pt_texel1(tw + 576 + c * 128);
        vec4 b21 = pt_texel1(tw + 578 + c * 128);
        vec4 b30 = pt_texel1(tw + 608 + c * 128);
        vec4 b31 = pt_texel1(tw + 610 + c * 128);
        s00 += a1.x * b00 + a1.y * b10 + a1.z * b20 + a1.w * b30;
        s01 += a1.x * b01 + a1.y * b11 + a1.z * b21 + a1.w * b31;
        s10 += a3.x * b00 + a3.y * b10 + a3.z * b20 + a3.w * b30;
        s11 += a3.x * b01 + a3.y * b11 + a3.z * b21 + a3.w * b31;
        s20 += a5.x * b00 + a5.y * b10 + a5.z * b20 + a5.w * b30;
        s21 += a5.x * b01 + a5.y * b11 + a5.z * b21 + a5.w * b31;
        s30 += a7.x * b00 + a7.y * b10 + a7.z * b20 + a7.w * b30;
        s31 += a7.x * b01 + a7.y * b11 + a7.z * b21 + a7.w * b31;
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

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int i1 = ((P.y) / 3) * 1 + ((((P.y) % 3)) >> 2);
  vec4 v2 = texelFetch(x0, ivec3(((P.x) >> 2) * 2 + (P.x & 1), (i1 >> 1) * 2 + ((i1) & 1), ((((P.y) % 3)) & 3) * 2 + ((((P.x) & 3)) >> 1)), 0);
  y0 = v2;
}
