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
uniform int I[18];
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[2], t >> I[3]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  int l3 = b2 >> I[4];
  int m4 = b2 & I[5];
  vec4 s5 = vec4(0);
  int y6 = (l3 & I[6]) * 2;
  int x7 = m4 * 2;
  int t8 = x7 * 2 + (l3 >> I[7]);
  int t9 = n1 + (l3 >> I[8]) * I[9];
  for (int k10 = 0; k10 < 3; k10++) {
    int y11 = y6 + k10;
    if (y11 < 0 || y11 >= I[10]) { continue; }
    int t12 = t8 + y11 * I[11];
    int t13 = t9 + k10 * I[12];
    for (int k14 = 0; k14 < 3; k14++) {
      int x18 = x7 + k14;
      bool b19 = x18 >= 0 && x18 < I[13];
      for (int k15 = 0; k15 < 1; k15++) {
        int x16 = t12 + k15;
        int w17 = t13 + k15 * I[14];
        vec4 v20 = b19 ? pt_texel0(x16) : vec4(0);
        {
          vec4 w21 = pt_texel1(w17);
          vec4 w22 = pt_texel1(w17 + 4);
          vec4 w23 = pt_texel1(w17 + I[15]);
          vec4 w24 = pt_texel1(w17 + I[16]);
          s5 += v20.x * w21 + v20.y * w22 + v20.z * w23 + v20.w * w24;
        }
      }
      t12 += 2;
      t13 += I[17];
    }
  }
  y0 = s5;
}

// reduce sum
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
uniform int I[2];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  vec4 s5 = vec4(0.0);
  for (int k6 = 0; k6 < 2; k6++) {
    int q7 = k6 * I[1] + e2;
    int i8 = (q7 >> 2) >> 2;
    int i9 = (q7 >> 2) & 3;
    vec4 v10 = texelFetch(x0, ivec3(i9, i8, 0), 0);
    s5 = s5 + v10;
  }
  y0 = s5;
}
