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
  vec4 v4 = texelFetch(x0, P, 0);
  vec4 v5 = v4.xxzz;
  vec4 v6 = texelFetch(x1, P, 0);
  vec4 v7 = v6.xxzz;
  vec4 v8 = v5 * v7;
  vec4 v9 = v4.yyww;
  vec4 v10 = v6.yyww;
  vec4 v11 = v9 * v10;
  vec4 v12 = v8 - v11;
  vec4 v13 = v5 * v10;
  vec4 v14 = v9 * v7;
  vec4 v15 = v13 + v14;
  vec4 v16 = vec4(v12.x, v15.x, v12.z, v15.z);
  y0 = v16;
}
