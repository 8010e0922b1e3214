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
uniform int I[31];
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
  int y9 = pt_modulo(l3, I[4], F[0]) - 1;
  int x10 = m4 - 1;
  int t11 = ((pt_quotient(l3, F[0]) & 1) * I[5] + x10) * 2 + pt_quotient(l3, F[1]);
  int t12 = n1 + pt_quotient(l3, F[1]) * I[6];
  bool b20 = x10 >= 0 && x10 < I[7];
  int x22 = x10 + 1;
  bool b23 = x22 >= 0 && x22 < I[8];
  int x25 = x10 + 2;
  bool b26 = x25 >= 0 && x25 < I[9];
  int x28 = x10 + 3;
  bool b29 = x28 >= 0 && x28 < I[10];
  int x31 = x10 + 4;
  bool b32 = x31 >= 0 && x31 < I[11];
  int x34 = x10 + I[12];
  bool b35 = x34 >= 0 && x34 < I[13];
  for (int k13 = 0; k13 < 3; k13++) {
    int y14 = y9 + k13;
    if (y14 < 0 || y14 >= I[14]) { continue; }
    int t15 = t11 + y14 * I[15];
    int t16 = t12 + k13 * I[16];
    for (int k17 = 0; k17 < 1; k17++) {
      int x18 = t15 + k17;
      int w19 = t16 + k17 * I[17];
      vec4 v21 = b20 ? pt_texel0(x18) : vec4(0);
      vec4 v24 = b23 ? pt_texel0(x18 + 2) : vec4(0);
      vec4 v27 = b26 ? pt_texel0(x18 + 4) : vec4(0);
      vec4 v30 = b29 ? pt_texel0(x18 + I[18]) : vec4(0);
      vec4 v33 = b32 ? pt_texel0(x18 + I[19]) : vec4(0);
      vec4 v36 = b35 ? pt_texel0(x18 + I[20]) : vec4(0);
      {
        vec4 w37 = pt_texel1(w19);
        vec4 w38 = pt_texel1(w19 + 4);
        vec4 w39 = pt_texel1(w19 + I[21]);
        vec4 w40 = pt_texel1(w19 + I[22]);
        s5 += v21.x * w37 + v21.y * w38 + v21.z * w39 + v21.w * w40;
        s6 += v24.x * w37 + v24.y * w38 + v24.z * w39 + v24.w * w40;
        s7 += v27.x * w37 + v27.y * w38 + v27.z * w39 + v27.w * w40;
        s8 += v30.x * w37 + v30.y * w38 + v30.z * w39 + v30.w * w40;
      }
      {
        vec4 w41 = pt_texel1(w19 + I[23]);
        vec4 w42 = pt_texel1(w19 + I[24]);
        vec4 w43 = pt_texel1(w19 + I[25]);
        vec4 w44 = pt_texel1(w19 + I[26]);
        s5 += v24.x * w41 + v24.y * w42 + v24.z * w43 + v24.w * w44;
        s6 += v27.x * w41 + v27.y * w42 + v27.z * w43 + v27.w * w44;
        s7 += v30.x * w41 + v30.y * w42 + v30.z * w43 + v30.w * w44;
        s8 += v33.x * w41 + v33.y * w42 + v33.z * w43 + v33.w * w44;
      }
      {
        vec4 w45 = pt_texel1(w19 + I[27]);
        vec4 w46 = pt_texel1(w19 + I[28]);
        vec4 w47 = pt_texel1(w19 + I[29]);
        vec4 w48 = pt_texel1(w19 + I[30]);
        s5 += v27.x * w45 + v27.y * w46 + v27.z * w47 + v27.w * w48;
        s6 += v30.x * w45 + v30.y * w46 + v30.z * w47 + v30.w * w48;
        s7 += v33.x * w45 + v33.y * w46 + v33.z * w47 + v33.w * w48;
        s8 += v36.x * w45 + v36.y * w46 + v36.z * w47 + v36.w * w48;
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
uniform float F[1];
uniform int I[4];
layout(location = 0) out vec4 y0;
int pt_quotient(int x, float r) { return int((float(x) + 0.5) * r); }
int pt_modulo(int x, int n, float r) { return x - pt_quotient(x, r) * n; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  vec4 s5 = vec4(0.0);
  for (int k6 = 0; k6 < 2; k6++) {
    int q7 = k6 * I[1] + e2;
    int i8 = (q7 >> 2) >> 2;
    int i9 = (q7 >> 2) & 3;
    int i10 = pt_quotient(i8, F[0]) * 3 + (pt_modulo(i8, I[2], F[0]) >> 2);
    vec4 v11 = texelFetch(x0, ivec3(i9, i10, pt_modulo(i8, I[3], F[0]) & 3), 0);
    s5 = s5 + v11;
  }
  y0 = s5;
}
