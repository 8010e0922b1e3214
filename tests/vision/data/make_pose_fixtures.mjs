// @ts-nocheck: the packages whose results it records are not installed for the checks.
// Run the post-processing of PoseNet, body-pix and Human, and print the results as JSON.
//
// usage: node tests/vision/data/make_pose_fixtures.mjs FOLDER FACE BODY HAND   (make_pose_fixtures.py calls it)
//
// FOLDER has the packages in node_modules; FACE, BODY and HAND are files of RGB bytes of square images.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const [folder, face, body, hand] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(join(folder, "package.json"));
const tf = require("@tensorflow/tfjs");
const human = join(folder, "node_modules/@vladmandic/human");

// The same numbers are computed by tests/vision/test_poses.py.
const numbers = (count, factor, low, high) =>
  Float32Array.from(
    { length: count },
    (_, i) => low + (((i * factor) % 100003) / 100003) * (high - low),
  );

/** Smallest score of a hand; the one in the picture has 0.6. */
const LEAST_HAND = 0.3;

async function poses() {
  await tf.setBackend("cpu");
  await tf.ready();
  const [height, width, stride] = [9, 11, 16];
  const make = (channels, factor, low, high) =>
    tf.tensor3d(numbers(height * width * channels, factor, low, high), [height, width, channels]);
  const maps = [
    make(17, 7919, 0, 1),
    make(34, 104729, -9, 9),
    make(32, 1299709, -40, 40),
    make(32, 15485863, -40, 40),
  ];
  const plain = (pose) => ({
    score: pose.score,
    keypoints: pose.keypoints.map(({ position, score }) => [position.x, position.y, score]),
  });
  const single = require("@tensorflow-models/posenet/dist/single_pose/decode_single_pose.js");
  const multi = require("@tensorflow-models/posenet/dist/multi_pose/decode_multiple_poses.js");
  const buffers = await Promise.all(maps.map((map) => map.buffer()));
  const several = multi.decodeMultiplePoses(...buffers, stride, 6, 0.6, 20);
  const masks = require("@tensorflow-models/body-pix/dist/multi_person/decode_multiple_masks_cpu.js");
  const [rows, columns] = [(height - 1) * stride + 1, (width - 1) * stride + 1];
  const mask = Array.from({ length: rows * columns }, (_, i) => Number((i * 7919) % 5 > 1));
  const long = numbers(height * width * 34, 32452843, 0, 30);
  const padding = { top: 0, bottom: 0, left: 0, right: 0 };
  const found = masks.decodeMultipleMasksCPU(
    mask,
    long,
    several,
    rows,
    columns,
    stride,
    [rows, columns],
    padding,
    2,
  );
  const people = mask.map((_, at) => found.findIndex((each) => each[at] === 1));
  return {
    single: plain(await single.decodeSinglePose(maps[0], maps[1], stride)),
    several: several.map(plain),
    people,
  };
}

async function people() {
  const entry = `
    export * as blazeface from ${JSON.stringify(join(human, "src/face/blazeface.ts"))};
    export * as facemesh from ${JSON.stringify(join(human, "src/face/facemesh.ts"))};
    export * as movenet from ${JSON.stringify(join(human, "src/body/movenet.ts"))};
    export * as handtrack from ${JSON.stringify(join(human, "src/hand/handtrack.ts"))};
    export { defaults as config } from ${JSON.stringify(join(human, "src/config.ts"))};`;
  const loader = {
    name: "loader",
    setup(bundle) {
      bundle.onResolve({ filter: /dist\/tfjs\.esm\.js$/ }, () => ({
        path: require.resolve("@tensorflow/tfjs"),
        external: true,
      }));
      bundle.onLoad({ filter: /src\/tfjs\/load\.ts$/ }, () => ({
        contents: "export const loadModel = (path) => globalThis.loadModel(path);",
      }));
    },
  };
  const outfile = join(folder, "human-parts.cjs");
  await build({
    stdin: { contents: entry, resolveDir: human },
    bundle: true,
    platform: "node",
    format: "cjs",
    outfile,
    plugins: [loader],
    logLevel: "error",
  });
  const outputs = {};
  globalThis.loadModel = async (path) => {
    const file = join(human, "models", path.split("/").at(-1));
    const { weightsManifest, ...rest } = JSON.parse(readFileSync(file, "utf8"));
    const data = readFileSync(join(human, "models", weightsManifest[0].paths[0]));
    const weightData = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    const load = () => ({
      ...rest,
      weightSpecs: weightsManifest.flatMap((each) => each.weights),
      weightData,
    });
    const model = await tf.loadGraphModel({ load });
    const name = path.split("/").at(-1).split(".")[0];
    const record = (result) => {
      outputs[name] = [result]
        .flat()
        .map((t) => ({ shape: t.shape, data: Array.from(t.dataSync()) }));
      return result;
    };
    const execute = model.execute.bind(model);
    const executeAsync = model.executeAsync.bind(model);
    model.execute = (...args) => record(execute(...args));
    model.executeAsync = async (...args) => record(await executeAsync(...args));
    return model;
  };
  const parts = (await import(pathToFileURL(outfile))).default;
  const image = (path) => {
    const data = readFileSync(path);
    const side = Math.sqrt(data.length / 3);
    return tf.tensor4d(Float32Array.from(data), [1, side, side, 3]);
  };
  const { config } = parts;
  config.face.detector.rotation = false;
  config.face.iris.enabled = false;
  config.face.attention.enabled = false;
  config.skipAllowed = false;
  await parts.blazeface.load(config);
  const boxes = await parts.blazeface.getBoxes(image(face), config);
  await parts.facemesh.load(config);
  const found = await parts.facemesh.predict(image(face), config);
  await parts.movenet.load(config);
  const bodies = await parts.movenet.predict(image(body), config);
  config.hand.minConfidence = LEAST_HAND;
  config.hand.iouThreshold = 0.2;
  config.hand.maxDetected = 2;
  // The boxes of the detector are not in the result, but its regions are cropped from the image.
  const regions = [];
  const { cropAndResize } = tf.image;
  tf.image.cropAndResize = (...args) => {
    regions.push(args[1][0]);
    return cropAndResize(...args);
  };
  await parts.handtrack.load(config);
  const hands = await parts.handtrack.predict(image(hand), config);
  const [scores, places] = outputs.handtrack;
  const landmarks = outputs["handlandmark-lite"].find(({ shape }) => shape[1] === 63);
  return {
    hands: {
      scores: scores.data,
      boxes: places.data,
      found: hands.map(({ boxScore, label }) => ({ score: boxScore, label })),
      regions,
      landmarkOutput: landmarks.data,
      points: hands.at(-1).keypoints,
    },
    boxes,
    mesh: found[0].mesh,
    meshOutput: outputs.facemesh.find((each) => each.shape.at(-1) === 1404).data,
    movenetOutput: outputs["movenet-lightning"][0].data,
    keypoints: bodies[0].keypoints,
  };
}

const version = (name) =>
  JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"))).version;
const names = [
  "@tensorflow/tfjs",
  "@tensorflow-models/posenet",
  "@tensorflow-models/body-pix",
  "@vladmandic/human",
];
const result = {
  versions: Object.fromEntries(names.map((name) => [name, version(name)])),
  poses: await poses(),
  people: await people(),
};
writeFileSync(join(folder, "results.json"), JSON.stringify(result));
