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
uniform float F[1];
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 15, t >> 4), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 16 + P.x;
  int i3 = t1 / 6;
  int i4 = i3 & 3;
  int i5 = t1 % 6 * 20 + (i3 >> 2);
  vec4 v6 = vec4(pt_texel0(i5)[i4], pt_texel0(i5 + 5)[i4], pt_texel0(i5 + 10)[i4], pt_texel0(i5 + 15)[i4]);
  vec4 v7 = v6 + vec4(F[0]);
  y0 = v7;
}
