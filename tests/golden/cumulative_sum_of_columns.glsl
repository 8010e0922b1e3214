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
uniform int I[5];
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
layout(location = 4) out vec4 y4;
layout(location = 5) out vec4 y5;
layout(location = 6) out vec4 y6;
layout(location = 7) out vec4 y7;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 4 + ((P.x & 1) + (P.y & 1) * 2);
  int b2 = P.y >> 1;
  int m3 = b2 * I[2];
  vec4 s4 = vec4(0.0);
  vec4 a5[8];
  int c6 = n1 * 4;
  for (int k7 = 0; k7 < m3; k7++) {
    int q8 = c6 + k7 * I[3];
    vec4 v9 = pt_texel0(q8 >> 2);
    s4 = s4 + v9;
  }
  for (int k10 = 0; k10 < 8; k10++) {
    int q11 = c6 + (m3 + k10) * I[4];
    vec4 v12 = pt_texel0(q11 >> 2);
    s4 = s4 + v12;
    a5[k10] = s4;
  }
  y0 = a5[0];
  y1 = a5[1];
  y2 = a5[2];
  y3 = a5[3];
  y4 = a5[4];
  y5 = a5[5];
  y6 = a5[6];
  y7 = a5[7];
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
uniform int I[5];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int i3 = t1 >> I[1];
  int i4 = t1 & I[2];
  int i5 = i3 >> I[3];
  vec4 v6 = texelFetch(x0, ivec3((i4 >> 2) * 2 + (i4 & 1), i5 * 2 + ((i4 >> 1) & 1), i3 & I[4]), 0);
  y0 = v6;
}
