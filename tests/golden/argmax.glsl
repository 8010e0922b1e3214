// reduce argmax
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
layout(location = 0) out ivec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 31), (t >> 5)), 0); }
#define PT_INF uintBitsToFloat(0x7f800000u)
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
bvec4 pt_beats_greater_f(vec4 v, ivec4 i, vec4 best, ivec4 place) {
  bvec4 vn = pt_is_nan(v);
  bvec4 bn = pt_is_nan(best);
  bvec4 better = bvec4((uvec4(greaterThan(v, best)) & uvec4(not(bn))) | (uvec4(vn) & uvec4(not(bn))));
  bvec4 tie = bvec4(uvec4(equal(v, best)) | (uvec4(vn) & uvec4(bn)));
  return bvec4(uvec4(better) | (uvec4(tie) & uvec4(lessThan(i, place))));
}
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
  ivec4 total = ivec4(0);
  for (int lane = 0; lane < 4; lane++) {
    int o = e + lane;
    if (o >= 64) break;
    vec4 acc = vec4(-PT_INF);
    ivec4 where = ivec4(32);
    for (int k = 0; k < 32; k += 4) {
      int q = o * 32 + k;
      vec4 v1 = pt_texel0(q >> 2);
      bvec4 better = pt_beats_greater_f(v1, (k + ivec4(0, 1, 2, 3)), acc, where);
      acc = pt_pick(better, v1, acc);
      where = pt_pick(better, (k + ivec4(0, 1, 2, 3)), where);
    }
     {
      vec4 other = acc.zwxy;
      ivec4 there = where.zwxy;
      bvec4 better = pt_beats_greater_f(other, there, acc, where);
      acc = pt_pick(better, other, acc);
      where = pt_pick(better, there, where);
    }
     {
      vec4 other = acc.yxwz;
      ivec4 there = where.yxwz;
      bvec4 better = pt_beats_greater_f(other, there, acc, where);
      acc = pt_pick(better, other, acc);
      where = pt_pick(better, there, where);
    }
    total[lane] = where.x;
  }
  y0 = total;
}
