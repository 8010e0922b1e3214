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
uniform int I[5];
layout(location = 0) out vec4 y0;
#define PT_NAN uintBitsToFloat(0x7fc00000u)
bvec4 pt_is_nan(vec4 x) { return greaterThan(floatBitsToUint(x) & 0x7fffffffu, uvec4(0x7f800000u)); }
vec4 pt_sqrt(vec4 x) {
  vec4 r = mix(sqrt(x), x, equal(x, vec4(0.0)));
  return mix(r, vec4(PT_NAN), bvec4(uvec4(lessThan(x, vec4(0.0))) | uvec4(pt_is_nan(x))));
}
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  vec4 r3 = vec4(0);
  for (int k4 = 0; k4 < 4; k4++) {
    int o5 = e2 + k4;
    if (o5 >= I[2]) { break; }
    vec4 s6 = vec4(0.0);
    for (int k7 = 0; k7 < I[3]; k7 += 4) {
      int q8 = o5 * I[4] + k7;
      vec4 v9 = pt_texel0(q8 >> 2);
      vec4 v10 = v9 * v9;
      s6 = s6 + v10;
    }
    s6 = s6 + s6.zwxy;
    s6 = s6 + s6.yxwz;
    r3[k4] = s6.x;
  }
  vec4 v11 = pt_sqrt(r3);
  y0 = v11;
}
