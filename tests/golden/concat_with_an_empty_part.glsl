// map concat
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
uniform float F[1];
uniform int I[1];
layout(location = 0) out vec4 y0;
ivec4 pt_quotient4(ivec4 x, float r) { return ivec4((vec4(x) + 0.5) * r); }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 1, t >> 1), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 3, t >> 2), 0); }
float pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  ivec4 u4 = pt_quotient4(i3, F[0]);
  ivec4 c5 = i3 - u4 * I[0];
  vec4 r6 = vec4(0);
  if (any(lessThan(uvec4(c5), uvec4(3u)))) {
    uvec4 m7 = uvec4(lessThan(uvec4(c5), uvec4(3u)));
    ivec4 j8 = (u4 * 3 + c5) * ivec4(m7);
    vec4 v9 = vec4(pt_at0(j8.x), pt_at0(j8.y), pt_at0(j8.z), pt_at0(j8.w));
    r6 = mix(r6, v9, bvec4(m7));
  }
  if (any(lessThan(uvec4((c5 - 3)), uvec4(4u)))) {
    uvec4 m10 = uvec4(lessThan(uvec4((c5 - 3)), uvec4(4u)));
    ivec4 j11 = (u4 * 4 + (c5 - 3)) * ivec4(m10);
    vec4 v12 = vec4(pt_at1(j11.x), pt_at1(j11.y), pt_at1(j11.z), pt_at1(j11.w));
    r6 = mix(r6, v12, bvec4(m10));
  }
  y0 = r6;
}
