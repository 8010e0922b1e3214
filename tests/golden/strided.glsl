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
uniform int I[5];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int i3 = (t1 >> I[1]);
  int i4 = i3 & 3;
  int i5 = (i3 >> 2);
  int i6 = (t1 & I[2]) * 2;
  vec4 v7 = vec4(texelFetch(x0, ivec2(i5, i6), 0)[i4], texelFetch(x0, ivec2(i5 + I[3], i6), 0)[i4], texelFetch(x0, ivec2(i5, i6 + 1), 0)[i4], texelFetch(x0, ivec2(i5 + I[4], i6 + 1), 0)[i4]);
  int i8 = ((t1 >> 2) & 3) * 4;
  int i9 = (t1 & 3) * 4;
  vec4 v10 = vec4(texelFetch(x1, ivec2(i8, i9), 0)[0], texelFetch(x1, ivec2(i8, i9 + 1), 0)[0], texelFetch(x1, ivec2(i8, i9 + 2), 0)[0], texelFetch(x1, ivec2(i8, i9 + 3), 0)[0]);
  vec4 v11 = v7 + v10;
  y0 = v11;
}
