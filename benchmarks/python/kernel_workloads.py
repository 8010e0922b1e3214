"""The workloads that are written as kernels, and the same by hand in GLSL."""

from workloads import workload

import py_tensor as pt


@pt.kernel(shape=lambda side, steps: (side, side))
def escape_time(i, j, side, steps):
    a, b = 3.0 * j / side - 2.2, 3.0 * i / side - 1.5
    x = y = 0.0
    for n in range(steps):
        if x * x + y * y > 4.0:
            return n
        x, y = x * x - y * y + a, 2.0 * x * y + b
    return steps


@pt.kernel(shape=lambda u: u.shape)
def mean_of_neighbours(i, j, u):
    return 0.2 * (u[i, j] + u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])


@pt.kernel(shape=lambda x, y, z: x.shape)
def potential(i, x, y, z):
    total = 0.0
    for k in range(len(x)):
        dx, dy, dz = x[k] - x[i], y[k] - y[i], z[k] - z[i]
        total += 1.0 / pt.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
    return total


@pt.kernel(shape=lambda a, b: (a.shape[0], b.shape[1]))
def matrix_product(i, j, a, b):
    total = 0.0
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    return total


escape_time_glsl = pt.glsl_kernel(
    """
    int element(int i, int j) {
      float a = 3.0 * float(j) / float(side) - 2.2, b = 3.0 * float(i) / float(side) - 1.5;
      float x = 0.0, y = 0.0;
      for (int n = 0; n < steps; n++) {
        if (x * x + y * y > 4.0) return n;
        float next = x * x - y * y + a;
        y = 2.0 * x * y + b;
        x = next;
      }
      return steps;
    }
    """,
    uniforms={"side": "int32", "steps": "int32"},
    shape=lambda side, steps: (side, side),
    dtype="int32",
    name="escape_time",
)

mean_of_neighbours_glsl = pt.glsl_kernel(
    """
    float element(int i, int j) {
      return 0.2 * (u(i, j) + u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
    }
    """,
    inputs={"u": "float32"},
    shape=lambda u: u.shape,
    name="mean_of_neighbours",
)

potential_glsl = pt.glsl_kernel(
    """
    float element(int i) {
      vec3 own = vec3(x(i), y(i), z(i));
      float total = 0.0;
      for (int k = 0; k < shape[0]; k++) {
        vec3 d = vec3(x(k), y(k), z(k)) - own;
        total += inversesqrt(dot(d, d) + 0.01);
      }
      return total;
    }
    """,
    inputs={"x": "float32", "y": "float32", "z": "float32"},
    shape=lambda x, y, z: x.shape,
    name="potential",
)

matrix_product_glsl = pt.glsl_kernel(
    """
    float element(int i, int j) {
      float total = 0.0;
      for (int k = 0; k < a_shape[1]; k++) total += a(i, k) * b(k, j);
      return total;
    }
    """,
    inputs={"a": "float32", "b": "float32"},
    shape=lambda a, b: (a.shape[0], b.shape[1]),
    name="matrix_product",
)


@workload
def mandelbrot(side, steps):
    return lambda: escape_time(side, steps)


@workload
def mandelbrot_glsl(side, steps):
    return lambda: escape_time_glsl(side, steps)


@workload
def stencil(u):
    return lambda: mean_of_neighbours(u)


@workload
def stencil_glsl(u):
    return lambda: mean_of_neighbours_glsl(u)


@workload
def n_body(x, y, z):
    return lambda: potential(x, y, z)


@workload
def n_body_glsl(x, y, z):
    return lambda: potential_glsl(x, y, z)


@workload
def product(a, b):
    return lambda: matrix_product(a, b)


@workload
def product_glsl(a, b):
    return lambda: matrix_product_glsl(a, b)
