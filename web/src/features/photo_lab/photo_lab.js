/** @file The photo lab section: chooses a photo, applies filters to it and shows the time per frame. */

import { find, make } from "../../ui/dom.js";
import { textOf } from "../../ui/error_text.js";
import { loadFile } from "../../ui/load_file.js";
import { createFilterList } from "./filter_list.js";
import { FrameTimes } from "./frame_times.js";
import { loadImage } from "./load_image.js";

/** @import { Client } from "../../python/client.js" */

const PHOTOS = [
  { name: "china", title: "A pagoda in China" },
  { name: "flower", title: "A flower" },
];

/** @param {Client} client */
export function createPhotoLab(client) {
  const stage = find("stage", HTMLElement);
  const status = find("photo-status", HTMLElement);
  const animateButton = find("animate", HTMLButtonElement);
  const compare = find("compare", HTMLInputElement);
  const file = find("file", HTMLInputElement);
  const times = new FrameTimes(find("frame-ms", HTMLElement), find("frame-fps", HTMLElement));
  const filters = createFilterList(find("filters", HTMLElement), draw);
  /** @type {Blob | null} */
  let photo = null;
  let ready = false;
  let animating = false;
  let drawing = false;
  let changed = false;
  let drawnNames = "";

  client.on("photoFrame", (frame) => times.add(frame));
  find("photos", HTMLElement).append(...PHOTOS.map(thumbOf));
  find("reset", HTMLButtonElement).onclick = filters.reset;
  compare.oninput = () => stage.style.setProperty("--original", `${compare.value}%`);
  file.onchange = () => file.files?.[0] && open(file.files[0], null);
  animateButton.onclick = () => animate(!animating);
  acceptDrops();

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
    try {
      const response = await loadFile(address, `${name}: the photo`);
      await open(await response.blob(), name);
    } catch (error) {
      report(error);
    }
  }

  /** @param {Blob} blob @param {string | null} name of a photo of the site, null for a visitor's own */
  async function open(blob, name) {
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
    stage.style.setProperty("--aspect", `${width} / ${height}`);
    const old = stage.querySelector("img");
    if (old) URL.revokeObjectURL(old.src);
    old?.remove();
    stage.append(
      make("img", { src: URL.createObjectURL(blob), alt: "The original", className: "original" }),
    );
  }

  /** Draws the photo with the current filters. Changes during a draw lead to one more draw. */
  async function draw() {
    changed = true;
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
        // The first frame with new filters compiles shaders, so its time is replaced by that of a second frame.
        drawnNames = names;
        times.clear();
        changed = true;
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
      animateButton.disabled = false;
      if (photo)
        await open(
          photo,
          document.querySelector(".thumb[aria-pressed=true]")?.getAttribute("data-photo") ?? null,
        );
      else await openAddress(new URL("photos/china.jpg", document.baseURI).href, "china");
    },
  };
}
