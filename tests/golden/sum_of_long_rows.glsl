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
  int o = (e >> 5);
  int o0 = (o >> 9);
  int o1 = (((o >> 8)) & 1);
  int o2 = (((o >> 3)) & 31);
  int o3 = (o & 7);
  vec4 acc = vec4(0.0);
  for (int k = (e & 31); k < 1024; k += 32) {
    int i1 = o0 * 524288 + o1 * 8192 + o2 * 16384 + o3 * 1024 + k;
    vec4 v2 = pt_texel0(i1 >> 2);
    acc = acc + v2;
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
  int t = P.y * 16 + P.x;
  int e = t * 4;
  vec4 total = vec4(0);
  for (int lane = 0; lane < 4; lane++) {
    int o = e + lane;
    if (o >= 1024) break;
    int o0 = (o >> 9);
    int o1 = (((o >> 4)) & 31);
    int o2 = (((o >> 3)) & 1);
    int o3 = (o & 7);
    vec4 acc = vec4(0.0);
    for (int k = 0; k < 32; k += 4) {
      int i1 = o0 * 16384 + o1 * 256 + o2 * 8192 + o3 * 32 + k;
      vec4 v2 = pt_texel0(i1 >> 2);
      acc = acc + v2;
    }
    acc = acc + acc.zwxy;
    acc = acc + acc.yxwz;
    total[lane] = acc.x;
  }
  y0 = total;
}
