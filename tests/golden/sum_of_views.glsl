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
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 4 + P.x;
  int e = t * 4;
  int o = e;
  vec4 acc = vec4(0.0);
  for (int k0 = 0; k0 < 20; k0++) {
    int k = k0;
    int q = k * 24 + o;
    ivec4 i1 = q + ivec4(0, 1, 2, 3);
    ivec4 i2 = (i1 / 24) + (((i1 / 3)) & 7) * 20 + (i1 % 3) * 320;
    vec4 v3 = vec4(pt_at0(i2.x), pt_at0(i2.y), pt_at0(i2.z), pt_at0(i2.w));
    acc = acc + v3;
  }
  vec4 total = acc;
  y0 = total;
}
