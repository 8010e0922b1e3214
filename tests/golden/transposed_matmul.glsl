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
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 31, t >> 5), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 6 + (P.x >> 1);
  int n2 = q1 % 6 * 2 + (P.x & 1);
  int b3 = q1 / 6 * 2 + (P.y & 1);
  int m5 = (b3 & 7) * 4;
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  vec4 s8 = vec4(0);
  vec4 s9 = vec4(0);
  int x11 = m5 >> 2;
  for (int k10 = 0; k10 < 16; k10++) {
    vec4 t12 = texelFetch(x0, ivec2(x11, k10), 0);
    vec4 t13 = texelFetch(x0, ivec2(x11 + 8, k10), 0);
    vec4 t14 = texelFetch(x0, ivec2(x11 + 16, k10), 0);
    vec4 t15 = texelFetch(x0, ivec2(x11 + 24, k10), 0);
    vec4 v16 = vec4(t12.x, t13.x, t14.x, t15.x);
    vec4 v17 = vec4(t12.y, t13.y, t14.y, t15.y);
    vec4 v18 = vec4(t12.z, t13.z, t14.z, t15.z);
    vec4 v19 = vec4(t12.w, t13.w, t14.w, t15.w);
    int i20 = n2 + k10 * 48;
    vec4 t21 = pt_texel1(i20);
    vec4 t22 = pt_texel1(i20 + 12);
    vec4 t23 = pt_texel1(i20 + 24);
    vec4 t24 = pt_texel1(i20 + 36);
    s6 += v16.x * t21 + v16.y * t22 + v16.z * t23 + v16.w * t24;
    s7 += v17.x * t21 + v17.y * t22 + v17.z * t23 + v17.w * t24;
    s8 += v18.x * t21 + v18.y * t22 + v18.z * t23 + v18.w * t24;
    s9 += v19.x * t21 + v19.y * t22 + v19.z * t23 + v19.w * t24;
  }
  y0 = s6;
  y1 = s7;
  y2 = s8;
  y3 = s9;
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
  int t1 = P.y * 32 + P.x;
  int i3 = t1 / 12;
  int i4 = t1 % 12;
  int i5 = i3 >> 2;
  vec4 v6 = texelFetch(x0, ivec3(i4, i5, i3 & 3), 0);
  y0 = v6;
}
