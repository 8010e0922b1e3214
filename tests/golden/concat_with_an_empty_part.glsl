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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 1), (t >> 1)), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 3), (t >> 2)), 0); }
float pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }
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
  ivec4 u2 = (i1 / 7);
  ivec4 c3 = i1 - u2 * 7;
  vec4 v4 = vec4(0);
  if (any(lessThan(uvec4(c3), uvec4(3u)))) {
    uvec4 m5 = uvec4(lessThan(uvec4(c3), uvec4(3u)));
    ivec4 j6 = (u2 * 3 + c3) * ivec4(m5);
    vec4 v7 = vec4(pt_at0(j6.x), pt_at0(j6.y), pt_at0(j6.z), pt_at0(j6.w));
    v4 = pt_pick(bvec4(m5), v7, v4);
  }
  if (any(lessThan(uvec4(c3 - 3), uvec4(4u)))) {
    uvec4 m8 = uvec4(lessThan(uvec4(c3 - 3), uvec4(4u)));
    ivec4 j9 = (u2 * 4 + c3 - 3) * ivec4(m8);
    vec4 v10 = vec4(pt_at1(j9.x), pt_at1(j9.y), pt_at1(j9.z), pt_at1(j9.w));
    v4 = pt_pick(bvec4(m8), v10, v4);
  }
  y0 = v4;
}
