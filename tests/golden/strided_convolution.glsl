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
uniform int I[15];
layout(location = 0) out vec4 y0;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[2], t >> I[3]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 2 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  int l3 = b2 >> I[4];
  int m4 = b2 & I[5];
  vec4 s5 = vec4(0);
  int y6 = (l3 & I[6]) * 2;
  int x7 = m4 * 2;
  int t8 = x7 * 2;
  for (int k9 = 0; k9 < 3; k9++) {
    int y10 = y6 + k9;
    if (y10 < 0 || y10 >= I[7]) { continue; }
    int t11 = t8 + y10 * I[8];
    int t12 = n1 + k9 * I[9];
    for (int k13 = 0; k13 < 3; k13++) {
      int x17 = x7 + k13;
      bool b18 = x17 >= 0 && x17 < I[10];
      for (int k14 = 0; k14 < 2; k14++) {
        int x15 = t11 + k14;
        int w16 = t12 + k14 * I[11];
        vec4 v19 = b18 ? pt_texel0(x15) : vec4(0);
        {
          vec4 w20 = pt_texel1(w16);
          vec4 w21 = pt_texel1(w16 + 4);
          vec4 w22 = pt_texel1(w16 + I[12]);
          vec4 w23 = pt_texel1(w16 + I[13]);
          s5 += v19.x * w20 + v19.y * w21 + v19.z * w22 + v19.w * w23;
        }
      }
      t11 += 2;
      t12 += I[14];
    }
  }
  y0 = s5;
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
uniform int I[1];
layout(location = 0) out vec4 y0;

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int t1 = P.y * I[0] + P.x;
  int i3 = t1 >> 2;
  int i4 = t1 & 3;
  vec4 v5 = texelFetch(x0, ivec3(i4, i3, 0), 0);
  y0 = v5;
}
