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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 15, t >> 4), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 2 + P.x;
  int e2 = t1 * 4;
  vec4 r3 = vec4(0);
  for (int k4 = 0; k4 < 4; k4++) {
    int o5 = e2 + k4;
    if (o5 >= 7) { break; }
    vec4 s6 = vec4(0.0);
    for (int k7 = 0; k7 < 120; k7 += 4) {
      int k8 = k7 / 20;
      int k9 = k7 % 20;
      int i11 = o5 * 20 + k8 * 140 + k9;
      vec4 v12 = pt_texel0(i11 >> 2);
      s6 = s6 + v12;
    }
    s6 = s6 + s6.zwxy;
    s6 = s6 + s6.yxwz;
    r3[k4] = s6.x;
  }
  y0 = r3;
}
