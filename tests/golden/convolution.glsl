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
uniform int I[26];
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
  int y7 = pt_modulo(l3, I[5], F[1]) - 1;
  int x8 = m4 - 1;
  int t9 = ((pt_quotient(l3, F[1]) & 1) * I[6] + x8) * 2;
  bool b17 = x8 >= 0 && x8 < I[7];
  int x19 = x8 + 1;
  bool b20 = x19 >= 0 && x19 < I[8];
  int x22 = x8 + 2;
  bool b23 = x22 >= 0 && x22 < I[9];
  int x25 = x8 + 3;
  bool b26 = x25 >= 0 && x25 < I[10];
  for (int k10 = 0; k10 < 3; k10++) {
    int y11 = y7 + k10;
    if (y11 < 0 || y11 >= I[11]) { continue; }
    int t12 = t9 + y11 * I[12];
    int t13 = n1 + k10 * I[13];
    for (int k14 = 0; k14 < 2; k14++) {
      int x15 = t12 + k14;
      int w16 = t13 + k14 * I[14];
      vec4 v18 = b17 ? pt_texel0(x15) : vec4(0);
      vec4 v21 = b20 ? pt_texel0(x15 + 2) : vec4(0);
      vec4 v24 = b23 ? pt_texel0(x15 + 4) : vec4(0);
      vec4 v27 = b26 ? pt_texel0(x15 + I[15]) : vec4(0);
      {
        vec4 w28 = pt_texel1(w16);
        vec4 w29 = pt_texel1(w16 + 4);
        vec4 w30 = pt_texel1(w16 + I[16]);
        vec4 w31 = pt_texel1(w16 + I[17]);
        s5 += v18.x * w28 + v18.y * w29 + v18.z * w30 + v18.w * w31;
        s6 += v21.x * w28 + v21.y * w29 + v21.z * w30 + v21.w * w31;
      }
      {
        vec4 w32 = pt_texel1(w16 + I[18]);
        vec4 w33 = pt_texel1(w16 + I[19]);
        vec4 w34 = pt_texel1(w16 + I[20]);
        vec4 w35 = pt_texel1(w16 + I[21]);
        s5 += v21.x * w32 + v21.y * w33 + v21.z * w34 + v21.w * w35;
        s6 += v24.x * w32 + v24.y * w33 + v24.z * w34 + v24.w * w35;
      }
      {
        vec4 w36 = pt_texel1(w16 + I[22]);
        vec4 w37 = pt_texel1(w16 + I[23]);
        vec4 w38 = pt_texel1(w16 + I[24]);
        vec4 w39 = pt_texel1(w16 + I[25]);
        s5 += v24.x * w36 + v24.y * w37 + v24.z * w38 + v24.w * w39;
        s6 += v27.x * w36 + v27.y * w37 + v27.z * w38 + v27.w * w39;
      }
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
uniform float F[1];
uniform int I[4];
layout(location = 0) out vec4 y0;
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int i3 = t1 >> 2;
  int i4 = t1 & 3;
  int i5 = pt_quotient(i3, F[0]) * I[1] + (pt_modulo(i3, I[2], F[0]) >> 1);
  vec4 v6 = texelFetch(x0, ivec3(i4, i5, pt_modulo(i3, I[3], F[0]) & 1), 0);
  y0 = v6;
}
