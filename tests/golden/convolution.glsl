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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 31, t >> 5), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 31, t >> 5), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 2 + (P.x >> 1);
  int n2 = (q1 & 1) * 2 + (P.x & 1);
  int b3 = (q1 >> 1) * 2 + (P.y & 1);
  int l4 = b3 / 5;
  int m5 = b3 % 5 * 2;
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  int y8 = l4 % 9 - 1;
  int x9 = m5 - 1;
  int t10 = (((l4 / 9) & 1) * 81 + x9) * 2;
  bool b18 = x9 >= 0 && x9 < 9;
  int x20 = x9 + 1;
  bool b21 = x20 >= 0 && x20 < 9;
  int x23 = x9 + 2;
  bool b24 = x23 >= 0 && x23 < 9;
  int x26 = x9 + 3;
  bool b27 = x26 >= 0 && x26 < 9;
  for (int k11 = 0; k11 < 3; k11++) {
    int y12 = y8 + k11;
    if (y12 < 0 || y12 >= 9) { continue; }
    int t13 = t10 + y12 * 18;
    int t14 = n2 + k11 * 96;
    for (int k15 = 0; k15 < 2; k15++) {
      int x16 = t13 + k15;
      int w17 = t14 + k15 * 16;
      vec4 v19 = b18 ? pt_texel0(x16) : vec4(0);
      vec4 v22 = b21 ? pt_texel0(x16 + 2) : vec4(0);
      vec4 v25 = b24 ? pt_texel0(x16 + 4) : vec4(0);
      vec4 v28 = b27 ? pt_texel0(x16 + 6) : vec4(0);
      {
        vec4 w29 = pt_texel1(w17);
        vec4 w30 = pt_texel1(w17 + 4);
        vec4 w31 = pt_texel1(w17 + 8);
        vec4 w32 = pt_texel1(w17 + 12);
        s6 += v19.x * w29 + v19.y * w30 + v19.z * w31 + v19.w * w32;
        s7 += v22.x * w29 + v22.y * w30 + v22.z * w31 + v22.w * w32;
      }
      {
        vec4 w33 = pt_texel1(w17 + 32);
        vec4 w34 = pt_texel1(w17 + 36);
        vec4 w35 = pt_texel1(w17 + 40);
        vec4 w36 = pt_texel1(w17 + 44);
        s6 += v22.x * w33 + v22.y * w34 + v22.z * w35 + v22.w * w36;
        s7 += v25.x * w33 + v25.y * w34 + v25.z * w35 + v25.w * w36;
      }
      {
        vec4 w37 = pt_texel1(w17 + 64);
        vec4 w38 = pt_texel1(w17 + 68);
        vec4 w39 = pt_texel1(w17 + 72);
        vec4 w40 = pt_texel1(w17 + 76);
        s6 += v25.x * w37 + v25.y * w38 + v25.z * w39 + v25.w * w40;
        s7 += v28.x * w37 + v28.y * w38 + v28.z * w39 + v28.w * w40;
      }
    }
  }
  y0 = s6;
  y1 = s7;
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
  int t1 = P.y * 32 + P.x;
  int i3 = t1 >> 2;
  int i4 = t1 & 3;
  int i5 = i3 / 9 * 5 + ((i3 % 9) >> 1);
  vec4 v6 = texelFetch(x0, ivec3(i4, i5, (i3 % 9) & 1), 0);
  y0 = v6;
}
