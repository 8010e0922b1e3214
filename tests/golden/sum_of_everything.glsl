// reduce sum
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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 2047), (t >> 11)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 2048 + P.x;
  int e = t * 4;
  int o = (e >> 14);
  vec4 acc = vec4(0.0);
  for (int k = (e & 16383); k < 1000000; k += 16384) {
    int q = o * 1000000 + k;
    vec4 v1 = pt_texel0(q >> 2);
    acc = acc + v1;
  }
  vec4 total = acc;
  y0 = total;
}

// reduce sum
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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 2047), (t >> 11)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 128 + P.x;
  int e = t * 4;
  int o = (e >> 9);
  vec4 acc = vec4(0.0);
  for (int k = (e & 511); k < 16384; k += 512) {
    int q = o * 16384 + k;
    vec4 v1 = pt_texel0(q >> 2);
    acc = acc + v1;
  }
  vec4 total = acc;
  y0 = total;
}

// reduce sum
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

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 1 + P.x;
  int e = t * 4;
  vec4 total = vec4(0);
  for (int lane = 0; lane < 4; lane++) {
    int o = e + lane;
    if (o >= 1) break;
    vec4 acc = vec4(0.0);
    for (int k = 0; k < 512; k += 4) {
      int i1 = (k >> 2);
      vec4 v2 = texelFetch(x0, ivec2(i1, 0), 0);
      acc = acc + v2;
    }
    acc = acc + acc.zwxy;
    acc = acc + acc.yxwz;
    total[lane] = acc.x;
  }
  y0 = total;
}
