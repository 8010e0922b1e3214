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
  int q1 = (P.y >> 1) + (P.x >> 1);
  int n2 = ((P.x & 1) + (P.y & 1) * 2) * 8;
  int l3 = q1 / 70;
  int m4 = q1 % 70;
  vec4 s5 = vec4(0.0);
  vec4 a6[8];
  int c7 = n2 * 4;
  int i8 = (l3 * 70 + m4) * 64;
  for (int k9 = 0; k9 < c7; k9 += 4) {
    int q10 = i8 + k9;
    vec4 v11 = pt_texel0(q10 >> 2);
    s5 = s5 + v11;
  }
  s5 = s5 + s5.zwxy;
  s5 = s5 + s5.yxwz;
  for (int k12 = 0; k12 < 8; k12++) {
    int q13 = i8 + c7 + k12 * 4;
    vec4 v14 = pt_texel0(q13 >> 2);
    vec4 r15 = v14;
    r15 = vec4(0.0, r15.xyz) + r15;
    r15 = vec4(0.0, 0.0, r15.xy) + r15;
    s5 = s5 + r15;
    a6[k12] = s5;
    s5 = s5.wwww;
  }
  y0 = a6[0];
  y1 = a6[1];
  y2 = a6[2];
  y3 = a6[3];
  y4 = a6[4];
  y5 = a6[5];
  y6 = a6[6];
  y7 = a6[7];
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
  vec4 v5 = texelFetch(x0, ivec3((i4 >> 5) * 2 + ((i4 >> 3) & 1), i3 * 2 + (((i4 >> 3) >> 1) & 1), i4 & 7), 0);
  y0 = v5;
}
