// reduce sum
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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 31), (t >> 5)), 0); }
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
  int t = P.y * 16 + P.x;
  int e = t * 4;
  int o = e;
  vec4 acc = vec4(0.0);
  for (int k0 = 0; k0 < 3; k0++) {
    for (int k1 = 0; k1 < 2; k1++) {
      int k = k0 * 2 + k1;
      int q = k * 360 + o;
      ivec4 i1 = q + ivec4(0, 1, 2, 3);
      ivec4 i2 = (i1 / 720) * 156 + (((i1 / 360)) & 1) * 12 + (((i1 / 180)) & 1) * 1014 + (((i1 / 36)) % 5) * 156 + (((i1 / 6)) % 6) * 12 + (i1 % 6);
      ivec4 c3 = ivec4((i2 / 1014));
      ivec4 c4 = ivec4((((i2 / 78)) % 13) - 2);
      ivec4 c5 = ivec4((((i2 / 6)) % 13));
      ivec4 c6 = ivec4((i2 % 6));
      ivec4 j7 = c3 * 648 + c4 * 72 + c5 * 6 + c6;
      uvec4 m9 = uvec4(lessThan(uvec4(c4), uvec4(9u))) & uvec4(lessThan(uvec4(c5), uvec4(12u)));
      ivec4 j10 = j7 * ivec4(m9);
      vec4 v11 = vec4(pt_at0(j10.x), pt_at0(j10.y), pt_at0(j10.z), pt_at0(j10.w));
      vec4 v8 = pt_pick(bvec4(m9), v11, vec4(0.0));
      ivec4 i12 = (i1 / 360) * 6 + (i1 % 6);
      vec4 v13 = vec4(pt_at1(i12.x), pt_at1(i12.y), pt_at1(i12.z), pt_at1(i12.w));
      vec4 v14 = v8 * v13;
      acc = acc + v14;
    }
  }
  vec4 total = acc;
  y0 = total;
}
