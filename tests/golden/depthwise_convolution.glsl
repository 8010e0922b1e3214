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
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 31, t >> 5), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 3, t >> 2), 0); }
float pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 16 + P.x;
  int e2 = t1 * 4;
  vec4 s7 = vec4(0.0);
  for (int k8 = 0; k8 < 3; k8++) {
    for (int k9 = 0; k9 < 2; k9++) {
      int q10 = (k8 * 2 + k9) * 360 + e2;
      ivec4 i11 = q10 + ivec4(0, 1, 2, 3);
      ivec4 i12 = i11 / 720 * 156 + ((i11 / 360) & 1) * 12 + ((i11 / 180) & 1) * 1014 + i11 / 36 % 5 * 156 + i11 / 6 % 6 * 12 + i11 % 6;
      ivec4 c13 = i12 / 1014;
      ivec4 c14 = i12 / 78 % 13 - 2;
      ivec4 c15 = i12 / 6 % 13;
      ivec4 c16 = i12 % 6;
      ivec4 j17 = c13 * 648 + c14 * 72 + c15 * 6 + c16;
      uvec4 m18 = uvec4(lessThan(uvec4(c14), uvec4(9u))) & uvec4(lessThan(uvec4(c15), uvec4(12u)));
      ivec4 j19 = j17 * ivec4(m18);
      vec4 v20 = vec4(pt_at0(j19.x), pt_at0(j19.y), pt_at0(j19.z), pt_at0(j19.w));
      vec4 v21 = mix(vec4(0.0), v20, bvec4(m18));
      ivec4 i22 = i11 / 360 * 6 + i11 % 6;
      vec4 v23 = vec4(pt_at1(i22.x), pt_at1(i22.y), pt_at1(i22.z), pt_at1(i22.w));
      vec4 v24 = v21 * v23;
      s7 = s7 + v24;
    }
  }
  y0 = s7;
}
