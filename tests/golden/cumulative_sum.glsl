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
  int n1 = (P.x >> 1) * I[2] + ((P.x & 1) + (P.y & 1) * 2) * I[3];
  int b2 = P.y >> 1;
  vec4 s3 = vec4(0.0);
  vec4 a4[8];
  int c5 = n1 * 4;
  int i6 = b2 * I[4];
  for (int k7 = 0; k7 < c5; k7 += 4) {
    int q8 = i6 + k7;
    vec4 v9 = pt_texel0(q8 >> 2);
    s3 = s3 + v9;
  }
  s3 = s3 + s3.zwxy;
  s3 = s3 + s3.yxwz;
  for (int k10 = 0; k10 < 8; k10++) {
    int q11 = i6 + c5 + k10 * 4;
    vec4 v12 = pt_texel0(q11 >> 2);
    vec4 r13 = v12;
    r13 = vec4(0.0, r13.xyz) + r13;
    r13 = vec4(0.0, 0.0, r13.xy) + r13;
    s3 = s3 + r13;
    a4[k10] = s3;
    s3 = s3.wwww;
  }
  y0 = a4[0];
  y1 = a4[1];
  y2 = a4[2];
  y3 = a4[3];
  y4 = a4[4];
  y5 = a4[5];
  y6 = a4[6];
  y7 = a4[7];
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
uniform int I[7];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int i3 = t1 >> I[1];
  int i4 = t1 & I[2];
  vec4 v5 = texelFetch(x0, ivec3((i4 >> I[3]) * 2 + ((i4 >> I[4]) & 1), i3 * 2 + (((i4 >> I[5]) >> 1) & 1), i4 & I[6]), 0);
  y0 = v5;
}
