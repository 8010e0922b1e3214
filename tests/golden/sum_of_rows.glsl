// reduce sum+sqrt
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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2((t & 31), (t >> 5)), 0); }
#define PT_NAN uintBitsToFloat(0x7fc00000u)
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_sqrt(vec4 x) {
  vec4 r = mix(sqrt(x), x, equal(x, vec4(0.0)));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(lessThan(x, vec4(0.0))) | uvec4(pt_is_nan(x))));
}

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t = P.y * 4 + P.x;
  int e = t * 4;
  vec4 total = vec4(0);
  for (int lane = 0; lane < 4; lane++) {
    int o = e + lane;
    if (o >= 64) break;
    vec4 acc = vec4(0.0);
    for (int k = 0; k < 32; k += 4) {
      int q = o * 32 + k;
      vec4 v1 = pt_texel0(q >> 2);
      vec4 v2 = v1 * v1;
      acc = acc + v2;
    }
    acc = acc + acc.zwxy;
    acc = acc + acc.yxwz;
    total[lane] = acc.x;
  }
  vec4 v3 = pt_sqrt(total);
  y0 = v3;
}
