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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 31, t >> 5), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 127, t >> 7), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 8 + (P.x >> 1);
  int n2 = (q1 & 7) * 4 + (P.x & 1);
  int b3 = (q1 >> 3) * 2 + (P.y & 1);
  vec4 s4 = vec4(0);
  vec4 s5 = vec4(0);
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  vec4 s8 = vec4(0);
  vec4 s9 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s11 = vec4(0);
  int y12 = b3 % 3 * 2;
  int t13 = ((b3 / 3) & 1) * 64 * 4;
  for (int k14 = 0; k14 < 3; k14++) {
    int y15 = y12 + k14;
    int t16 = t13 + y15 * 32;
    int t17 = n2 + k14 * 1536;
    for (int k18 = 0; k18 < 4; k18++) {
      int x19 = t16 + k18;
      int w20 = t17 + k18 * 128;
      vec4 v21 = pt_texel0(x19);
      vec4 v22 = pt_texel0(x19 + 8);
      vec4 v23 = pt_texel0(x19 + 16);
      vec4 v24 = pt_texel0(x19 + 24);
      vec4 v25 = pt_texel0(x19 + 32);
      {
        vec4 w26 = pt_texel1(w20);
        vec4 w27 = pt_texel1(w20 + 2);
        vec4 w28 = pt_texel1(w20 + 32);
        vec4 w29 = pt_texel1(w20 + 34);
        vec4 w30 = pt_texel1(w20 + 64);
        vec4 w31 = pt_texel1(w20 + 66);
        vec4 w32 = pt_texel1(w20 + 96);
        vec4 w33 = pt_texel1(w20 + 98);
        s4 += v21.x * w26 + v21.y * w28 + v21.z * w30 + v21.w * w32;
        s5 += v21.x * w27 + v21.y * w29 + v21.z * w31 + v21.w * w33;
        s6 += v22.x * w26 + v22.y * w28 + v22.z * w30 + v22.w * w32;
        s7 += v22.x * w27 + v22.y * w29 + v22.z * w31 + v22.w * w33;
        s8 += v23.x * w26 + v23.y * w28 + v23.z * w30 + v23.w * w32;
        s9 += v23.x * w27 + v23.y * w29 + v23.z * w31 + v23.w * w33;
        s10 += v24.x * w26 + v24.y * w28 + v24.z * w30 + v24.w * w32;
        s11 += v24.x * w27 + v24.y * w29 + v24.z * w31 + v24.w * w33;
      }
      {
        vec4 w34 = pt_texel1(w20 + 1024);
        vec4 w35 = pt_texel1(w20 + 1026);
        vec4 w36 = pt_texel1(w20 + 1056);
        vec4 w37 = pt_texel1(w20 + 1058);
        vec4 w38 = pt_texel1(w20 + 1088);
        vec4 w39 = pt_texel1(w20 + 1090);
        vec4 w40 = pt_texel1(w20 + 1120);
        vec4 w41 = pt_texel1(w20 + 1122);
        s4 += v22.x * w34 + v22.y * w36 + v22.z * w38 + v22.w * w40;
        s5 += v22.x * w35 + v22.y * w37 + v22.z * w39 + v22.w * w41;
        s6 += v23.x * w34 + v23.y * w36 + v23.z * w38 + v23.w * w40;
        s7 += v23.x * w35 + v23.y * w37 + v23.z * w39 + v23.w * w41;
        s8 += v24.x * w34 + v24.y * w36 + v24.z * w38 + v24.w * w40;
        s9 += v24.x * w35 + v24.y * w37 + v24.z * w39 + v24.w * w41;
        s10 += v25.x * w34 + v25.y * w36 + v25.z * w38 + v25.w * w40;
        s11 += v25.x * w35 + v25.y * w37 + v25.z * w39 + v25.w * w41;
      }
      vec4 v42 = pt_texel0(x19 + 4);
      vec4 v43 = pt_texel0(x19 + 12);
      vec4 v44 = pt_texel0(x19 + 20);
      vec4 v45 = pt_texel0(x19 + 28);
      {
        vec4 w46 = pt_texel1(w20 + 512);
        vec4 w47 = pt_texel1(w20 + 514);
        vec4 w48 = pt_texel1(w20 + 544);
        vec4 w49 = pt_texel1(w20 + 546);
        vec4 w50 = pt_texel1(w20 + 576);
        vec4 w51 = pt_texel1(w20 + 578);
        vec4 w52 = pt_texel1(w20 + 608);
        vec4 w53 = pt_texel1(w20 + 610);
        s4 += v42.x * w46 + v42.y * w48 + v42.z * w50 + v42.w * w52;
        s5 += v42.x * w47 + v42.y * w49 + v42.z * w51 + v42.w * w53;
        s6 += v43.x * w46 + v43.y * w48 + v43.z * w50 + v43.w * w52;
        s7 += v43.x * w47 + v43.y * w49 + v43.z * w51 + v43.w * w53;
        s8 += v44.x * w46 + v44.y * w48 + v44.z * w50 + v44.w * w52;
        s9 += v44.x * w47 + v44.y * w49 + v44.z * w51 + v44.w * w53;
        s10 += v45.x * w46 + v45.y * w48 + v45.z * w50 + v45.w * w52;
        s11 += v45.x * w47 + v45.y * w49 + v45.z * w51 + v45.w * w53;
      }
    }
  }
  y0 = s4;
  y1 = s5;
  y2 = s6;
  y3 = s7;
  y4 = s8;
  y5 = s9;
  y6 = s10;
  y7 = s11;
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
  int i3 = P.y / 3 + ((P.y % 3) >> 2);
  vec4 v4 = texelFetch(x0, ivec3((P.x >> 2) * 2 + (P.x & 1), (i3 >> 1) * 2 + (i3 & 1), ((P.y % 3) & 3) * 2 + ((P.x & 3) >> 1)), 0);
  y0 = v4;
}
