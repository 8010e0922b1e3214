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
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 32 + P.x;
  int i1 = (t >> 4);
  int i2 = i1 & 3;
  int i3 = (i1 >> 2);
  int i4 = (t & 15) * 2;
  vec4 v5 = vec4(texelFetch(x0, ivec2(i3, i4), 0)[i2], texelFetch(x0, ivec2(i3 + 16, i4), 0)[i2], texelFetch(x0, ivec2(i3, i4 + 1), 0)[i2], texelFetch(x0, ivec2(i3 + 16, i4 + 1), 0)[i2]);
  int i6 = (((t >> 2)) & 3) * 4;
  int i7 = (t & 3) * 4;
  vec4 v8 = vec4(texelFetch(x1, ivec2(i6, i7), 0)[0], texelFetch(x1, ivec2(i6, i7 + 1), 0)[0], texelFetch(x1, ivec2(i6, i7 + 2), 0)[0], texelFetch(x1, ivec2(i6, i7 + 3), 0)[0]);
  vec4 v9 = v5 + v8;
  y0 = v9;
}
