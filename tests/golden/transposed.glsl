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
uniform float F[2];
uniform int I[2];
layout(location = 0) out vec4 y0;
ivec4 pt_quotient4(ivec4 x, float r) { return ivec4((vec4(x) + 0.5) * r); }
ivec4 pt_modulo4(ivec4 x, int n, float r) { return x - pt_quotient4(x, r) * n; }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 3, t >> 2), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  ivec4 i4 = pt_quotient4(i3, F[1]) + pt_modulo4(i3, I[0], F[1]) * I[1];
  vec4 v5 = vec4(pt_at0(i4.x), pt_at0(i4.y), pt_at0(i4.z), pt_at0(i4.w));
  vec4 v6 = v5 + vec4(F[0]);
  y0 = v6;
}
