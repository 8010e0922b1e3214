// map add
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
uniform sampler2D x1;
uniform sampler2D x2;
layout(location = 0) out vec4 y0;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 1), (t >> 1)), 0); }
vec4 pt_texel2(int t) { return texelFetch(x2, ivec2((t & 1), (t >> 1)), 0); }
float pt_at2(int i) { return pt_texel2(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 4 + P.x;
  int e = t * 4;
  vec4 v1 = texelFetch(x0, P, 0);
  int i2 = (e & 7);
  vec4 v3 = pt_texel1(i2 >> 2);
  vec4 v4 = v1 * v3;
  int i5 = (e >> 3);
  vec4 v6 = vec4(pt_at2(i5));
  vec4 v7 = v4 + v6;
  y0 = v7;
}
