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
uniform int I[6];
layout(location = 0) out ivec4 y0;
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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  ivec4 r3 = ivec4(0);
  for (int k4 = 0; k4 < 4; k4++) {
    int o5 = e2 + k4;
    if (o5 >= I[2]) { break; }
    vec4 s6 = vec4(-PT_INF);
    ivec4 w7 = ivec4(I[3]);
    for (int k8 = 0; k8 < I[4]; k8 += 4) {
      int q9 = o5 * I[5] + k8;
      vec4 v10 = pt_texel0(q9 >> 2);
      bvec4 b11 = pt_beats_greater_f(v10, (k8 + ivec4(0, 1, 2, 3)), s6, w7);
      s6 = mix(s6, v10, b11);
      w7 = pt_pick(b11, (k8 + ivec4(0, 1, 2, 3)), w7);
    }
    vec4 r12 = s6.zwxy;
    ivec4 r13 = w7.zwxy;
    bvec4 b14 = pt_beats_greater_f(r12, r13, s6, w7);
    s6 = mix(s6, r12, b14);
    w7 = pt_pick(b14, r13, w7);
    vec4 r15 = s6.yxwz;
    ivec4 r16 = w7.yxwz;
    bvec4 b17 = pt_beats_greater_f(r15, r16, s6, w7);
    s6 = mix(s6, r15, b17);
    w7 = pt_pick(b17, r16, w7);
    r3[k4] = w7.x;
  }
  y0 = r3;
}
