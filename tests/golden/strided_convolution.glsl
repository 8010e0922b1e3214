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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 31, t >> 5), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 31, t >> 5), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 2 + (P.x >> 1);
  int n2 = (q1 & 1) * 2 + (P.x & 1);
  int b3 = (q1 >> 1) * 2 + (P.y & 1);
  int l4 = b3 >> 3;
  int m5 = b3 & 7;
  vec4 s6 = vec4(0);
  int y7 = (l4 & 7) * 2;
  int x8 = m5 * 2;
  int t9 = x8 * 2;
  for (int k10 = 0; k10 < 3; k10++) {
    int y11 = y7 + k10;
    if (y11 < 0 || y11 >= 16) { continue; }
    int t12 = t9 + y11 * 32;
    int t13 = n2 + k10 * 96;
    for (int k14 = 0; k14 < 3; k14++) {
      int x18 = x8 + k14;
      bool b19 = x18 >= 0 && x18 < 16;
      for (int k15 = 0; k15 < 2; k15++) {
        int x16 = t12 + k15;
        int w17 = t13 + k15 * 16;
        vec4 v20 = b19 ? pt_texel0(x16) : vec4(0);
        {
          vec4 w21 = pt_texel1(w17);
          vec4 w22 = pt_texel1(w17 + 4);
          vec4 w23 = pt_texel1(w17 + 8);
          vec4 w24 = pt_texel1(w17 + 12);
          s6 += v20.x * w21 + v20.y * w22 + v20.z * w23 + v20.w * w24;
        }
      }
      t12 += 2;
      t13 += 32;
    }
  }
  y0 = s6;
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
  int t1 = P.y * 16 + P.x;
  int i3 = t1 >> 2;
  int i4 = t1 & 3;
  vec4 v5 = texelFetch(x0, ivec3(i4, i3, 0), 0);
  y0 = v5;
}
