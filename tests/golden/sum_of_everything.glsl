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
uniform int I[8];
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[2] + P.x;
  int e2 = t1 * 4;
  int o3 = e2 >> I[3];
  vec4 s4 = vec4(0.0);
  for (int k5 = e2 & I[4]; k5 < I[5]; k5 += I[6]) {
    int q8 = o3 * I[7] + k5;
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
uniform int I[8];
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[2] + P.x;
  int e2 = t1 * 4;
  int o3 = e2 >> I[3];
  vec4 s4 = vec4(0.0);
  for (int k5 = e2 & I[4]; k5 < I[5]; k5 += I[6]) {
    int q6 = o3 * I[7] + k5;
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
uniform int I[1];
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
    for (int k7 = 0; k7 < I[0]; k7 += 4) {
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
