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
uniform int I[51];
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
layout(location = 4) out vec4 y4;
layout(location = 5) out vec4 y5;
layout(location = 6) out vec4 y6;
layout(location = 7) out vec4 y7;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[2], t >> I[3]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  int l3 = b2 >> 1;
  int m4 = (b2 & 1) * I[4];
  vec4 s5 = vec4(0);
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  vec4 s8 = vec4(0);
  vec4 s9 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s11 = vec4(0);
  vec4 s12 = vec4(0);
  int y13 = (l3 & I[5]) - 1;
  int x14 = m4 - 1;
  int t15 = (((l3 >> I[6]) & 1) * I[7] + x14) * I[8] + (l3 >> I[9]) * 4;
  int t16 = n1 + (l3 >> I[10]) * I[11];
  bool b24 = x14 >= 0 && x14 < I[12];
  int x26 = x14 + 1;
  bool b27 = x26 >= 0 && x26 < I[13];
  int x29 = x14 + 2;
  bool b30 = x29 >= 0 && x29 < I[14];
  int x32 = x14 + 3;
  bool b33 = x32 >= 0 && x32 < I[15];
  int x35 = x14 + 4;
  bool b36 = x35 >= 0 && x35 < I[16];
  int x38 = x14 + I[17];
  bool b39 = x38 >= 0 && x38 < I[18];
  int x41 = x14 + I[19];
  bool b42 = x41 >= 0 && x41 < I[20];
  int x44 = x14 + I[21];
  bool b45 = x44 >= 0 && x44 < I[22];
  int x47 = x14 + I[23];
  bool b48 = x47 >= 0 && x47 < I[24];
  int x50 = x14 + I[25];
  bool b51 = x50 >= 0 && x50 < I[26];
  for (int k17 = 0; k17 < 3; k17++) {
    int y18 = y13 + k17;
    if (y18 < 0 || y18 >= I[27]) { continue; }
    int t19 = t15 + y18 * I[28];
    int t20 = t16 + k17 * I[29];
    for (int k21 = 0; k21 < 4; k21++) {
      int x22 = t19 + k21;
      int w23 = t20 + k21 * I[30];
      vec4 v25 = b24 ? pt_texel0(x22) : vec4(0);
      vec4 v28 = b27 ? pt_texel0(x22 + I[31]) : vec4(0);
      vec4 v31 = b30 ? pt_texel0(x22 + I[32]) : vec4(0);
      vec4 v34 = b33 ? pt_texel0(x22 + I[33]) : vec4(0);
      vec4 v37 = b36 ? pt_texel0(x22 + I[34]) : vec4(0);
      vec4 v40 = b39 ? pt_texel0(x22 + I[35]) : vec4(0);
      vec4 v43 = b42 ? pt_texel0(x22 + I[36]) : vec4(0);
      vec4 v46 = b45 ? pt_texel0(x22 + I[37]) : vec4(0);
      vec4 v49 = b48 ? pt_texel0(x22 + I[38]) : vec4(0);
      vec4 v52 = b51 ? pt_texel0(x22 + I[39]) : vec4(0);
      {
        vec4 w53 = pt_texel1(w23);
        vec4 w54 = pt_texel1(w23 + I[40]);
        vec4 w55 = pt_texel1(w23 + I[41]);
        vec4 w56 = pt_texel1(w23 + I[42]);
        s5 += v25.x * w53 + v25.y * w54 + v25.z * w55 + v25.w * w56;
        s6 += v28.x * w53 + v28.y * w54 + v28.z * w55 + v28.w * w56;
        s7 += v31.x * w53 + v31.y * w54 + v31.z * w55 + v31.w * w56;
        s8 += v34.x * w53 + v34.y * w54 + v34.z * w55 + v34.w * w56;
        s9 += v37.x * w53 + v37.y * w54 + v37.z * w55 + v37.w * w56;
        s10 += v40.x * w53 + v40.y * w54 + v40.z * w55 + v40.w * w56;
        s11 += v43.x * w53 + v43.y * w54 + v43.z * w55 + v43.w * w56;
        s12 += v46.x * w53 + v46.y * w54 + v46.z * w55 + v46.w * w56;
      }
      {
        vec4 w57 = pt_texel1(w23 + I[43]);
        vec4 w58 = pt_texel1(w23 + I[44]);
        vec4 w59 = pt_texel1(w23 + I[45]);
        vec4 w60 = pt_texel1(w23 + I[46]);
        s5 += v28.x * w57 + v28.y * w58 + v28.z * w59 + v28.w * w60;
        s6 += v31.x * w57 + v31.y * w58 + v31.z * w59 + v31.w * w60;
        s7 += v34.x * w57 + v34.y * w58 + v34.z * w59 + v34.w * w60;
        s8 += v37.x * w57 + v37.y * w58 + v37.z * w59 + v37.w * w60;
        s9 += v40.x * w57 + v40.y * w58 + v40.z * w59 + v40.w * w60;
        s10 += v43.x * w57 + v43.y * w58 + v43.z * w59 + v43.w * w60;
        s11 += v46.x * w57 + v46.y * w58 + v46.z * w59 + v46.w * w60;
        s12 += v49.x * w57 + v49.y * w58 + v49.z * w59 + v49.w * w60;
      }
      {
        vec4 w61 = pt_texel1(w23 + I[47]);
        vec4 w62 = pt_texel1(w23 + I[48]);
        vec4 w63 = pt_texel1(w23 + I[49]);
        vec4 w64 = pt_texel1(w23 + I[50]);
        s5 += v31.x * w61 + v31.y * w62 + v31.z * w63 + v31.w * w64;
        s6 += v34.x * w61 + v34.y * w62 + v34.z * w63 + v34.w * w64;
        s7 += v37.x * w61 + v37.y * w62 + v37.z * w63 + v37.w * w64;
        s8 += v40.x * w61 + v40.y * w62 + v40.z * w63 + v40.w * w64;
        s9 += v43.x * w61 + v43.y * w62 + v43.z * w63 + v43.w * w64;
        s10 += v46.x * w61 + v46.y * w62 + v46.z * w63 + v46.w * w64;
        s11 += v49.x * w61 + v49.y * w62 + v49.z * w63 + v49.w * w64;
        s12 += v52.x * w61 + v52.y * w62 + v52.z * w63 + v52.w * w64;
      }
    }
  }
  y0 = s5;
  y1 = s6;
  y2 = s7;
  y3 = s8;
  y4 = s9;
  y5 = s10;
  y6 = s11;
  y7 = s12;
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
uniform int I[10];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  int i3 = (e2 >> I[1]) * I[2] + ((e2 >> I[3]) & 1) * I[4] + (e2 & I[5]);
  int i4 = (i3 >> 2) >> I[6];
  int i5 = (i3 >> 2) & I[7];
  int i6 = i4 >> I[8];
  vec4 v7 = texelFetch(x0, ivec3(i5, i6, i4 & I[9]), 0);
  y0 = v7;
}
