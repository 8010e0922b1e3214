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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 15), (t >> 4)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 2 + P.x;
  int e = t * 4;
  vec4 total = vec4(0);
  for (int lane = 0; lane < 4; lane++) {
    int o = e + lane;
    if (o >= 7) break;
    vec4 acc = vec4(0.0);
    for (int k = 0; k < 120; k += 4) {
      int k0 = (k / 20);
      int k1 = (k % 20);
      int i1 = o * 20 + k0 * 140 + k1;
      vec4 v2 = pt_texel0(i1 >> 2);
      acc = acc + v2;
    }
    acc = acc + acc.zwxy;
    acc = acc + acc.yxwz;
    total[lane] = acc.x;
  }
  y0 = total;
}
