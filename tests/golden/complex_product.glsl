// map interleave
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
  vec4 t2 = texelFetch(x0, P, 0);
  vec4 v3 = t2.xxzz;
  vec4 t4 = texelFetch(x1, P, 0);
  vec4 v5 = t4.xxzz;
  vec4 v6 = v3 * v5;
  vec4 v7 = t2.yyww;
  vec4 v8 = t4.yyww;
  vec4 v9 = v7 * v8;
  vec4 v10 = v6 - v9;
  vec4 v11 = v3 * v8;
  vec4 v12 = v7 * v5;
  vec4 v13 = v11 + v12;
  vec4 v14 = vec4(v10.x, v13.x, v10.z, v13.z);
  y0 = v14;
}
