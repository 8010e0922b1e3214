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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 2047, t >> 11), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 2048 + P.x;
  int e2 = t1 * 4;
  int o3 = e2 >> 14;
  vec4 s4 = vec4(0.0);
  for (int k5 = e2 & 16383; k5 < 1000000; k5 += 16384) {
    int q8 = o3 * 1000000 + k5;
    vec4 v9 = pt_texel0(q8 >> 2);
    s4 = s4 + v9;
  }
  y0 = s4;
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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 2047, t >> 11), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 128 + P.x;
  int e2 = t1 * 4;
  int o3 = e2 >> 9;
  vec4 s4 = vec4(0.0);
  for (int k5 = e2 & 511; k5 < 16384; k5 += 512) {
    int q6 = o3 * 16384 + k5;
    vec4 v7 = pt_texel0(q6 >> 2);
    s4 = s4 + v7;
  }
  y0 = s4;
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
  int t1 = P.y + P.x;
  int e2 = t1 * 4;
  vec4 r3 = vec4(0);
  for (int k4 = 0; k4 < 4; k4++) {
    int o5 = e2 + k4;
    if (o5 >= 1) { break; }
    vec4 s6 = vec4(0.0);
    for (int k7 = 0; k7 < 512; k7 += 4) {
      int i9 = k7 >> 2;
      vec4 v10 = texelFetch(x0, ivec2(i9, 0), 0);
      s6 = s6 + v10;
    }
    s6 = s6 + s6.zwxy;
    s6 = s6 + s6.yxwz;
    r3[k4] = s6.x;
  }
  y0 = r3;
}
