// map hypot
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
uniform int I[2];
layout(location = 0) out vec4 y0;
vec4 pt_ratio(vec4 n, vec4 d) {
  vec4 scale = mix(vec4(1.0), vec4(0.0625), greaterThan(d, vec4(4e+37)));
  return n * scale / (d * scale);
}
#define PT_NAN uintBitsToFloat(0x7fc00000u)
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
#define PT_INF uintBitsToFloat(0x7f800000u)
bvec4 pt_is_inf(vec4 x) { return equal(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_hypot(vec4 a, vec4 b) {
  vec4 m = max(abs(a), abs(b));
  vec4 n = min(abs(a), abs(b));
  vec4 q = mix(pt_ratio(n, m), vec4(0.0), equal(m, vec4(0.0)));
  vec4 r = mix(m * sqrt(1.0 + q * q), m, equal(n, vec4(0.0)));
  r = mix(r, vec4(PT_NAN), bvec4(uvec4(pt_is_nan(a)) | uvec4(pt_is_nan(b))));
  return mix(r, vec4(PT_INF), bvec4(uvec4(pt_is_inf(a)) | uvec4(pt_is_inf(b))));
}
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  int i3 = e2 * 2;
  vec4 v4 = pt_texel0(i3 >> 2);
  vec4 v5 = pt_texel0((i3 >> 2) + 1);
  vec4 v6 = vec4(v4.xz, v5.xz);
  vec4 v7 = v6 - vec4(F[0]);
  vec4 v8 = vec4(v4.yw, v5.yw);
  vec4 v9 = v8 - vec4(F[1]);
  vec4 v10 = pt_hypot(v7, v9);
  y0 = v10;
}
