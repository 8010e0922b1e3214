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
uniform int I[4];
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  ivec4 o3 = e2 + ivec4(0, 1, 2, 3);
  vec4 s4 = vec4(0.0);
  for (int k5 = 0; k5 < I[2]; k5++) {
    ivec4 q6 = k5 * I[3] + o3;
    vec4 v7 = vec4(pt_at0(q6.x), pt_at0(q6.y), pt_at0(q6.z), pt_at0(q6.w));
    s4 = s4 + v7;
  }
  y0 = s4;
}
