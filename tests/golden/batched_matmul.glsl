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
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 31, t >> 5), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 3 + (P.x >> 1);
  int n2 = q1 % 3 * 2 + (P.x & 1);
  int b3 = q1 / 3 * 2 + (P.y & 1);
  int l4 = b3 / 17;
  int m5 = b3 % 17;
  vec4 s6 = vec4(0);
  int t8 = l4 * 85 + m5 * 5;
  int t10 = l4 * 120 + n2;
  for (int k7 = 0; k7 < 5; k7++) {
    vec4 t9 = pt_texel0(t8 + k7);
    int i11 = t10 + k7 * 24;
    vec4 t12 = pt_texel1(i11);
    vec4 t13 = pt_texel1(i11 + 6);
    vec4 t14 = pt_texel1(i11 + 12);
    vec4 t15 = pt_texel1(i11 + 18);
    s6 += t9.x * t12 + t9.y * t13 + t9.z * t14 + t9.w * t15;
  }
  y0 = s6;
}

// map dot
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
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 32 + P.x;
  int i3 = t1 / 6;
  int i4 = t1 % 6;
  vec4 v5 = texelFetch(x0, ivec3(i4, i3, 0), 0);
  y0 = v5;
}
