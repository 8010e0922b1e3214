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
uniform int I[2];
layout(location = 0) out vec4 y0;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 1, t >> 1), 0); }
vec4 pt_texel2(int t) { return texelFetch(x2, ivec2(t & 1, t >> 1), 0); }
float pt_at2(int i) { return pt_texel2(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  vec4 v3 = texelFetch(x0, P, 0);
  int i4 = (e2 & I[0]);
  vec4 v5 = pt_texel1(i4 >> 2);
  vec4 v6 = v3 * v5;
  int i7 = (e2 >> I[1]);
  vec4 v8 = vec4(pt_at2(i7));
  vec4 v9 = v6 + v8;
  y0 = v9;
}
