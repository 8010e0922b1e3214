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
  int t = P.y * 2048 + P.x;
  int e = t * 4;
  int o = (e >> 5);
  int o0 = (o >> 9);
  int o1 = (((o >> 8)) & 1);
  int o2 = (((o >> 3)) & 31);
  int o3 = (o & 7);
  vec4 acc = vec4(0.0);
  int i2 = o0 * 64 + o1 + o2 * 2;
  for (int k = (e & 31); k < 1024; k += 32) {
    int i1 = ((o3 * 1024 + k) >> 2);
    vec4 v3 = texelFetch(x0, ivec2(i1, i2), 0);
    acc = acc + v3;
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
    int i2 = o0 * 2 + o2;
    for (int k = 0; k < 32; k += 4) {
      int i1 = ((o1 * 256 + o3 * 32 + k) >> 2);
      vec4 v3 = texelFetch(x0, ivec2(i1, i2), 0);
      acc = acc + v3;
    }
    acc = acc + acc.zwxy;
    acc = acc + acc.yxwz;
    total[lane] = acc.x;
  }
  y0 = total;
}
