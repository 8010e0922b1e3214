/** @file The photo lab section: chooses a photo, applies filters to it and shows the time per frame. */

import filterSource from "../../python/photo_filters.py?raw";
import { startCamera } from "../../ui/camera.js";
import { createCodeView } from "../../ui/code_view.js";
import { find, make } from "../../ui/dom.js";
import { textOf } from "../../ui/error_text.js";
import { createFilterList } from "../../ui/filter_list.js";
import { loadFile } from "../../ui/load_file.js";
import { loadImage } from "../../ui/load_image.js";
import { FILTERS } from "../../ui/photo_filters.js";
import { saveFile } from "../../ui/save_file.js";
import { FrameTimes } from "./frame_times.js";

/** @import { Client } from "../../python/client.js" */

const PHOTOS = [
  { name: "china", title: "A pagoda in China" },
  { name: "flower", title: "A flower" },
];

/**
 * Frames that are measured after a change of the filters, and the time between them. A single one would often be slow,
 * above all when the page has just started: the browser then still compiles Python in other threads.
 */
const MEASURED_FRAMES = 5;
const MEASURED_PAUSE = 150; // milliseconds

/** @param {Client} client */
export function createPhotoLab(client) {
  const stage = find("stage", HTMLElement);
  const status = find("photo-status", HTMLElement);
  const animateButton = find("animate", HTMLButtonElement);
  const compare = find("compare", HTMLInputElement);
  const file = find("file", HTMLInputElement);
  const saveButton = find("photo-save", HTMLButtonElement);
  const cameraButton = find("camera", HTMLButtonElement);
  const times = new FrameTimes(find("frame-ms", HTMLElement), find("frame-fps", HTMLElement));
  const filters = createFilterList(find("filters", HTMLElement), FILTERS, draw);
  /** @type {Blob | null} */
  let photo = null;
  /** Photos of the site that were asked for; the latest one is shown. */
  let requested = 0;
  let ready = false;
  let animating = false;
  let drawing = false;
  let changed = false;
  let drawnNames = "";

  let measured = 0;
  let measuring = 0;
  /** @type {import("../../ui/camera.js").Camera | null} */
  let camera = null;

  client.on("photoFrame", (frame) => times.add(frame, animating || camera !== null));
  createCodeView(find("photo-code", HTMLElement), [
    { name: "photo_filters.py", source: filterSource },
  ]);
  find("photos", HTMLElement).append(...PHOTOS.map(thumbOf));
  find("reset", HTMLButtonElement).onclick = filters.reset;
  compare.oninput = showPart;
  file.onchange = () => file.files?.[0] && open(file.files[0], null);
  saveButton.onclick = save;
  cameraButton.onclick = () => (camera ? closeCamera() : openCamera());
  animateButton.onclick = () => animate(!animating);
  acceptDrops();
  showPart();

  function showPart() {
    stage.style.setProperty("--original", `${compare.value}%`);
  }

  /** @param {(typeof PHOTOS)[number]} photo */
  function thumbOf({ name, title }) {
    const address = new URL(`photos/${name}.jpg`, document.baseURI).href;
    const thumb = make("button", { type: "button", className: "thumb", ariaLabel: title });
    thumb.append(make("img", { src: address, alt: "", loading: "lazy" }));
    thumb.dataset.photo = name;
    thumb.onclick = () => openAddress(address, name);
    return thumb;
  }

  function acceptDrops() {
    stage.ondragover = (event) => {
      event.preventDefault();
      stage.classList.add("dropping");
    };
    stage.ondragleave = () => stage.classList.remove("dropping");
    stage.ondrop = (event) => {
      event.preventDefault();
      stage.classList.remove("dropping");
      const dropped = event.dataTransfer?.files[0];
      if (dropped) open(dropped, null);
    };
  }

  /** @param {string} address @param {string} name */
  async function openAddress(address, name) {
    stage.ariaBusy = "true";
    requested += 1;
    const own = requested;
    try {
      const response = await loadFile(address, `${name}: the photo`);
      const blob = await response.blob();
      // The visitor may have chosen another photo meanwhile.
      if (own === requested) await open(blob, name);
    } catch (error) {
      report(error);
    }
  }

  /** @param {Blob} blob @param {string | null} name of a photo of the site, null for a visitor's own */
  async function open(blob, name) {
    if (name === null) requested += 1;
    closeCamera();
    stage.ariaBusy = "true";
    for (const thumb of document.querySelectorAll("[data-photo]")) {
      thumb.setAttribute("aria-pressed", String(thumb.getAttribute("data-photo") === name));
    }
    try {
      const bitmap = await loadImage(blob);
      photo = blob;
      showOriginal(blob, bitmap);
      status.textContent = `${bitmap.width} × ${bitmap.height} pixels`;
      if (ready) await client.call("photoOpen", [bitmap], [bitmap]);
      times.clear();
      draw();
    } catch (error) {
      report(error);
    }
  }

  /** @param {unknown} error */
  function report(error) {
    stage.ariaBusy = "false";
    status.textContent = textOf(error);
  }

  /** @param {Blob} blob @param {ImageBitmap} bitmap */
  function showOriginal(blob, { width, height }) {
    showAspect(width, height);
    removeOriginal();
    stage.append(
      make("img", { src: URL.createObjectURL(blob), alt: "The original", className: "original" }),
    );
  }

  /** @param {number} width @param {number} height */
  function showAspect(width, height) {
    stage.style.setProperty("--aspect", `${width} / ${height}`);
  }

  function removeOriginal() {
    const old = stage.querySelector("img");
    if (old) URL.revokeObjectURL(old.src);
    old?.remove();
  }

  /** Saves the picture with its filters. */
  function save() {
    const shown = stage.querySelector("canvas");
    if (!shown) return;
    // A canvas that a worker draws on can be read only through a copy.
    const copy = make("canvas", { width: shown.width, height: shown.height });
    copy.getContext("2d")?.drawImage(shown, 0, 0);
    copy.toBlob((blob) => blob && saveFile("photo.png", blob));
  }

  async function openCamera() {
    cameraButton.disabled = true;
    try {
      if (animating) await animate(false);
      camera = await startCamera();
      cameraButton.textContent = "Stop the camera";
      animateButton.disabled = true;
      for (const thumb of document.querySelectorAll("[data-photo]"))
        thumb.setAttribute("aria-pressed", "false");
      removeOriginal();
      photo = null;
      film(camera);
    } catch (error) {
      report(error);
    }
    cameraButton.disabled = false;
  }

  function closeCamera() {
    camera?.stop();
    camera = null;
    cameraButton.textContent = "Camera";
    animateButton.disabled = !ready;
  }

  /** Draws the camera's pictures until it is stopped. @param {import("../../ui/camera.js").Camera} filming */
  async function film(filming) {
    try {
      while (camera === filming) {
        const bitmap = await filming.picture();
        const { width, height } = bitmap;
        showAspect(width, height);
        status.textContent = `${width} × ${height} pixels of the camera`;
        await client.call("photoOpen", [bitmap], [bitmap]);
        await draw();
      }
    } catch (error) {
      if (camera === filming) {
        closeCamera();
        report(error);
      }
    }
  }

  /** Draws the photo with the current filters. Changes during a draw lead to one more draw. */
  async function draw() {
    changed = true;
    clearTimeout(measuring);
    if (drawing || !ready) return;
    drawing = true;
    stage.ariaBusy = "true";
    try {
      while (changed) {
        changed = false;
        const chain = filters.chain();
        await client.call("photoFrame", [chain]);
        const names = chain.map(([name]) => name).join();
        if (names === drawnNames) continue;
        // The first frame with new filters compiles shaders, so its time is not counted.
        drawnNames = names;
        times.clear();
        measured = 0;
      }
      if (!camera && !animating && measured < MEASURED_FRAMES) {
        measured += 1;
        measuring = setTimeout(draw, MEASURED_PAUSE);
      }
    } catch (error) {
      report(error);
    } finally {
      drawing = false;
      stage.ariaBusy = "false";
    }
  }

  /** @param {boolean} on */
  async function animate(on) {
    animating = on;
    clearTimeout(measuring);
    times.clear();
    animateButton.setAttribute("aria-pressed", String(on));
    animateButton.textContent = on ? "Stop animating" : "Animate";
    try {
      await client.call("photoAnimate", [on]);
    } catch (error) {
      report(error);
    }
  }

  return {
    /** Called when the worker has started: gives it a canvas and the photo. */
    async connect() {
      const canvas = make("canvas", {
        role: "img",
        ariaLabel: "The photo with the filters applied",
      });
      stage.prepend(canvas);
      const offscreen = canvas.transferControlToOffscreen();
      await client.call("photoCanvas", [offscreen], [offscreen]);
      ready = true;
      animateButton.disabled = cameraButton.disabled = saveButton.disabled = false;
      if (photo)
        await open(
          photo,
          document.querySelector(".thumb[aria-pressed=true]")?.getAttribute("data-photo") ?? null,
        );
      else if (requested === 0)
        await openAddress(new URL("photos/china.jpg", document.baseURI).href, "china");
    },
  };
}
