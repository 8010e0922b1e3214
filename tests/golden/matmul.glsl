// contract dot
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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 15, t >> 4), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 15, t >> 4), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 3 + (P.x >> 1);
  int n2 = q1 % 3 * 2 + (P.x & 1);
  int b3 = q1 / 3 * 2 + (P.y & 1);
  int m5 = b3 & 15;
  vec4 s6 = vec4(0);
  int t8 = m5 * 5;
  for (int k7 = 0; k7 < 5; k7++) {
    vec4 t9 = pt_texel0(t8 + k7);
    int i10 = n2 + k7 * 24;
    vec4 t11 = pt_texel1(i10);
    vec4 t12 = pt_texel1(i10 + 6);
    vec4 t13 = pt_texel1(i10 + 12);
    vec4 t14 = pt_texel1(i10 + 18);
    s6 += t9.x * t11 + t9.y * t12 + t9.z * t13 + t9.w * t14;
  }
  y0 = s6;
}

// map relu
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2DArray x0;
uniform sampler2D x1;
layout(location = 0) out vec4 y0;
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 3, t >> 2), 0); }
#define PT_NAN uintBitsToFloat(0x7fc00000u)
vec4 pt_maximum(vec4 a, vec4 b) {
  bvec4 odd = greaterThan(max(floatBitsToUint(a) & 0x7fffffffu, floatBitsToUint(b) & 0x7fffffffu), uvec4(0x7f800000u));
  return mix(max(a, b), vec4(PT_NAN), odd);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 16 + P.x;
  int e2 = t1 * 4;
  int i3 = t1 / 6;
  int i4 = t1 % 6;
  vec4 v5 = texelFetch(x0, ivec3(i4, i3, 0), 0);
  int i6 = e2 % 24;
  vec4 v7 = pt_texel1(i6 >> 2);
  vec4 v8 = v5 + v7;
  vec4 v9 = pt_maximum(v8, vec4(0.0));
  y0 = v9;
}
