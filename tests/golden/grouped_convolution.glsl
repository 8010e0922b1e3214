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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 63), (t >> 6)), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 127), (t >> 7)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int quad = (P.y >> 1) * 8 + (P.x >> 1);
  int n0 = (quad & 7) * 2 + (P.x & 1);
  int block = (quad >> 3) * 2 + (P.y & 1);
  int m0 = (block & 1) * 8;
  int line = (block >> 1);
  vec4 s00 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s20 = vec4(0);
  vec4 s30 = vec4(0);
  vec4 s40 = vec4(0);
  vec4 s50 = vec4(0);
  vec4 s60 = vec4(0);
  vec4 s70 = vec4(0);
  int iy0 = (line & 15) * 1 - 1, ix0 = m0 * 1 - 1;
  int tx0 = ((((line >> 4)) & 1) * 256 + ix0) * 8 + (line >> 5) * 4;
  int tw0 = n0 + (line >> 5) * 16;
  bool in0 = ix0 + 0 >= 0 && ix0 + 0 < 16;
  bool in1 = ix0 + 1 >= 0 && ix0 + 1 < 16;
  bool in2 = ix0 + 2 >= 0 && ix0 + 2 < 16;
  bool in3 = ix0 + 3 >= 0 && ix0 + 3 < 16;
  bool in4 = ix0 + 4 >= 0 && ix0 + 4 < 16;
  bool in5 = ix0 + 5 >= 0 && ix0 + 5 < 16;
  bool in6 = ix0 + 6 >= 0 && ix0 + 6 < 16;
  bool in7 = ix0 + 7 >= 0 && ix0 + 7 < 16;
  bool in8 = ix0 + 8 >= 0 && ix0 + 8 < 16;
  bool in9 = ix0 + 9 >= 0 && ix0 + 9 < 16;
  for (int ky = 0; ky < 3; ky++) {
    int iy = iy0 + ky * 1;
    if (iy < 0 || iy >= 16) continue;
    int tx = tx0 + iy * 128;
    int tw = tw0 + ky * 1536;
    for (int c = 0; c < 4; c++) {
      vec4 a0 = in0 ? pt_texel0(tx + 0 + c) : vec4(0);
      vec4 a1 = in1 ? pt_texel0(tx + 8 + c) : vec4(0);
      vec4 a2 = in2 ? pt_texel0(tx + 16 + c) : vec4(0);
      vec4 a3 = in3 ? pt_texel0(tx + 24 + c) : vec4(0);
      vec4 a4 = in4 ? pt_texel0(tx + 32 + c) : vec4(0);
      vec4 a5 = in5 ? pt_texel0(tx + 40 + c) : vec4(0);
      vec4 a6 = in6 ? pt_texel0(tx + 48 + c) : vec4(0);
      vec4 a7 = in7 ? pt_texel0(tx + 56 + c) : vec4(0);
      vec4 a8 = in8 ? pt_texel0(tx + 64 + c) : vec4(0);
      vec4 a9 = in9 ? pt_texel0(tx + 72 + c) : vec4(0);
       {
        vec4 b00 = pt_texel1(tw + 0 + c * 128);
        vec4 b10 = pt_texel1(tw + 32 + c * 128);
        vec4 b20 = pt_texel1(tw + 64 + c * 128);
        vec4 b30 = pt_texel1(tw + 96 + c * 128);
        s00 += a0.x * b00 + a0.y * b10 + a0.z * b20 + a0.w * b30;
        s10 += a1.x * b00 + a1.y * b10 + a1.z * b20 + a1.w * b30;
        s20 += a2.x * b00 + a2.y * b10 + a2.z * b20 + a2.w * b30;
        s30 += a3.x * b00 + a3.y * b10 + a3.z * b20 + a3.w * b30;
        s40 += a4.x * b00 + a4.y * b10 + a4.z * b20 + a4.w * b30;
        s50 += a5.x * b00 + a5.y * b10 + a5.z * b20 + a5.w * b30;
        s60 += a6.x * b00 + a6.y * b10 + a6.z * b20 + a6.w * b30;
        s70 += a7.x * b00 + a7.y * b10 + a7.z * b20 + a7.w * b30;
      }
       {
        vec4 b00 = pt_texel1(tw + 512 + c * 128);
        vec4 b10 = pt_texel1(tw + 544 + c * 128);
        vec4 b20 = pt_texel1(tw + 576 + c * 128);
        vec4 b30 = pt_texel1(tw + 608 + c * 128);
        s00 += a1.x * b00 + a1.y * b10 + a1.z * b20 + a1.w * b30;
        s10 += a2.x * b00 + a2.y * b10 + a2.z * b20 + a2.w * b30;
        s20 += a3.x * b00 + a3.y * b10 + a3.z * b20 + a3.w * b30;
        s30 += a4.x * b00 + a4.y * b10 + a4.z * b20 + a4.w * b30;
        s40 += a5.x * b00 + a5.y * b10 + a5.z * b20 + a5.w * b30;
        s50 += a6.x * b00 + a6.y * b10 + a6.z * b20 + a6.w * b30;
        s60 += a7.x * b00 + a7.y * b10 + a7.z * b20 + a7.w * b30;
        s70 += a8.x * b00 + a8.y * b10 + a8.z * b20 + a8.w * b30;
      }
       {
        vec4 b00 = pt_texel1(tw + 1024 + c * 128);
        vec4 b10 = pt_texel1(tw + 1056 + c * 128);
        vec4 b20 = pt_texel1(tw + 1088 + c * 128);
        vec4 b30 = pt_texel1(tw + 1120 + c * 128);
        s00 += a2.x * b00 + a2.y * b10 + a2.z * b20 + a2.w * b30;
        s10 += a3.x * b00 + a3.y * b10 + a3.z * b20 + a3.w * b30;
        s20 += a4.x * b00 + a4.y * b10 + a4.z * b20 + a4.w * b30;
        s30 += a5.x * b00 + a5.y * b10 + a5.z * b20 + a5.w * b30;
        s40 += a6.x * b00 + a6.y * b10 + a6.z * b20 + a6.w * b30;
        s50 += a7.x * b00 + a7.y * b10 + a7.z * b20 + a7.w * b30;
        s60 += a8.x * b00 + a8.y * b10 + a8.z * b20 + a8.w * b30;
        s70 += a9.x * b00 + a9.y * b10 + a9.z * b20 + a9.w * b30;
      }
    }
  }
  y0 = s00;
  y1 = s10;
  y2 = s20;
  y3 = s30;
  y4 = s40;
  y5 = s50;
  y6 = s60;
  y7 = s70;
}

// map reshape
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
  int t = P.y * 128 + P.x;
  int e = t * 4;
  int i1 = (e >> 7) * 64 + (((e >> 6)) & 1) * 32768 + (e & 63);
  int i2 = ((i1 >> 2) >> 4);
  int i3 = ((i1 >> 2) & 15);
  int i4 = (i2 >> 3);
  vec4 v5 = texelFetch(x0, ivec3(i3, i4, (i2 & 7)), 0);
  y0 = v5;
}
