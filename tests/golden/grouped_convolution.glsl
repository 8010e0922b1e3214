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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 63, t >> 6), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 127, t >> 7), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 8 + (P.x >> 1);
  int n2 = (q1 & 7) * 2 + (P.x & 1);
  int b3 = (q1 >> 3) * 2 + (P.y & 1);
  int l4 = b3 >> 1;
  int m5 = (b3 & 1) * 8;
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  vec4 s8 = vec4(0);
  vec4 s9 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s11 = vec4(0);
  vec4 s12 = vec4(0);
  vec4 s13 = vec4(0);
  int y14 = (l4 & 15) - 1;
  int x15 = m5 - 1;
  int t16 = (((l4 >> 4) & 1) * 256 + x15) * 8 + (l4 >> 5) * 4;
  int t17 = n2 + (l4 >> 5) * 16;
  bool b25 = x15 >= 0 && x15 < 16;
  int x27 = x15 + 1;
  bool b28 = x27 >= 0 && x27 < 16;
  int x30 = x15 + 2;
  bool b31 = x30 >= 0 && x30 < 16;
  int x33 = x15 + 3;
  bool b34 = x33 >= 0 && x33 < 16;
  int x36 = x15 + 4;
  bool b37 = x36 >= 0 && x36 < 16;
  int x39 = x15 + 5;
  bool b40 = x39 >= 0 && x39 < 16;
  int x42 = x15 + 6;
  bool b43 = x42 >= 0 && x42 < 16;
  int x45 = x15 + 7;
  bool b46 = x45 >= 0 && x45 < 16;
  int x48 = x15 + 8;
  bool b49 = x48 >= 0 && x48 < 16;
  int x51 = x15 + 9;
  bool b52 = x51 >= 0 && x51 < 16;
  for (int k18 = 0; k18 < 3; k18++) {
    int y19 = y14 + k18;
    if (y19 < 0 || y19 >= 16) { continue; }
    int t20 = t16 + y19 * 128;
    int t21 = t17 + k18 * 1536;
    for (int k22 = 0; k22 < 4; k22++) {
      int x23 = t20 + k22;
      int w24 = t21 + k22 * 128;
      vec4 v26 = b25 ? pt_texel0(x23) : vec4(0);
      vec4 v29 = b28 ? pt_texel0(x23 + 8) : vec4(0);
      vec4 v32 = b31 ? pt_texel0(x23 + 16) : vec4(0);
      vec4 v35 = b34 ? pt_texel0(x23 + 24) : vec4(0);
      vec4 v38 = b37 ? pt_texel0(x23 + 32) : vec4(0);
      vec4 v41 = b40 ? pt_texel0(x23 + 40) : vec4(0);
      vec4 v44 = b43 ? pt_texel0(x23 + 48) : vec4(0);
      vec4 v47 = b46 ? pt_texel0(x23 + 56) : vec4(0);
      vec4 v50 = b49 ? pt_texel0(x23 + 64) : vec4(0);
      vec4 v53 = b52 ? pt_texel0(x23 + 72) : vec4(0);
      {
        vec4 w54 = pt_texel1(w24);
        vec4 w55 = pt_texel1(w24 + 32);
        vec4 w56 = pt_texel1(w24 + 64);
        vec4 w57 = pt_texel1(w24 + 96);
        s6 += v26.x * w54 + v26.y * w55 + v26.z * w56 + v26.w * w57;
        s7 += v29.x * w54 + v29.y * w55 + v29.z * w56 + v29.w * w57;
        s8 += v32.x * w54 + v32.y * w55 + v32.z * w56 + v32.w * w57;
        s9 += v35.x * w54 + v35.y * w55 + v35.z * w56 + v35.w * w57;
        s10 += v38.x * w54 + v38.y * w55 + v38.z * w56 + v38.w * w57;
        s11 += v41.x * w54 + v41.y * w55 + v41.z * w56 + v41.w * w57;
        s12 += v44.x * w54 + v44.y * w55 + v44.z * w56 + v44.w * w57;
        s13 += v47.x * w54 + v47.y * w55 + v47.z * w56 + v47.w * w57;
      }
      {
        vec4 w58 = pt_texel1(w24 + 512);
        vec4 w59 = pt_texel1(w24 + 544);
        vec4 w60 = pt_texel1(w24 + 576);
        vec4 w61 = pt_texel1(w24 + 608);
        s6 += v29.x * w58 + v29.y * w59 + v29.z * w60 + v29.w * w61;
        s7 += v32.x * w58 + v32.y * w59 + v32.z * w60 + v32.w * w61;
        s8 += v35.x * w58 + v35.y * w59 + v35.z * w60 + v35.w * w61;
        s9 += v38.x * w58 + v38.y * w59 + v38.z * w60 + v38.w * w61;
        s10 += v41.x * w58 + v41.y * w59 + v41.z * w60 + v41.w * w61;
        s11 += v44.x * w58 + v44.y * w59 + v44.z * w60 + v44.w * w61;
        s12 += v47.x * w58 + v47.y * w59 + v47.z * w60 + v47.w * w61;
        s13 += v50.x * w58 + v50.y * w59 + v50.z * w60 + v50.w * w61;
      }
      {
        vec4 w62 = pt_texel1(w24 + 1024);
        vec4 w63 = pt_texel1(w24 + 1056);
        vec4 w64 = pt_texel1(w24 + 1088);
        vec4 w65 = pt_texel1(w24 + 1120);
        s6 += v32.x * w62 + v32.y * w63 + v32.z * w64 + v32.w * w65;
        s7 += v35.x * w62 + v35.y * w63 + v35.z * w64 + v35.w * w65;
        s8 += v38.x * w62 + v38.y * w63 + v38.z * w64 + v38.w * w65;
        s9 += v41.x * w62 + v41.y * w63 + v41.z * w64 + v41.w * w65;
        s10 += v44.x * w62 + v44.y * w63 + v44.z * w64 + v44.w * w65;
        s11 += v47.x * w62 + v47.y * w63 + v47.z * w64 + v47.w * w65;
        s12 += v50.x * w62 + v50.y * w63 + v50.z * w64 + v50.w * w65;
        s13 += v53.x * w62 + v53.y * w63 + v53.z * w64 + v53.w * w65;
      }
    }
  }
  y0 = s6;
  y1 = s7;
  y2 = s8;
  y3 = s9;
  y4 = s10;
  y5 = s11;
  y6 = s12;
  y7 = s13;
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
  int t1 = P.y * 128 + P.x;
  int e2 = t1 * 4;
  int i3 = (e2 >> 7) * 64 + ((e2 >> 6) & 1) * 32768 + (e2 & 63);
  int i4 = (i3 >> 2) >> 4;
  int i5 = (i3 >> 2) & 15;
  int i6 = i4 >> 3;
  vec4 v7 = texelFetch(x0, ivec3(i5, i6, i4 & 7), 0);
  y0 = v7;
}
