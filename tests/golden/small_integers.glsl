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
uniform isampler2D x0;
uniform usampler2D x1;
uniform float F[1];
uniform int I[1];
layout(location = 0) out ivec4 y0;
ivec4 pt_quotient4(ivec4 x, float r) { return ivec4((vec4(x) + 0.5) * r); }
ivec4 pt_modulo4(ivec4 x, int n, float r) { return x - pt_quotient4(x, r) * n; }
uvec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 1, t >> 1), 0); }
uint pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  ivec4 v3 = texelFetch(x0, P, 0);
  ivec4 i4 = e2 + ivec4(0, 1, 2, 3);
  ivec4 i5 = pt_modulo4(i4, I[0], F[0]);
  uvec4 v6 = uvec4(pt_at1(i5.x), pt_at1(i5.y), pt_at1(i5.z), pt_at1(i5.w));
  ivec4 v7 = ((v3 + ((ivec4(v6) << 16) >> 16)) << 16) >> 16;
  y0 = v7;
}
