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
uniform int I[37];
layout(location = 0) out vec4 y0;
layout(location = 1) out vec4 y1;
layout(location = 2) out vec4 y2;
layout(location = 3) out vec4 y3;
layout(location = 4) out vec4 y4;
layout(location = 5) out vec4 y5;
layout(location = 6) out vec4 y6;
layout(location = 7) out vec4 y7;
vec4 pt_texel0(int t) { return texelFetch(x0, ivec2(t & I[0], t >> I[1]), 0); }
vec4 pt_texel1(int t) { return texelFetch(x1, ivec2(t & I[2], t >> I[3]), 0); }

void main() {
  ivec2 P = ivec2(gl_FragCoord.xy);
  int n1 = (P.x >> 1) * 4 + (P.x & 1);
  int b2 = (P.y >> 1) * 2 + (P.y & 1);
  vec4 s3 = vec4(0);
  vec4 s4 = vec4(0);
  vec4 s5 = vec4(0);
  vec4 s6 = vec4(0);
  vec4 s7 = vec4(0);
  vec4 s8 = vec4(0);
  vec4 s9 = vec4(0);
  vec4 s10 = vec4(0);
  int y11 = b2 % 3 * 2;
  int t12 = ((b2 / 3) & 1) * I[4] * 4;
  for (int k13 = 0; k13 < 3; k13++) {
    int y14 = y11 + k13;
    int t15 = t12 + y14 * I[5];
    int t16 = n1 + k13 * I[6];
    for (int k17 = 0; k17 < 4; k17++) {
      int x18 = t15 + k17;
      int w19 = t16 + k17 * I[7];
      vec4 v20 = pt_texel0(x18);
      vec4 v21 = pt_texel0(x18 + I[8]);
      vec4 v22 = pt_texel0(x18 + I[9]);
      vec4 v23 = pt_texel0(x18 + I[10]);
      vec4 v24 = pt_texel0(x18 + I[11]);
      {
        vec4 w25 = pt_texel1(w19);
        vec4 w26 = pt_texel1(w19 + 2);
        vec4 w27 = pt_texel1(w19 + I[12]);
        vec4 w28 = pt_texel1(w19 + I[13]);
        vec4 w29 = pt_texel1(w19 + I[14]);
        vec4 w30 = pt_texel1(w19 + I[15]);
        vec4 w31 = pt_texel1(w19 + I[16]);
        vec4 w32 = pt_texel1(w19 + I[17]);
        s3 += v20.x * w25 + v20.y * w27 + v20.z * w29 + v20.w * w31;
        s4 += v20.x * w26 + v20.y * w28 + v20.z * w30 + v20.w * w32;
        s5 += v21.x * w25 + v21.y * w27 + v21.z * w29 + v21.w * w31;
        s6 += v21.x * w26 + v21.y * w28 + v21.z * w30 + v21.w * w32;
        s7 += v22.x * w25 + v22.y * w27 + v22.z * w29 + v22.w * w31;
        s8 += v22.x * w26 + v22.y * w28 + v22.z * w30 + v22.w * w32;
        s9 += v23.x * w25 + v23.y * w27 + v23.z * w29 + v23.w * w31;
        s10 += v23.x * w26 + v23.y * w28 + v23.z * w30 + v23.w * w32;
      }
      {
        vec4 w33 = pt_texel1(w19 + I[18]);
        vec4 w34 = pt_texel1(w19 + I[19]);
        vec4 w35 = pt_texel1(w19 + I[20]);
        vec4 w36 = pt_texel1(w19 + I[21]);
        vec4 w37 = pt_texel1(w19 + I[22]);
        vec4 w38 = pt_texel1(w19 + I[23]);
        vec4 w39 = pt_texel1(w19 + I[24]);
        vec4 w40 = pt_texel1(w19 + I[25]);
        s3 += v21.x * w33 + v21.y * w35 + v21.z * w37 + v21.w * w39;
        s4 += v21.x * w34 + v21.y * w36 + v21.z * w38 + v21.w * w40;
        s5 += v22.x * w33 + v22.y * w35 + v22.z * w37 + v22.w * w39;
        s6 += v22.x * w34 + v22.y * w36 + v22.z * w38 + v22.w * w40;
        s7 += v23.x * w33 + v23.y * w35 + v23.z * w37 + v23.w * w39;
        s8 += v23.x * w34 + v23.y * w36 + v23.z * w38 + v23.w * w40;
        s9 += v24.x * w33 + v24.y * w35 + v24.z * w37 + v24.w * w39;
        s10 += v24.x * w34 + v24.y * w36 + v24.z * w38 + v24.w * w40;
      }
      vec4 v41 = pt_texel0(x18 + 4);
      vec4 v42 = pt_texel0(x18 + I[26]);
      vec4 v43 = pt_texel0(x18 + I[27]);
      vec4 v44 = pt_texel0(x18 + I[28]);
      {
        vec4 w45 = pt_texel1(w19 + I[29]);
        vec4 w46 = pt_texel1(w19 + I[30]);
        vec4 w47 = pt_texel1(w19 + I[31]);
        vec4 w48 = pt_texel1(w19 + I[32]);
        vec4 w49 = pt_texel1(w19 + I[33]);
        vec4 w50 = pt_texel1(w19 + I[34]);
        vec4 w51 = pt_texel1(w19 + I[35]);
        vec4 w52 = pt_texel1(w19 + I[36]);
        s3 += v41.x * w45 + v41.y * w47 + v41.z * w49 + v41.w * w51;
        s4 += v41.x * w46 + v41.y * w48 + v41.z * w50 + v41.w * w52;
        s5 += v42.x * w45 + v42.y * w47 + v42.z * w49 + v42.w * w51;
        s6 += v42.x * w46 + v42.y * w48 + v42.z * w50 + v42.w * w52;
        s7 += v43.x * w45 + v43.y * w47 + v43.z * w49 + v43.w * w51;
        s8 += v43.x * w46 + v43.y * w48 + v43.z * w50 + v43.w * w52;
        s9 += v44.x * w45 + v44.y * w47 + v44.z * w49 + v44.w * w51;
        s10 += v44.x * w46 + v44.y * w48 + v44.z * w50 + v44.w * w52;
      }
    }
  }
  y0 = s3;
  y1 = s4;
  y2 = s5;
  y3 = s6;
  y4 = s7;
  y5 = s8;
  y6 = s9;
  y7 = s10;
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
  int i3 = P.y / 3 + ((P.y % 3) >> 2);
  vec4 v4 = texelFetch(x0, ivec3((P.x >> 2) * 2 + (P.x & 1), (i3 >> 1) * 2 + (i3 & 1), ((P.y % 3) & 3) * 2 + ((P.x & 3) >> 1)), 0);
  y0 = v4;
}
