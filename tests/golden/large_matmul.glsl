// contract dot
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

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 32 + (P.x >> 1);
  int n2 = (q1 & 31) * 4 + (P.x & 1);
  int b3 = (q1 >> 5) & 63;
  int m5 = (b3 >> 2) * 32 + ((b3 & 3) * 4 + (P.y & 1) * 16);
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  vec4 s8 = vec4(0);
  vec4 s9 = vec4(0);
  vec4 s10 = vec4(0);
  vec4 s11 = vec4(0);
  vec4 s12 = vec4(0);
  vec4 s13 = vec4(0);
  int y15 = (m5 >> 4);
  int x16 = (m5 & 15) * 128;
  for (int k14 = 0; k14 < 128; k14++) {
    vec4 t17 = texelFetch(x0, ivec2(x16 + k14, y15), 0);
    vec4 t18 = texelFetch(x0, ivec2(x16 + k14 + 128, y15), 0);
    vec4 t19 = texelFetch(x0, ivec2(x16 + k14 + 256, y15), 0);
    vec4 t20 = texelFetch(x0, ivec2(x16 + k14 + 384, y15), 0);
    int x21 = n2 + (k14 & 3) * 512;
    int y22 = k14 >> 2;
    vec4 t23 = texelFetch(x1, ivec2(x21, y22), 0);
    vec4 t24 = texelFetch(x1, ivec2(x21 + 2, y22), 0);
    vec4 t25 = texelFetch(x1, ivec2(x21 + 128, y22), 0);
    vec4 t26 = texelFetch(x1, ivec2(x21 + 130, y22), 0);
    vec4 t27 = texelFetch(x1, ivec2(x21 + 256, y22), 0);
    vec4 t28 = texelFetch(x1, ivec2(x21 + 258, y22), 0);
    vec4 t29 = texelFetch(x1, ivec2(x21 + 384, y22), 0);
    vec4 t30 = texelFetch(x1, ivec2(x21 + 386, y22), 0);
    s6 += t17.x * t23 + t17.y * t25 + t17.z * t27 + t17.w * t29;
    s7 += t17.x * t24 + t17.y * t26 + t17.z * t28 + t17.w * t30;
    s8 += t18.x * t23 + t18.y * t25 + t18.z * t27 + t18.w * t29;
    s9 += t18.x * t24 + t18.y * t26 + t18.z * t28 + t18.w * t30;
    s10 += t19.x * t23 + t19.y * t25 + t19.z * t27 + t19.w * t29;
    s11 += t19.x * t24 + t19.y * t26 + t19.z * t28 + t19.w * t30;
    s12 += t20.x * t23 + t20.y * t25 + t20.z * t27 + t20.w * t29;
    s13 += t20.x * t24 + t20.y * t26 + t20.z * t28 + t20.w * t30;
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

// map dot
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
  int t1 = P.y * 2048 + P.x;
  int i3 = t1 >> 7;
  int i4 = t1 & 127;
  vec4 v5 = texelFetch(x0, ivec3((i4 >> 2) * 2 + (i4 & 1), ((i3 >> 5) * 4 + ((i3 & 15) >> 2)) * 2 + ((i3 >> 4) & 1), ((i3 & 15) & 3) * 2 + ((i4 & 3) >> 1)), 0);
  y0 = v5;
}
