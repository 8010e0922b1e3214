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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 31), (t >> 5)), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 31), (t >> 5)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int quad = (P.y >> 1) * 2 + (P.x >> 1);
  int n0 = (quad & 1) * 2 + (P.x & 1);
  int block = (quad >> 1) * 2 + (P.y & 1);
  int m0 = (block & 7) * 1;
  int line = (block >> 3);
  vec4 s00 = vec4(0);
  int iy0 = (line & 7) * 2 - 0, ix0 = m0 * 2 - 0;
  int tx0 = (0 * 256 + ix0) * 2;
  int tw0 = n0;
  for (int ky = 0; ky < 3; ky++) {
    int iy = iy0 + ky * 1;
    if (iy < 0 || iy >= 16) continue;
    int tx = tx0 + iy * 32;
    int tw = tw0 + ky * 96;
    for (int kx = 0; kx < 3; kx++) {
      bool in0 = ix0 + 0 + kx * 1 >= 0 && ix0 + 0 + kx * 1 < 16;
      for (int c = 0; c < 2; c++) {
        vec4 a0 = in0 ? pt_texel0(tx + 0 + c) : vec4(0);
         {
          vec4 b00 = pt_texel1(tw + 0 + c * 16);
          vec4 b10 = pt_texel1(tw + 4 + c * 16);
          vec4 b20 = pt_texel1(tw + 8 + c * 16);
          vec4 b30 = pt_texel1(tw + 12 + c * 16);
          s00 += a0.x * b00 + a0.y * b10 + a0.z * b20 + a0.w * b30;
        }
      }
      tx += 2; tw += 32;
    }
  }
  y0 = s00;
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
  int t = P.y * 16 + P.x;
  int i1 = (t >> 2);
  int i2 = (t & 3);
  vec4 v3 = texelFetch(x0, ivec3(i2, i1, 0), 0);
  y0 = v3;
}
