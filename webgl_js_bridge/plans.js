/** @file Plans: draws decoded once from words, then run with nothing but the GL calls they need. */

/**
 * @typedef {ReturnType<typeof createPlans>} Plans
 * @typedef {import("./programs.js").Program} Program
 * @typedef {import("./programs.js").Scalars} Scalars
 * @typedef {import("./textures.js").Texture} Texture
 * @typedef {import("./textures.js").Shape} Shape
 *
 * @typedef {object} Draw
 * @property {Program} program
 * @property {number} target the slot drawn into
 * @property {number} width
 * @property {number} height
 * @property {Int32Array} inputs slots, the first on texture unit 0
 * @property {Int32Array} floats places in the words of a run, as are the next two
 * @property {Int32Array} ints
 * @property {Int32Array} uints
 *
 * @typedef {object} Plan
 * @property {number} id
 * @property {number} leaves
 * @property {number} outputs
 * @property {Int32Array} sizes (format, width, height, layers) of outputs, then of temporaries
 * @property {Shape[]} shapes of the same
 * @property {Draw[]} draws
 * @property {(Texture | null)[]} slots leaves, outputs, temporaries; filled only while running
 * @property {number} words how many a run takes
 * @property {boolean} ready
 */

/**
 * Copies a run's scalars; true when one of them changed.
 * @param {Scalars} scalars
 * @param {Int32Array} places
 * @param {Int32Array} words
 * @param {number} base
 */
function changed(scalars, places, words, base) {
  const have = scalars.words;
  // The compiler drops the elements behind the last one used.
  const count = Math.min(places.length, have.length);
  let different = false;
  for (let i = 0; i < count; i++) {
    const word = words[base + places[i]];
    if (have[i] !== word) {
      have[i] = word;
      different = true;
    }
  }
  return different;
}

/**
 * @param {WebGL2RenderingContext} gl
 * @param {object} parts
 * @param {import("./state.js").State} parts.state
 * @param {import("./textures.js").Textures} parts.textures
 * @param {import("./programs.js").Programs} parts.programs
 * @param {import("./timer.js").Timer} parts.timer
 */
export function createPlans(gl, { state, textures, programs, timer }) {
  /** @type {Map<number, Plan>} */
  const plans = new Map();
  let draws = 0;
  let checking = false;

  /**
   * @param {number} id
   * @param {Int32Array} words
   * @returns {Plan}
   */
  function decode(id, words) {
    let at = 0;
    const next = () => words[at++];
    /** @param {number} count */
    const list = (count) => {
      at += count;
      return words.slice(at - count, at);
    };
    const [leaves, outputs, temporaries, count] = list(4);
    const sizes = list(4 * (outputs + temporaries));
    const slots = new Array(leaves + outputs + temporaries).fill(null);
    let scalars = 0;
    const scalarBase = 1 + leaves + outputs;
    const places = () => {
      const indices = list(next());
      for (const index of indices) scalars = Math.max(scalars, index + 1);
      return indices.map((index) => index + scalarBase);
    };
    /** @type {Draw[]} */
    const decoded = [];
    for (let i = 0; i < count; i++) {
      decoded.push({
        program: programs.get(next()),
        target: next(),
        width: next(),
        height: next(),
        inputs: list(next()),
        floats: places(),
        ints: places(),
        uints: places(),
      });
    }
    if (at !== words.length)
      throw new Error(`plan ${id} has ${at} words by its counts; got ${words.length}`);
    for (const draw of decoded) {
      if (
        draw.inputs.some((slot) => slot >= slots.length) ||
        draw.target < leaves ||
        draw.target >= slots.length
      )
        throw new Error(
          `plan ${id} draws with slots it lacks; it has ${slots.length}, of which ${leaves} leaves`,
        );
      if (draw.inputs.length > state.units)
        throw new Error(
          `shader ${draw.program.name} reads ${draw.inputs.length} inputs; at most ${state.units} here`,
        );
    }
    return {
      id,
      leaves,
      outputs,
      sizes,
      shapes: [],
      draws: decoded,
      slots,
      words: scalarBase + scalars,
      ready: false,
    };
  }

  /** @param {Plan} plan */
  function prepare(plan) {
    const { sizes } = plan;
    for (const draw of plan.draws) programs.start(draw.program);
    for (const draw of plan.draws) programs.check(draw.program);
    plan.shapes = [];
    for (let i = 0; i < sizes.length; i += 4)
      plan.shapes.push(textures.shape(sizes[i], sizes[i + 1], sizes[i + 2], sizes[i + 3]));
    plan.ready = true;
  }

  /** @param {Program} program */
  function diagnose(program) {
    const status = gl.checkFramebufferStatus(gl.FRAMEBUFFER);
    const error = gl.getError();
    if (status === gl.FRAMEBUFFER_COMPLETE && error === gl.NO_ERROR) return;
    const hex = (/** @type {number} */ code) => `0x${code.toString(16)}`;
    throw new Error(
      `shader ${program.name}: its draw failed; got error ${hex(error)}, framebuffer ${hex(status)}`,
    );
  }

  /**
   * @param {Draw} draw
   * @param {(Texture | null)[]} slots
   * @param {Int32Array} words
   * @param {number} base
   */
  function execute(draw, slots, words, base) {
    const { program, inputs } = draw;
    const target = /** @type {Texture} */ (slots[draw.target]);
    state.use(/** @type {WebGLProgram} */ (program.program));
    if (draw.floats.length > 0 && changed(program.floats, draw.floats, words, base))
      gl.uniform1fv(program.floats.location, program.floats.values);
    if (draw.ints.length > 0 && changed(program.ints, draw.ints, words, base))
      gl.uniform1iv(program.ints.location, /** @type {Int32Array} */ (program.ints.values));
    if (draw.uints.length > 0 && changed(program.uints, draw.uints, words, base))
      gl.uniform1uiv(program.uints.location, /** @type {Uint32Array} */ (program.uints.values));
    for (let i = 0; i < inputs.length; i++)
      state.bind(i, /** @type {Texture} */ (slots[inputs[i]]));
    state.into(target.framebuffer ?? textures.framebuffer(target));
    state.viewport(draw.width, draw.height);
    if (timer.on) timer.begin(program.name);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    if (timer.on) timer.end();
    if (checking) diagnose(program);
  }

  /**
   * @param {Plan} plan
   * @param {Int32Array} words
   * @param {number} base
   */
  function fill(plan, words, base) {
    const { slots, shapes, leaves, outputs } = plan;
    for (let i = 0; i < leaves; i++) slots[i] = textures.get(words[base + 1 + i]);
    for (let i = 0; i < outputs; i++)
      slots[leaves + i] = textures.open(words[base + 1 + leaves + i], shapes[i]);
    for (let i = outputs; i < shapes.length; i++) slots[leaves + i] = textures.take(shapes[i]);
  }

  /**
   * Gives back what a failed run had taken.
   * @param {Plan} plan
   * @param {Int32Array} words
   * @param {number} base
   */
  function abandon(plan, words, base) {
    const { slots, leaves, outputs } = plan;
    for (let i = 0; i < outputs; i++)
      if (slots[leaves + i] !== null) textures.free(words[base + 1 + leaves + i]);
    for (let i = leaves + outputs; i < slots.length; i++) {
      const texture = slots[i];
      if (texture !== null) textures.release(texture);
    }
    slots.fill(null);
  }

  return {
    /**
     * @param {number} id
     * @param {Int32Array} words
     */
    register(id, words) {
      if (plans.has(id)) throw new Error(`plan ${id} exists already`);
      plans.set(id, decode(id, words));
    },

    /**
     * @param {number} id
     * @param {Int32Array} words the heap
     * @param {number} base where the words of this run begin
     * @param {number} count
     */
    run(id, words, base, count) {
      const plan = plans.get(id);
      if (plan === undefined) throw new Error(`no plan ${id}`);
      if (count < plan.words) throw new Error(`plan ${id} takes ${plan.words} words; got ${count}`);
      if (!plan.ready) prepare(plan);
      const { slots, leaves, outputs } = plan;
      try {
        fill(plan, words, base);
        for (const draw of plan.draws) execute(draw, slots, words, base);
      } catch (error) {
        abandon(plan, words, base);
        throw error;
      }
      draws += plan.draws.length;
      for (let i = leaves + outputs; i < slots.length; i++)
        textures.release(/** @type {Texture} */ (slots[i]));
      slots.fill(null);
    },

    /** @param {boolean} on whether each draw is followed by a look for errors */
    checks(on) {
      checking = on;
    },

    clear() {
      for (const plan of plans.values()) plan.ready = false;
    },

    stats() {
      return { plans: plans.size, draws };
    },
  };
}
