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
uniform int I[12];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  int o3 = e2 >> I[1];
  int o4 = o3 >> I[2];
  int o5 = (o3 >> I[3]) & 1;
  int o6 = (o3 >> I[4]) & I[5];
  int o7 = o3 & I[6];
  vec4 s8 = vec4(0.0);
  int i12 = o4 * I[7] + o5 + o6 * 2;
  for (int k9 = e2 & I[8]; k9 < I[9]; k9 += I[10]) {
    int i11 = (o7 * I[11] + k9) >> 2;
    vec4 v13 = texelFetch(x0, ivec2(i11, i12), 0);
    s8 = s8 + v13;
  }
  y0 = s8;
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
uniform int I[10];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int e2 = t1 * 4;
  vec4 r3 = vec4(0);
  for (int k4 = 0; k4 < 4; k4++) {
    int o5 = e2 + k4;
    if (o5 >= I[1]) { break; }
    int o6 = o5 >> I[2];
    int o7 = (o5 >> I[3]) & I[4];
    int o8 = (o5 >> I[5]) & 1;
    int o9 = o5 & I[6];
    vec4 s10 = vec4(0.0);
    int i14 = o6 * 2 + o8;
    for (int k11 = 0; k11 < I[7]; k11 += 4) {
      int i13 = (o7 * I[8] + o9 * I[9] + k11) >> 2;
      vec4 v15 = texelFetch(x0, ivec2(i13, i14), 0);
      s10 = s10 + v15;
    }
    s10 = s10 + s10.zwxy;
    s10 = s10 + s10.yxwz;
    r3[k4] = s10.x;
  }
  y0 = r3;
}
