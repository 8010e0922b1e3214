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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 63), (t >> 6)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int quad = (P.y >> 1) * 1 + (P.x >> 1);
  int n0 = 0 * 32 + ((P.x & 1) + (P.y & 1) * 2) * 8;
  int block = quad;
  int m0 = (block % 70) * 1;
  int line = (block / 70);
  int c0 = n0 * 4;
  int start = (line * 70 + m0) * 64;
  vec4 s = vec4(0.0);
  vec4 chunk[8];
  for (int k = 0; k < c0; k += 4) {
    int q = start + k;
    vec4 v1 = pt_texel0(q >> 2);
    s = s + v1;
  }
  s = s + s.zwxy;
  s = s + s.yxwz;
  for (int k = 0; k < 8; k++) {
    int q = start + c0 + k * 4;
    vec4 v2 = pt_texel0(q >> 2);
    vec4 v = v2;
    v = vec4(0.0, v.xyz) + v;
    v = vec4(0.0, 0.0, v.xy) + v;
    s = s + v;
    chunk[k] = s;
    s = s.wwww;
  }
  y0 = chunk[0];
  y1 = chunk[1];
  y2 = chunk[2];
  y3 = chunk[3];
  y4 = chunk[4];
  y5 = chunk[5];
  y6 = chunk[6];
  y7 = chunk[7];
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
  int t = P.y * 64 + P.x;
  int i1 = (t >> 4);
  int i2 = (t & 15);
  vec4 v3 = texelFetch(x0, ivec3((i2 >> 5) * 2 + ((i2 >> 3) & 1), i1 * 2 + ((i2 >> 3) >> 1 & 1), 0 * 8 + (i2 & 7)), 0);
  y0 = v3;
}
