// map where
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
uniform uint U[2];
layout(location = 0) out vec4 y0;
vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 4 + P.x;
  int e = t * 4;
  ivec4 i1 = e + ivec4(0, 1, 2, 3);
  ivec4 c2 = ivec4((i1 >> 3) - 1);
  ivec4 c3 = ivec4((i1 & 7));
  ivec4 j4 = c2 * 3 + (c3 / 3);
  uvec4 m6 = uvec4(lessThan(uvec4(c2), uvec4(3u))) & uvec4(lessThan(uvec4(c3), uvec4(7u))) & uvec4(equal(c3 % 3, ivec4(0)));
  ivec4 j7 = j4 * ivec4(m6);
  uvec4 v5 = pt_pick(bvec4(m6), uvec4(U[1]), uvec4(U[0]));
  ivec4 c8 = ivec4((i1 >> 3) - 1);
  ivec4 c9 = ivec4((i1 & 7));
  ivec4 j10 = c8 * 3 + (c9 / 3);
  uvec4 m12 = uvec4(lessThan(uvec4(c8), uvec4(3u))) & uvec4(lessThan(uvec4(c9), uvec4(7u))) & uvec4(equal(c9 % 3, ivec4(0)));
  ivec4 j13 = j10 * ivec4(m12);
  vec4 v11 = pt_pick(bvec4(m12), vec4(F[1]), vec4(F[0]));
  vec4 v14 = texelFetch(x0, P, 0);
  vec4 v15 = mix(v14, v11, bvec4(v5));
  y0 = v15;
}
