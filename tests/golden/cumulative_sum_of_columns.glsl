// scan cumulative_sum
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
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
layout(location = 4) out vec4 y4;
layout(location = 5) out vec4 y5;
layout(location = 6) out vec4 y6;
layout(location = 7) out vec4 y7;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 63, t >> 6), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 4 + (P.x >> 1);
  int n2 = (q1 & 3) * 4 + ((P.x & 1) + (P.y & 1) * 2);
  int b3 = q1 >> 2;
  int l4 = b3 / 9;
  int m5 = b3 % 9 * 8;
  vec4 s6 = vec4(0.0);
  vec4 a7[8];
  int c8 = n2 * 4;
  int i9 = l4 * 4480 + c8;
  for (int k10 = 0; k10 < m5; k10++) {
    int q11 = i9 + k10 * 64;
    vec4 v12 = pt_texel0(q11 >> 2);
    s6 = s6 + v12;
  }
  for (int k13 = 0; k13 < 8; k13++) {
    int q14 = i9 + (m5 + k13) * 64;
    vec4 v15 = pt_texel0(q14 >> 2);
    s6 = s6 + v15;
    a7[k13] = s6;
  }
  y0 = a7[0];
  y1 = a7[1];
  y2 = a7[2];
  y3 = a7[3];
  y4 = a7[4];
  y5 = a7[5];
  y6 = a7[6];
  y7 = a7[7];
}

// map cumulative_sum
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
  int t1 = P.y * 64 + P.x;
  int i3 = t1 >> 4;
  int i4 = t1 & 15;
  int i5 = i3 >> 3;
  vec4 v6 = texelFetch(x0, ivec3((i4 >> 2) * 2 + (i4 & 1), i5 * 2 + ((i4 >> 1) & 1), i3 & 7), 0);
  y0 = v6;
}
