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
uniform float F[1];
uniform int I[43];
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[2], t >> I[3]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  int l3 = b2 / 3;
  int m4 = b2 % 3 * 4;
  vec4 s5 = vec4(0);
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  vec4 s8 = vec4(0);
  int y9 = pt_modulo(l3, I[4], F[0]) - 3;
  int x10 = m4 - 3;
  int t11 = x10 * 2 + pt_quotient(l3, F[0]);
  int t12 = n1 + pt_quotient(l3, F[0]) * I[5];
  bool b20 = x10 >= 0 && x10 < I[6];
  int x22 = x10 + 1;
  bool b23 = x22 >= 0 && x22 < I[7];
  int x25 = x10 + 2;
  bool b26 = x25 >= 0 && x25 < I[8];
  int x28 = x10 + 3;
  bool b29 = x28 >= 0 && x28 < I[9];
  int x31 = x10 + 4;
  bool b32 = x31 >= 0 && x31 < I[10];
  int x34 = x10 + I[11];
  bool b35 = x34 >= 0 && x34 < I[12];
  int x37 = x10 + I[13];
  bool b38 = x37 >= 0 && x37 < I[14];
  int x40 = x10 + I[15];
  bool b41 = x40 >= 0 && x40 < I[16];
  int x43 = x10 + I[17];
  bool b44 = x43 >= 0 && x43 < I[18];
  int x46 = x10 + I[19];
  bool b47 = x46 >= 0 && x46 < I[20];
  for (int k13 = 0; k13 < 3; k13++) {
    int y14 = y9 + k13 * 3;
    if (y14 < 0 || y14 >= I[21]) { continue; }
    int t15 = t11 + y14 * I[22];
    int t16 = t12 + k13 * I[23];
    for (int k17 = 0; k17 < 1; k17++) {
      int x18 = t15 + k17;
      int w19 = t16 + k17 * I[24];
      vec4 v21 = b20 ? pt_texel0(x18) : vec4(0);
      vec4 v24 = b23 ? pt_texel0(x18 + 2) : vec4(0);
      vec4 v27 = b26 ? pt_texel0(x18 + 4) : vec4(0);
      vec4 v30 = b29 ? pt_texel0(x18 + I[25]) : vec4(0);
      vec4 v33 = b32 ? pt_texel0(x18 + I[26]) : vec4(0);
      vec4 v36 = b35 ? pt_texel0(x18 + I[27]) : vec4(0);
      vec4 v39 = b38 ? pt_texel0(x18 + I[28]) : vec4(0);
      vec4 v42 = b41 ? pt_texel0(x18 + I[29]) : vec4(0);
      vec4 v45 = b44 ? pt_texel0(x18 + I[30]) : vec4(0);
      vec4 v48 = b47 ? pt_texel0(x18 + I[31]) : vec4(0);
      {
        vec4 w49 = pt_texel1(w19);
        vec4 w50 = pt_texel1(w19 + I[32]);
        vec4 w51 = pt_texel1(w19 + I[33]);
        vec4 w52 = pt_texel1(w19 + I[34]);
        s5 += v21.x * w49 + v21.y * w50 + v21.z * w51 + v21.w * w52;
        s6 += v24.x * w49 + v24.y * w50 + v24.z * w51 + v24.w * w52;
        s7 += v27.x * w49 + v27.y * w50 + v27.z * w51 + v27.w * w52;
        s8 += v30.x * w49 + v30.y * w50 + v30.z * w51 + v30.w * w52;
      }
      {
        vec4 w53 = pt_texel1(w19 + I[35]);
        vec4 w54 = pt_texel1(w19 + I[36]);
        vec4 w55 = pt_texel1(w19 + I[37]);
        vec4 w56 = pt_texel1(w19 + I[38]);
        s5 += v30.x * w53 + v30.y * w54 + v30.z * w55 + v30.w * w56;
        s6 += v33.x * w53 + v33.y * w54 + v33.z * w55 + v33.w * w56;
        s7 += v36.x * w53 + v36.y * w54 + v36.z * w55 + v36.w * w56;
        s8 += v39.x * w53 + v39.y * w54 + v39.z * w55 + v39.w * w56;
      }
      {
        vec4 w57 = pt_texel1(w19 + I[39]);
        vec4 w58 = pt_texel1(w19 + I[40]);
        vec4 w59 = pt_texel1(w19 + I[41]);
        vec4 w60 = pt_texel1(w19 + I[42]);
        s5 += v39.x * w57 + v39.y * w58 + v39.z * w59 + v39.w * w60;
        s6 += v42.x * w57 + v42.y * w58 + v42.z * w59 + v42.w * w60;
        s7 += v45.x * w57 + v45.y * w58 + v45.z * w59 + v45.w * w60;
        s8 += v48.x * w57 + v48.y * w58 + v48.z * w59 + v48.w * w60;
      }
    }
  }
  y0 = s5;
  y1 = s6;
  y2 = s7;
  y3 = s8;
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
uniform int I[4];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  vec4 s5 = vec4(0.0);
  for (int k6 = 0; k6 < 2; k6++) {
    int q7 = k6 * I[1] + e2;
    int i8 = (q7 >> 2) >> I[2];
    int i9 = (q7 >> 2) & I[3];
    int i10 = i8 >> 2;
    vec4 v11 = texelFetch(x0, ivec3(i9, i10, i8 & 3), 0);
    s5 = s5 + v11;
  }
  y0 = s5;
}
