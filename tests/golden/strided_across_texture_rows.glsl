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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 15), (t >> 4)), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 16 + P.x;
  int i1 = (t / 6);
  int i2 = i1 & 3;
  int i3 = (t % 6) * 20 + (i1 >> 2);
  vec4 v4 = vec4(pt_texel0(i3)[i2], pt_texel0(i3 + 5)[i2], pt_texel0(i3 + 10)[i2], pt_texel0(i3 + 15)[i2]);
  vec4 v5 = v4 + vec4(F[0]);
  y0 = v5;
}
