// map subtract
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
uniform float F[2];
layout(location = 0) out vec4 y0;
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_exp(vec4 x) { return mix(exp(x), x, pt_is_nan(x)); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  vec4 v3 = texelFetch(x0, P, 0);
  vec4 v4 = v3 * vec4(F[0]);
  vec4 v5 = texelFetch(x1, P, 0);
  vec4 v6 = v4 + v5;
  vec4 v7 = pt_exp(v6);
  vec4 v8 = v7 - vec4(F[1]);
  y0 = v8;
}
