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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 127, t >> 7), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 128 + P.x;
  int e2 = t1 * 4;
  ivec4 i3 = e2 + ivec4(0, 1, 2, 3);
  ivec4 o4 = i3 % 6;
  ivec4 p5 = i3 / 6;
  vec4 s6 = vec4(0.0);
  for (int k7 = 0; k7 < 33; k7++) {
    ivec4 k8 = k7 * 156 + p5;
    ivec4 q9 = k8 * 6 + o4;
    vec4 v10 = vec4(pt_at0(q9.x), pt_at0(q9.y), pt_at0(q9.z), pt_at0(q9.w));
    s6 = s6 + mix(vec4(0.0), v10, lessThan(k8, ivec4(5000)));
  }
  y0 = s6;
}

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
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 127, t >> 7), 0); }
float pt_at0(int i) { return pt_texel0(i >> 2)[i & 3]; }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 2 + P.x;
  int e2 = t1 * 4;
  ivec4 o3 = e2 + ivec4(0, 1, 2, 3);
  vec4 s4 = vec4(0.0);
  for (int k5 = 0; k5 < 156; k5++) {
    ivec4 q6 = k5 * 6 + o3;
    vec4 v7 = vec4(pt_at0(q6.x), pt_at0(q6.y), pt_at0(q6.z), pt_at0(q6.w));
    s4 = s4 + v7;
  }
  y0 = s4;
}
