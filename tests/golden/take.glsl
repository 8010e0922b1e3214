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
uniform int I[6];
layout(location = 0) out vec4 y0;
ivec4 pt_place_i(ivec4 i, ivec4 n) { return min(max(i + n * ivec4(lessThan(i, ivec4(0))), ivec4(0)), n - 1); }
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
ivec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 1, t >> 1), 0); }
int pt_at1(int i) { return pt_texel1(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 4 + P.x;
  int e2 = t1 * 4;
  int i3 = (e2 >> I[2]);
  ivec4 v4 = ivec4(pt_at1(i3));
  int j5 = pt_place_i(v4, ivec4(I[3])).x * I[4] + (e2 & I[5]);
  vec4 v6 = pt_texel0(j5 >> 2);
  y0 = v6;
}
