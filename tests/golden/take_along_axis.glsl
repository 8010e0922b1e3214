// map take
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
uniform isampler2D x1;
uniform int I[8];
layout(location = 0) out vec4 y0;
vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
ivec4 pt_place_i(ivec4 i, ivec4 n) { return min(max(i + n * ivec4(lessThan(i, ivec4(0))), ivec4(0)), n - 1); }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[4], t >> I[5]), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = ivec4(0);
  ivec4 v4 = i3 * ivec4(9);
  ivec4 v5 = texelFetch(x1, P, 0);
  uvec4 v6 = uvec4(lessThan(v5, ivec4(I[0])));
  ivec4 v7 = v5 + ivec4(I[1]);
  ivec4 v8 = pt_pick(bvec4(v6), v7, v5);
  ivec4 v9 = min(max(v8, ivec4(I[2])), ivec4(I[3]));
  ivec4 v10 = v4 + v9;
  ivec4 v11 = v10 * ivec4(8);
  ivec4 i12 = e2 + ivec4(0, 1, 2, 3);
  ivec4 i13 = (i12 & I[6]);
  ivec4 v14 = v11 + i13;
  ivec4 j15 = pt_place_i(v14, ivec4(I[7]));
  vec4 v16 = vec4(pt_at0(j15.x), pt_at0(j15.y), pt_at0(j15.z), pt_at0(j15.w));
  y0 = v16;
}
