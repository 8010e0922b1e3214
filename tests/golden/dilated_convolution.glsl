// contract convolve
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
layout(location = 1) out vec4 y1;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & 31, t >> 5), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & 31, t >> 5), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int q1 = (P.y >> 1) * 4 + (P.x >> 1);
  int n2 = (q1 & 3) * 2 + (P.x & 1);
  int b3 = (q1 >> 2) * 2 + (P.y & 1);
  int l4 = b3 / 6;
  int m5 = b3 % 6 * 2;
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  int y8 = l4 % 12 - 3;
  int x9 = m5 - 3;
  int t10 = x9 * 2;
  for (int k11 = 0; k11 < 3; k11++) {
    int y12 = y8 + k11 * 3;
    if (y12 < 0 || y12 >= 12) { continue; }
    int t13 = t10 + y12 * 24;
    int t14 = n2 + k11 * 192;
    for (int k15 = 0; k15 < 3; k15++) {
      int x19 = x9 + k15 * 3;
      bool b20 = x19 >= 0 && x19 < 12;
      int x22 = x9 + (k15 * 3 + 1);
      bool b23 = x22 >= 0 && x22 < 12;
      for (int k16 = 0; k16 < 2; k16++) {
        int x17 = t13 + k16;
        int w18 = t14 + k16 * 32;
        vec4 v21 = b20 ? pt_texel0(x17) : vec4(0);
        vec4 v24 = b23 ? pt_texel0(x17 + 2) : vec4(0);
        {
          vec4 w25 = pt_texel1(w18);
          vec4 w26 = pt_texel1(w18 + 8);
          vec4 w27 = pt_texel1(w18 + 16);
          vec4 w28 = pt_texel1(w18 + 24);
          s6 += v21.x * w25 + v21.y * w26 + v21.z * w27 + v21.w * w28;
          s7 += v24.x * w25 + v24.y * w26 + v24.z * w27 + v24.w * w28;
        }
      }
      t13 += 6;
      t14 += 64;
    }
  }
  y0 = s6;
  y1 = s7;
}

// map convolve
#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp isampler2DArray;
precision highp usampler2DArray;
uniform sampler2DArray x0;
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * 64 + P.x;
  int i3 = t1 >> 3;
  int i4 = t1 & 7;
  int i5 = i3 >> 1;
  vec4 v6 = texelFetch(x0, ivec3(i4, i5, i3 & 1), 0);
  y0 = v6;
}
