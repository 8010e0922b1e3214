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
uniform int I[3];
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
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  ivec4 c4 = (i3 >> I[0]) - 1;
  ivec4 c5 = i3 & I[1];
  uvec4 m8 = uvec4(lessThan(uvec4(c4), uvec4(3u))) & (uvec4(lessThan(uvec4(c5), uvec4(uint(I[2])))) & uvec4(equal(uvec4(c5) % 3u, uvec4(0u))));
  uvec4 v10 = pt_pick(bvec4(m8), uvec4(U[1]), uvec4(U[0]));
  vec4 v11 = mix(vec4(F[0]), vec4(F[1]), bvec4(m8));
  vec4 v12 = texelFetch(x0, P, 0);
  vec4 v13 = mix(v12, v11, bvec4(v10));
  y0 = v13;
}
