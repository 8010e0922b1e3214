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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 31), (t >> 5)), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 31), (t >> 5)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int quad = (P.y >> 1) * 4 + (P.x >> 1);
  int n0 = (quad & 3) * 2 + (P.x & 1);
  int block = (quad >> 2) * 2 + (P.y & 1);
  int m0 = (block % 6) * 2;
  int line = (block / 6);
  vec4 s00 = vec4(0);
  vec4 s10 = vec4(0);
  int iy0 = (line % 12) * 1 - 3, ix0 = m0 * 1 - 3;
  int tx0 = (0 * 144 + ix0) * 2;
  int tw0 = n0;
  for (int ky = 0; ky < 3; ky++) {
    int iy = iy0 + ky * 3;
    if (iy < 0 || iy >= 12) continue;
    int tx = tx0 + iy * 24;
    int tw = tw0 + ky * 192;
    for (int kx = 0; kx < 3; kx++) {
      bool in0 = ix0 + 0 + kx * 3 >= 0 && ix0 + 0 + kx * 3 < 12;
      bool in1 = ix0 + 1 + kx * 3 >= 0 && ix0 + 1 + kx * 3 < 12;
      for (int c = 0; c < 2; c++) {
        vec4 a0 = in0 ? pt_texel0(tx + 0 + c) : vec4(0);
        vec4 a1 = in1 ? pt_texel0(tx + 2 + c) : vec4(0);
         {
          vec4 b00 = pt_texel1(tw + 0 + c * 32);
          vec4 b10 = pt_texel1(tw + 8 + c * 32);
          vec4 b20 = pt_texel1(tw + 16 + c * 32);
          vec4 b30 = pt_texel1(tw + 24 + c * 32);
          s00 += a0.x * b00 + a0.y * b10 + a0.z * b20 + a0.w * b30;
          s10 += a1.x * b00 + a1.y * b10 + a1.z * b20 + a1.w * b30;
        }
      }
      tx += 6; tw += 64;
    }
  }
  y0 = s00;
  y1 = s10;
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
  int t = P.y * 64 + P.x;
  int i1 = (t >> 3);
  int i2 = (t & 7);
  int i3 = (i1 >> 1);
  vec4 v4 = texelFetch(x0, ivec3(i2, i3, (i1 & 1)), 0);
  y0 = v4;
}
