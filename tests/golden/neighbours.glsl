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
uniform int I[11];
layout(location = 0) out vec4 y0;
layout(location = 1) out ivec4 y1;
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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[6], t >> I[7]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[8], t >> I[9]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[10] + P.x;
  int e2 = t1 * 4;
  ivec4 v3 = ivec4(I[0]);
  ivec4 v4 = ivec4(I[1]);
  ivec4 v5 = ivec4(I[2]);
  ivec4 v6 = ivec4(I[3]);
  ivec4 v7 = ivec4(I[4]);
  ivec4 v8 = ivec4(I[5]);
  ivec4 i9 = e2 + ivec4(0, 1, 2, 3);
  ivec4 v10 = min(i9, v3 * v4 - 1);
  ivec4 v11 = v10 / v4;
  ivec4 v12 = v10 - v11 * v4;
  ivec4 v13 = v11 - ivec4(1);
  ivec4 v14 = pt_remainder_i(v13, v5);
  ivec4 v15 = v14 * v6;
  int i16 = v12.x >> 2;
  int i17 = v4.x >> 2;
  int i18 = (v15.x >> 2) + i16;
  vec4 v20 = pt_texel0(i18);
  ivec4 v21 = v11 + ivec4(1);
  ivec4 v22 = pt_remainder_i(v21, v5);
  ivec4 v23 = v22 * v6;
  int i24 = (v23.x >> 2) + i16;
  vec4 v26 = pt_texel0(i24);
  vec4 v27 = v20 + v26;
  ivec4 v28 = pt_remainder_i(v11, v5);
  ivec4 v29 = v28 * v6;
  int i30 = (v29.x >> 2) + (i16 - 1 + i17) % i17;
  vec4 v32 = pt_texel0(i30);
  int i33 = (v29.x >> 2) + i16;
  vec4 v35 = pt_texel0(i33);
  vec4 v36 = vec4(v32.w, v35.xyz);
  vec4 v37 = v27 + v36;
  int i38 = (v29.x >> 2) + (i16 + 1) % i17;
  vec4 v40 = pt_texel0(i38);
  vec4 v41 = vec4(v35.yzw, v40.x);
  vec4 v42 = v37 + v41;
  vec4 v43 = vec4(4.0) * v35;
  vec4 v44 = v42 - v43;
  vec4 v45 = vec4(0.10000000149011612) * v44;
  ivec4 v46 = pt_remainder_i(v11, v7);
  ivec4 v47 = v46 * v8;
  int i48 = (v47.x >> 2) + i16;
  vec4 v50 = pt_texel1(i48);
  vec4 v51 = v45 * v50;
  vec4 v52 = v35 + v51;
  uvec4 v53 = uvec4(greaterThan(v50, vec4(0.5)));
  ivec4 v54 = ivec4(v53);
  y0 = v52;
  y1 = v54;
}
