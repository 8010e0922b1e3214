// map diffusion
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
uniform int I[6];
layout(location = 0) out vec4 y0;
layout(location = 1) out ivec4 y1;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 7), (t >> 3)), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2((t & 7), (t >> 3)), 0); }
vec4 pt_pick(bvec4 c, vec4 a, vec4 b) { return mix(b, a, c); }
ivec4 pt_pick(bvec4 c, ivec4 a, ivec4 b) {
  return ivec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
uvec4 pt_pick(bvec4 c, uvec4 a, uvec4 b) {
  return uvec4(c.x ? a.x : b.x, c.y ? a.y : b.y, c.z ? a.z : b.z, c.w ? a.w : b.w);
}
ivec4 pt_remainder_i(ivec4 a, ivec4 b) {
  bvec4 trivial = bvec4(uvec4(equal(b, ivec4(0))) | uvec4(equal(b, ivec4(-1))));
  ivec4 d = pt_pick(trivial, ivec4(1), b);
  ivec4 q = a / d;
  ivec4 r = a - q * d;
  bvec4 other = bvec4(uvec4(notEqual(r, ivec4(0))) & uvec4(notEqual(lessThan(r, ivec4(0)), lessThan(d, ivec4(0)))));
  return r + pt_pick(other, d, ivec4(0));
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 8 + P.x;
  int e = t * 4;
  ivec4 v1 = ivec4(I[0]);
  ivec4 v2 = ivec4(I[1]);
  ivec4 v3 = ivec4(I[2]);
  ivec4 v4 = ivec4(I[3]);
  ivec4 v5 = ivec4(I[4]);
  ivec4 v6 = ivec4(I[5]);
  ivec4 i7 = e + ivec4(0, 1, 2, 3);
  ivec4 v8 = min(i7, v1 * v2 - 1);
  ivec4 v9 = v8 / v2;
  ivec4 v10 = v8 - v9 * v2;
  ivec4 v11 = v9 - ivec4(1);
  ivec4 v12 = pt_remainder_i(v11, v3);
  ivec4 v13 = v12 * v4;
  int i14 = v10.x >> 2;
  int i15 = v2.x >> 2;
  int i16 = (v13.x >> 2) + i14;
  vec4 v18 = pt_texel0(i16);
  ivec4 v19 = v9 + ivec4(1);
  ivec4 v20 = pt_remainder_i(v19, v3);
  ivec4 v21 = v20 * v4;
  int i22 = (v21.x >> 2) + i14;
  vec4 v24 = pt_texel0(i22);
  vec4 v25 = v18 + v24;
  ivec4 v26 = pt_remainder_i(v9, v3);
  ivec4 v27 = v26 * v4;
  int i28 = (v27.x >> 2) + (i14 - 1 + i15 * 1) % i15;
  vec4 v30 = pt_texel0(i28);
  int i31 = (v27.x >> 2) + i14;
  vec4 v33 = pt_texel0(i31);
  vec4 v34 = vec4(v30.w, v33.xyz);
  vec4 v35 = v25 + v34;
  int i36 = (v27.x >> 2) + (i14 + 1) % i15;
  vec4 v38 = pt_texel0(i36);
  vec4 v39 = vec4(v33.yzw, v38.x);
  vec4 v40 = v35 + v39;
  vec4 v41 = vec4(4.0) * v33;
  vec4 v42 = v40 - v41;
  vec4 v43 = vec4(0.10000000149011612) * v42;
  ivec4 v44 = pt_remainder_i(v9, v5);
  ivec4 v45 = v44 * v6;
  int i46 = (v45.x >> 2) + i14;
  vec4 v48 = pt_texel1(i46);
  vec4 v49 = v43 * v48;
  vec4 v50 = v33 + v49;
  uvec4 v51 = uvec4(greaterThan(v48, vec4(0.5)));
  ivec4 v52 = ivec4(v51);
  y0 = v50;
  y1 = v52;
}
