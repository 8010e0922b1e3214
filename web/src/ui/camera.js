/** @file Pictures of the visitor's camera. */

import { make } from "./dom.js";
import { textOf } from "./error_text.js";

/** @typedef {{ picture: () => Promise<ImageBitmap>, stop: () => void }} Camera */

/** Asks the visitor for the camera and starts it. @returns {Promise<Camera>} */
export async function startCamera() {
  const stream = await navigator.mediaDevices
    ?.getUserMedia({ video: { width: 640, height: 480 } })
    .catch((error) => {
      throw new Error(
        `camera: it gives no pictures; got ${textOf(error)}; allow this page to use the camera`,
      );
    });
  if (!stream) throw new Error("camera: not available on pages that are not loaded by HTTPS");
  const video = make("video", { muted: true, playsInline: true, srcObject: stream });
  await video.play();
  return {
    picture: () => createImageBitmap(video),
    stop() {
      for (const track of stream.getTracks()) track.stop();
    },
  };
}
