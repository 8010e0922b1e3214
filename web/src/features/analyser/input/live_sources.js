/** @file Camera, screen and video as pictures, and the microphone as a sound. */

import { make } from "../../../ui/dom.js";
import { textOf } from "../../../ui/error_text.js";

/** Samples per second to which sounds are decoded. */
export const RATE = 22050;

/** @typedef {{ picture: () => Promise<ImageBitmap>, stop: () => void, ended: Promise<unknown> }} Live */

/** Asks the visitor for a screen or window. @returns {Promise<Live>} */
export async function startScreen() {
  const stream = await navigator.mediaDevices?.getDisplayMedia?.({ video: true }).catch((error) => {
    throw new Error(`screen: it gives no pictures; got ${textOf(error)}; choose a window to share`);
  });
  if (!stream) throw new Error("screen: not available in this browser");
  const [track] = stream.getVideoTracks();
  return {
    ...(await playing({ srcObject: stream })),
    ended: new Promise((resolve) => {
      track.onended = resolve;
    }),
    stop: () => track.stop(),
  };
}

/** Plays a video file again and again. @param {Blob} file @returns {Promise<Live>} */
export async function startVideo(file) {
  const address = URL.createObjectURL(file);
  const { video, picture } = await playing({ src: address, loop: true }).catch((error) => {
    URL.revokeObjectURL(address);
    throw new Error(
      `video: this browser cannot play the file; got ${textOf(error)}; use MP4 or WebM`,
    );
  });
  return {
    picture,
    ended: new Promise(() => {}),
    stop() {
      video.pause();
      URL.revokeObjectURL(address);
    },
  };
}

/** @param {Record<string, unknown>} properties of the video */
async function playing(properties) {
  const video = make("video", { muted: true, playsInline: true, ...properties });
  await video.play();
  return { video, picture: () => createImageBitmap(video) };
}

/**
 * Asks the visitor for the microphone and records it.
 *
 * @returns {Promise<{ sound: Promise<Float32Array<ArrayBuffer>>, stop: () => void }>} the sound is there after `stop`
 */
export async function startMicrophone() {
  const stream = await navigator.mediaDevices?.getUserMedia({ audio: true }).catch((error) => {
    throw new Error(
      `microphone: it gives no sound; got ${textOf(error)}; allow this page to use the microphone`,
    );
  });
  if (!stream) throw new Error("microphone: not available on pages that are not loaded by HTTPS");
  const recorder = new MediaRecorder(stream);
  /** @type {Blob[]} */
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const sound = new Promise((resolve, reject) => {
    recorder.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      decodeSound(new Blob(parts)).then(resolve, reject);
    };
  });
  recorder.start();
  return { sound, stop: () => recorder.state === "recording" && recorder.stop() };
}

/** The samples of a sound file, of one channel, RATE for each second. @param {Blob} blob @returns {Promise<Float32Array<ArrayBuffer>>} */
export async function decodeSound(blob) {
  const context = new OfflineAudioContext(1, 1, RATE);
  const sound = await context.decodeAudioData(await blob.arrayBuffer()).catch((error) => {
    throw new Error(
      `sound: this browser cannot read the file; got ${textOf(error)}; use WAV or MP3`,
    );
  });
  const channels = Array.from({ length: sound.numberOfChannels }, (_, i) =>
    sound.getChannelData(i),
  );
  return Float32Array.from(
    channels[0],
    (_, at) => channels.reduce((sum, channel) => sum + channel[at], 0) / channels.length,
  );
}
