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
uniform float F[2];
uniform int I[17];
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[2], t >> I[3]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  int l3 = pt_quotient(b2, F[0]);
  int m4 = pt_modulo(b2, I[4], F[0]) * 2;
  vec4 s5 = vec4(0);
  vec4 s6 = vec4(0);
  int y7 = pt_modulo(l3, I[5], F[1]) - 3;
  int x8 = m4 - 3;
  int t9 = x8 * 2;
  for (int k10 = 0; k10 < 3; k10++) {
    int y11 = y7 + k10 * 3;
    if (y11 < 0 || y11 >= I[6]) { continue; }
    int t12 = t9 + y11 * I[7];
    int t13 = n1 + k10 * I[8];
    for (int k14 = 0; k14 < 3; k14++) {
      int x18 = x8 + k14 * 3;
      bool b19 = x18 >= 0 && x18 < I[9];
      int x21 = x8 + (k14 * 3 + 1);
      bool b22 = x21 >= 0 && x21 < I[10];
      for (int k15 = 0; k15 < 2; k15++) {
        int x16 = t12 + k15;
        int w17 = t13 + k15 * I[11];
        vec4 v20 = b19 ? pt_texel0(x16) : vec4(0);
        vec4 v23 = b22 ? pt_texel0(x16 + 2) : vec4(0);
        {
          vec4 w24 = pt_texel1(w17);
          vec4 w25 = pt_texel1(w17 + I[12]);
          vec4 w26 = pt_texel1(w17 + I[13]);
          vec4 w27 = pt_texel1(w17 + I[14]);
          s5 += v20.x * w24 + v20.y * w25 + v20.z * w26 + v20.w * w27;
          s6 += v23.x * w24 + v23.y * w25 + v23.z * w26 + v23.w * w27;
        }
      }
      t12 += I[15];
      t13 += I[16];
    }
  }
  y0 = s5;
  y1 = s6;
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
uniform int I[3];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int i3 = t1 >> I[1];
  int i4 = t1 & I[2];
  int i5 = i3 >> 1;
  vec4 v6 = texelFetch(x0, ivec3(i4, i5, i3 & 1), 0);
  y0 = v6;
}
