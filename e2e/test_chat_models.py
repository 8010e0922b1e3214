"""Test how the chat opens models: files, drops, folders, addresses, and what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_driver import SHIPPED_FILE, ChatPage, native_answer
from file_server import FileServer, file_server
from gguf_files import file_of
from hub_server import publish
from playwright.sync_api import Browser, Page
from watched_page import SharedPage
from work_limit import HANG_SECONDS

import py_tensor as pt

CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "*",
    "Access-Control-Allow-Headers": "*, Authorization",
}
LETTERS = ["<end>", *"abcdefghijklmnopqrstuvwxyz", "\u0120"]
TEMPLATE = (
    "{% for message in messages %}{{ message.role }} {{ message.content }} {% endfor %}"
    "{% if add_generation_prompt %}assistant {% endif %}"
)
CONFIG = {
    "model_type": "llama",
    "vocab_size": 28,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
    "tie_word_embeddings": True,
}


@pytest.fixture(scope="module")
def chat_page(chromium: Browser, site_url: str) -> Iterator[SharedPage[ChatPage]]:
    with SharedPage(chromium, lambda page: ChatPage(page, site_url)) as page:
        yield page


@pytest.fixture
def chat(chat_page: SharedPage[ChatPage]) -> ChatPage:
    """Page of the chat, whose model may be that of another test."""
    chat = chat_page.get()
    if chat.page.is_enabled("#new"):
        chat.new_conversation()
    if chat.page.is_visible("#needs"):
        chat.page.click("#model-leave")
    chat.page.fill("#model-limit", "2000")
    return chat


@pytest.fixture
def hub() -> Iterator[FileServer]:
    with file_server() as server:
        server.headers = dict(CORS)
        yield server


@pytest.fixture
def storage() -> Iterator[FileServer]:
    with file_server() as server:
        server.headers = dict(CORS)
        yield server


def llama_gguf() -> bytes:
    """Return a GGUF file with random weights, a token for each letter, and a chat template."""
    chance = np.random.default_rng(3)
    width, hidden = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {"token_embd": (len(LETTERS), width)}
    for block in range(2):
        own = {
            "attn_norm": (width,),
            "attn_q": (width, width),
            "attn_k": (width // 2, width),
            "attn_v": (width // 2, width),
            "attn_output": (width, width),
            "ffn_norm": (width,),
            "ffn_gate": (hidden, width),
            "ffn_up": (hidden, width),
            "ffn_down": (width, hidden),
        }
        shapes |= {f"blk.{block}.{name}": shape for name, shape in own.items()}
    shapes["output_norm"] = (width,)
    tensors = {
        f"{name}.weight": (shape, 0, chance.normal(size=shape).astype("float32").tobytes())
        for name, shape in shapes.items()
    }
    sizes = {
        "context_length": 256,
        "embedding_length": width,
        "block_count": 2,
        "feed_forward_length": hidden,
        "attention.head_count": 4,
        "attention.head_count_kv": 2,
    }
    metadata: dict[str, tuple[int, Any]] = {
        "general.architecture": (8, "llama"),
        "general.name": (8, "Letters"),
        "llama.attention.layer_norm_rms_epsilon": (6, 1e-5),
        **{f"llama.{name}": (4, size) for name, size in sizes.items()},
        "tokenizer.ggml.model": (8, "gpt2"),
        "tokenizer.ggml.tokens": (9, (8, LETTERS)),
        "tokenizer.ggml.merges": (9, (8, [])),
        "tokenizer.chat_template": (8, TEMPLATE),
    }
    return file_of(tensors, metadata)


def llama_folder() -> dict[str, bytes]:
    """Return the files of a model of transformers, without a chat template."""
    chance = np.random.default_rng(5)
    width, hidden = CONFIG["hidden_size"], CONFIG["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {"model.embed_tokens": (len(LETTERS), width)}
    for block in range(2):
        own = {
            "input_layernorm": (width,),
            "self_attn.q_proj": (width, width),
            "self_attn.k_proj": (width // 2, width),
            "self_attn.v_proj": (width // 2, width),
            "self_attn.o_proj": (width, width),
            "post_attention_layernorm": (width,),
            "mlp.gate_proj": (hidden, width),
            "mlp.up_proj": (hidden, width),
            "mlp.down_proj": (width, hidden),
        }
        shapes |= {f"model.layers.{block}.{name}": shape for name, shape in own.items()}
    shapes["model.norm"] = (width,)
    weights = {
        f"{name}.weight": pt.asarray(chance.normal(size=shape).astype("float32"))
        for name, shape in shapes.items()
    }
    tokenizer = {
        "model": {
            "type": "BPE",
            "vocab": {letter: number for number, letter in enumerate(LETTERS)},
            "merges": [],
        },
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
        "decoder": {"type": "ByteLevel"},
        "added_tokens": [],
    }
    return {
        "config.json": json.dumps(CONFIG).encode(),
        "model.safetensors": pt.io.to_bytes(weights),
        "tokenizer.json": json.dumps(tokenizer).encode(),
    }


def greedy(chat: ChatPage) -> None:
    chat.set(temperature=0, maxTokens=12, seed="", system="")


def test_dropped_gguf_file_with_a_template(chat: ChatPage) -> None:
    data = llama_gguf()
    chat.page.evaluate(
        """(bytes) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([new Uint8Array(bytes)], 'letters.gguf'));
          const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
          for (const kind of ['dragenter', 'dragover', 'drop'])
            document.body.dispatchEvent(new DragEvent(kind, options));
        }""",
        list(data),
    )
    chat.page.wait_for_selector("#needs:not([hidden])")
    needs = chat.needs()
    assert chat.page.inner_text("#needs-name") == "Letters"
    assert needs["Files"] == f"{len(data) / 1e3:.1f} kB"
    # 2 blocks, keys and values, 2 heads of 8 features in float32, 512 positions.
    assert needs["Keys and values of 256 tokens"] == f"{2 * 2 * 2 * 8 * 4 * 512 / 1e3:.1f} kB"
    assert needs["Trained for"] == "256 tokens"
    assert chat.page.inner_text("#needs-fit").startswith("It should fit: ")
    chat.load()
    assert chat.page.inner_text("#model-facts").endswith("It has a chat template.")
    greedy(chat)
    wanted = native_answer(data, "user hello assistant ", 12)
    assert chat.send("hello") == wanted


def test_folder_of_transformers(chat: ChatPage, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    files = llama_folder()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    chat.page.set_input_files("#model-folder", folder)
    chat.page.wait_for_selector("#needs:not([hidden])")
    assert chat.needs()["Files"] == f"{sum(map(len, files.values())) / 1e3:.1f} kB"
    chat.load()
    assert "It has no chat template" in chat.page.inner_text("#model-facts")
    greedy(chat)
    assert chat.send("hello") == native_answer(files, "hello", 12)


def test_repository_of_a_hub(
    page: Page, site_url: str, hub: FileServer, storage: FileServer
) -> None:
    # The address is the first thing that this page gets: its other fields are as they were loaded.
    chat = ChatPage(page, site_url)
    publish(hub, storage, {"README.md": b"x", "letters.gguf": SHIPPED_FILE})
    address = f"{hub.url}/owner/name/resolve/main/letters.gguf"
    chat.look_at_address(address)
    assert chat.needs()["To download"] == f"{len(SHIPPED_FILE) / 1e3:.1f} kB"
    chat.load()
    greedy(chat)
    assert chat.send("A tensor is") == native_answer(SHIPPED_FILE, "A tensor is", 12)


def test_large_model_is_asked_for_before_it_is_downloaded(
    chat: ChatPage, hub: FileServer, storage: FileServer
) -> None:
    publish(hub, storage, llama_folder(), repository="owner/large")
    place = "api/models/owner/large/revision/main"
    answer = json.loads(hub.files[place])

    def fit_of(size: int) -> str:
        for file in answer["siblings"]:
            if file["rfilename"] == "model.safetensors":
                file["size"] = file["lfs"]["size"] = size
        hub.files[place] = json.dumps(answer).encode()
        chat.look_at_address(f"{hub.url}/owner/large/resolve/main/config.json")
        assert chat.needs()["To download"].startswith(f"{size // 1_000_000}")
        return chat.page.inner_text("#needs-fit")

    # Browsers say that a machine has at most 32 GiB, of which a page may use half.
    assert fit_of(30_000_000_000).startswith("It does not fit: it needs about 30000")
    fit = fit_of(3_000_000_000)
    # On a machine with much memory it should fit.
    assert re.match("It (may not|should) fit: it needs about 3000", fit)
    assert "more than the 2000 MB that may be downloaded" in fit
    assert chat.page.is_disabled("#model-load")
    chat.page.fill("#model-limit", "4000")
    assert chat.page.is_enabled("#model-load")
    assert storage.requests() == []


def test_files_that_are_no_models_are_explained(chat: ChatPage) -> None:
    facts = chat.page.inner_text("#model-facts")
    for name, data in {
        "photo.jpg": b"\xff\xd8\xff\xe0" + bytes(500),
        "half.gguf": SHIPPED_FILE[: len(SHIPPED_FILE) // 2],
    }.items():
        chat.look_at_files({name: data})
        text = chat.page.inner_text("#open-problem")
        assert "; got " in text
        assert "Supported are GGUF files" in text
    # The model before goes on.
    assert chat.page.inner_text("#model-facts") == facts
    greedy(chat)
    assert chat.send("a b")


def test_loading_is_cancelled(
    chat_page: SharedPage[ChatPage], chat: ChatPage, hub: FileServer, storage: FileServer
) -> None:
    publish(hub, storage, {"letters.gguf": llama_gguf()}, repository="owner/slow")
    chat.look_at_address(f"{hub.url}/owner/slow/resolve/main/letters.gguf")
    [path] = storage.files
    storage.next[path] = ["slow", "slow", "slow", "slow"]
    chat.page.click("#model-load")
    assert storage.started.wait(HANG_SECONDS)
    chat.page.click("#transfer-cancel")
    chat.page.wait_for_function(
        "document.getElementById('open-status').textContent.startsWith('Cancelled')"
    )
    assert chat.page.is_hidden("#transfer")
    chat_page.errors.ignore()
    chat.page.click("#model-leave")
    greedy(chat)
    assert chat.send("a b")
