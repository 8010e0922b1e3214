SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The date of everything packed, so that the same sources give the same bytes.
export SOURCE_DATE_EPOCH := 315532800
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The steps start dozens of Pythons; without stored bytecode each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

PYTHON := .venv/bin/python
NODE_BIN := node_modules/.bin
VERSION := $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
WHEEL_NAME := py_tensor-$(VERSION)-py3-none-any.whl
WHEEL := dist/$(WHEEL_NAME)
BUNDLE := py_tensor/_bridge.js
GPU_BUNDLE := py_tensor/_webgpu_bridge.js
PUBLIC := build/public
RUNTIME := $(PUBLIC)/pyodide
SITE := build/site/index.html

VENV_READY := .venv/.ready
NODE_READY := node_modules/.ready
RUNTIME_READY := build/runtime.ready
PHOTOS_READY := build/photos.ready
DIGITS_READY := build/digits.ready
GALLERY_READY := build/gallery.ready
JINJA_READY := $(PUBLIC)/chat/jinja2.zip
DOCS := $(PUBLIC)/docs/latest/index.html

# Keeps build/NAME.files, a list of files that is rewritten when a file is added or removed.
# The shell's number keeps two makes from writing the same file.
listed = $(shell mkdir -p build; printf '%s\n' $(sort $(2)) >build/$(1).$$$$; \
  if cmp -s build/$(1).$$$$ build/$(1).files; then rm build/$(1).$$$$; \
  else mv build/$(1).$$$$ build/$(1).files; fi)$(2) build/$(1).files

BRIDGE_FILES := $(call listed,bridge,$(shell find webgl_js_bridge webgpu_js_bridge -name '*.js'))
PACKAGE_FILES := $(call listed,package,$(shell find py_tensor -name '*.py' -o -name py.typed))
LOADER_FILES := $(call listed,loader,$(shell find page_loader -maxdepth 1 -type f)) tools/make_page_files.mjs tools/page_archives.py
DOCS_FILES := $(call listed,docs,$(shell find docs -type f)) mkdocs.yml tools/docs_reference.py tools/docs_docstrings.py tools/docs_search.js
WEB_FILES := $(call listed,web,$(shell find web benchmarks examples -type f -not -name '*.pyc'))

.PHONY: help
help:  ## Print this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | \
	  while IFS='|' read -r name text; do printf '%-16s%s\n' "$$name" "$$text"; done

.PHONY: install
install: $(VENV_READY) $(NODE_READY)  ## Install Python and JavaScript packages into .venv and node_modules

.PHONY: demo
demo: site serve  ## Build the demo site, serve it and open it in a browser

.PHONY: serve
serve: $(NODE_READY)  ## Serve the site that was built last
	@open=; if [ -n "$${DISPLAY-}$${WAYLAND_DISPLAY-}" ] || [ "$$(uname)" = Darwin ]; then open=--open; fi; \
	exec $(NODE_BIN)/vite preview web $$open

.PHONY: test
test: install  ## Run every check and every test
	@MAKE="$(MAKE)" tools/run_steps.sh site+lint+types docs size test-numpy test-wasm test-python test-jax-part test-webgl test-webgpu test-pythons test-e2e

# Each process has its own browser, which needs a core.
PARALLEL := --numprocesses auto --maxprocesses 4 --dist

.PHONY: test-numpy
test-numpy: $(VENV_READY)  ## Run tests/ on NumPy
	$(PYTHON) -m pytest tests --backend numpy $(PARALLEL) worksteal

.PHONY: test-wasm
test-wasm: $(VENV_READY)  ## Run tests/ on WebAssembly, by wasmtime
	$(PYTHON) -m pytest tests --backend wasm $(PARALLEL) worksteal

PYTHON_BACKEND_TESTS := $(addprefix tests/,ops functions linalg fft nn transforms diagnostics display plot runtime/test_backends.py \
  runtime/test_live_handles.py runtime/test_readback.py test_random.py)

.PHONY: test-python
test-python: $(VENV_READY)  ## Run the tests of values in plain Python, without the slow ones
	$(PYTHON) -m pytest $(PYTHON_BACKEND_TESTS) --backend python $(PARALLEL) worksteal

# Every new graph is compiled, which takes 0.1 s of a core.
.PHONY: test-jax
test-jax: $(VENV_READY)  ## Run tests/ on JAX, on the processor; takes about 30 minutes
	JAX_PLATFORMS=cpu $(PYTHON) -m pytest tests --backend jax $(PARALLEL) worksteal

JAX_TESTS := $(addprefix tests/,ops/test_special_values.py transforms/test_control_flow.py transforms/test_jacobians.py)

.PHONY: test-jax-part
test-jax-part: $(VENV_READY)  ## Run some of tests/ on JAX: special values, loops and derivatives
	JAX_PLATFORMS=cpu $(PYTHON) -m pytest $(JAX_TESTS) --backend jax $(PARALLEL) worksteal

# Chromium is looked for when it is needed, and installed if the machine has none.
WITH_CHROMIUM = CHROMIUM="$$($(PYTHON) tools/find_chromium.py)" && export CHROMIUM &&

.PHONY: test-webgl
test-webgl: $(VENV_READY) $(BUNDLE)  ## Run tests/ on WebGL2 in headless Chromium
	$(WITH_CHROMIUM) $(PYTHON) -m pytest tests --backend webgl $(PARALLEL) worksteal

# Kernels that WebGPU alone has, on the software renderer of Chromium, which runs barriers slowly.
WEBGPU_TESTS := $(addprefix tests/,$(addprefix compiler/,test_complex_programs.py test_fusion.py test_golden.py \
  test_loops.py test_row_kernels.py test_scattered_sums.py test_sizes.py test_split_contractions.py \
  test_workgroup_convolutions.py test_workgroup_sorts.py) \
  $(addprefix functions/,test_convolution.py test_linear_algebra.py test_neural_pooling.py test_neural_softmax.py \
  test_segments.py test_sorting.py test_statistical.py test_statistical_cumulative.py) \
  $(addprefix nn/,test_nn_attention.py test_nn_convolution.py test_nn_embedding.py test_nn_normalization.py \
  test_nn_pooling.py) kernels language/test_wgsl.py ops/test_formulas.py ops/test_new_op_def.py ops/test_special_values.py \
  runtime/test_context_loss.py runtime/test_live_handles.py runtime/test_out_of_memory.py runtime/test_readback.py)

.PHONY: test-webgpu
test-webgpu: $(VENV_READY)  ## Run the tests of WebGPU's own kernels in headless Chromium, on its software renderer
	$(WITH_CHROMIUM) $(PYTHON) -m pytest $(WEBGPU_TESTS) --backend webgpu --quick $(PARALLEL) worksteal

.PHONY: test-webgpu-all
test-webgpu-all: $(VENV_READY)  ## Run tests/ on WebGPU in headless Chromium; takes about an hour on its software renderer
	$(WITH_CHROMIUM) $(PYTHON) -m pytest tests --backend webgpu $(PARALLEL) worksteal

.PHONY: test-half
test-half: $(VENV_READY) $(BUNDLE)  ## Run tests/ on WebGL2 that stores float32 as float16, as some phones do
	$(WITH_CHROMIUM) $(PYTHON) -m pytest tests --backend webgl --storage float16 $(PARALLEL) worksteal

# Random sessions of a user, each other ones; build/fuzz/ gets the shortest program of each failure.
.PHONY: fuzz
fuzz: $(VENV_READY) $(BUNDLE)  ## Compare random programs with NumPy; MINUTES=60, BACKEND=webgl, webgpu or wasm
	$(WITH_CHROMIUM) nice $(PYTHON) -m pytest tests/test_random_sessions.py --backend $(or $(BACKEND),webgl) --minutes $(or $(MINUTES),10) -s

.PHONY: soak
soak: $(VENV_READY) site  ## Compute for long in a page and print the memory in use; MILLIONS=10, BACKEND=webgpu
	$(WITH_CHROMIUM) nice $(PYTHON) tools/run_soak.py --millions $(or $(MILLIONS),1) --backend $(or $(BACKEND),webgl)

FIREFOX_BIN = FIREFOX="$${FIREFOX:-$$(command -v firefox-esr || command -v firefox)}" && export FIREFOX &&

.PHONY: test-firefox
test-firefox: $(VENV_READY) site  ## Run the pages and tests/ on WebGL2 in Firefox: Mesa's renderer, or the GPU
	$(FIREFOX_BIN) xvfb-run --auto-servernum $(PYTHON) -m pytest e2e/browser_pages.py
	$(FIREFOX_BIN) xvfb-run --auto-servernum $(PYTHON) -m pytest tests --backend webgl $(PARALLEL) worksteal

WEBKIT_BIN = WEBKIT="$${WEBKIT:-$$(ls /usr/lib/*/webkit2gtk-4.1/MiniBrowser)}" WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS=1 PYTHONPATH=build/selenium

.PHONY: test-webkit
test-webkit: $(VENV_READY) site  ## Run the pages and tests/ in WebKitGTK, which webkit2gtk-driver has; TESTS=tests/ops: only these
	[ -d build/selenium ] || $(PYTHON) -m pip install --quiet --target build/selenium selenium
	$(if $(TESTS),,$(WEBKIT_BIN) xvfb-run --auto-servernum $(PYTHON) -m pytest e2e/browser_pages.py)
	$(WEBKIT_BIN) xvfb-run --auto-servernum $(PYTHON) -m pytest $(or $(TESTS),tests) --backend webgl $(PARALLEL) worksteal

.PHONY: test-mesa
test-mesa: $(VENV_READY) $(BUNDLE)  ## Run tests/ on WebGL2 in Chromium on ANGLE's OpenGL and Mesa; ANGLE=gl-egl for OpenGL ES
	$(WITH_CHROMIUM) ANGLE=$(or $(ANGLE),gl) xvfb-run --auto-servernum $(PYTHON) -m pytest tests --backend webgl $(PARALLEL) worksteal

.PHONY: audit
audit: $(VENV_READY) $(NODE_READY)  ## Look for known faults of the development packages in the advisory databases
	[ -x build/pip-audit/bin/pip-audit ] || { $(PYTHON) -m venv build/pip-audit && build/pip-audit/bin/python -m pip install --quiet pip-audit; }
	build/pip-audit/bin/pip-audit --requirement requirements-dev.txt --disable-pip --require-hashes --progress-spinner off
	npm audit

# Tests that depend on CPython's reference counts and frames, which differ between its versions.
PYTHON_TESTS := tests/diagnostics/test_memory.py tests/diagnostics/test_tidy.py \
  tests/functions/test_elements.py tests/functions/test_parts.py tests/transforms/test_jit.py tests/transforms/test_autodiff.py

.PHONY: test-pythons
test-pythons: $(VENV_READY) $(BUNDLE)  ## Run the tests of memory on WebGL2 in each other Python >= 3.12 found here
	$(WITH_CHROMIUM) tools/test_pythons.sh $(PYTHON_TESTS)

.PHONY: test-e2e
test-e2e: $(VENV_READY) site  ## Run e2e/: the site and the bridge in headless Chromium
	$(WITH_CHROMIUM) $(PYTHON) -m pytest e2e $(PARALLEL) loadfile --reruns 2 --only-rerun PageCrashedError

.PHONY: bench
bench: $(VENV_READY) site  ## Compare py_tensor with TensorFlow.js; ARGS="--quick --only matmul" (--help lists them)
	$(WITH_CHROMIUM) $(PYTHON) tools/run_bench.py $(ARGS)

.PHONY: bench-native
bench-native: $(VENV_READY)  ## Compare py_tensor on NumPy and JAX with NumPy, JAX and PyTorch; ARGS="--only matmul"
	PYTHONPATH=. $(PYTHON) benchmarks/native/run.py $(ARGS)

.PHONY: template
template: $(RUNTIME_READY)  ## Copy a template to build/templates/, add Pyodide and py_tensor, and start it; NAME=page
	$(PYTHON) tools/copy_template.py "$(NAME)" "build/templates/$(NAME)"
	cd "build/templates/$(NAME)" && exec sh start.sh

.PHONY: test-templates
test-templates: $(RUNTIME_READY)  ## Test the templates that install packages: JupyterLite, marimo and anywidget
	$(WITH_CHROMIUM) $(PYTHON) -m pytest e2e/notebook_templates.py

CONFORMANCE := build/conformance/bin/python

.PHONY: conformance
conformance: $(VENV_READY) $(BUNDLE)  ## Run data-apis/array-api-tests; ARRAY_API_TESTS=<checkout with its submodule>
	@[ -d "$(ARRAY_API_TESTS)" ] || { echo 'conformance: no checkout of array-api-tests; set ARRAY_API_TESTS' >&2; exit 2; }
	[ -x $(CONFORMANCE) ] || $(PYTHON) -m venv build/conformance
	$(CONFORMANCE) -m pip install --quiet --requirement "$(ARRAY_API_TESTS)/requirements.txt" numpy playwright
	$(WITH_CHROMIUM) $(CONFORMANCE) tools/run_conformance.py "$(ARRAY_API_TESTS)" $(ARGS)

SCHEMA = $(PYTHON) -m check_jsonschema --quiet --builtin-schema vendor.

.PHONY: lint
lint: install  ## Check style, formatting, and the files of the project and of the hosted workflows
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(NODE_BIN)/biome ci .
	$(SCHEMA)github-workflows .github/workflows/*.yml
	$(SCHEMA)github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(SCHEMA)github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(SCHEMA)dependabot .github/dependabot.yml
	$(SCHEMA)citation-file-format CITATION.cff
	$(PYTHON) -m validate_pyproject pyproject.toml
	.venv/bin/zizmor --quiet --offline .github
	$(PYTHON) tools/check_versions.py

.PHONY: types
types: install  ## Check types
	$(PYTHON) -m mypy
	$(NODE_BIN)/pyright --project tests/typed_programs
	$(NODE_BIN)/tsc --project tsconfig.json
	$(NODE_BIN)/tsc --project tools/tsconfig.json

.PHONY: fix
fix: install  ## Repair style and formatting where a tool can
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .
	$(NODE_BIN)/biome check --write .

.PHONY: golden
golden: $(VENV_READY)  ## Rewrite the golden shaders, and the forms of functions in docs/kernels.md
	$(PYTHON) -m pytest tests/compiler/test_golden.py tests/language/test_printer.py --rewrite-golden

.PHONY: size
size: $(WHEEL) $(SITE)  ## Print the wheel's size and what pages download; fail above the limits
	@$(PYTHON) tools/check_size.py $(WHEEL)
	@$(WITH_CHROMIUM) $(PYTHON) tools/check_downloads.py

.PHONY: build
build: $(WHEEL)  ## Build the wheel into dist/

.PHONY: site
site: $(SITE)  ## Build the site into build/site/

.PHONY: docs
docs: $(DOCS)  ## Build the documentation; warnings are errors

.PHONY: lock
lock: $(VENV_READY)  ## Choose new versions of the Python development packages
	[ -x build/uv/bin/uv ] || $(PYTHON) -m pip install --quiet --target build/uv uv
	build/uv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.12 --group dev \
	  --no-annotate --generate-hashes --custom-compile-command 'make lock' --output-file requirements-dev.txt
	build/uv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.12 --group release \
	  --no-annotate --generate-hashes --custom-compile-command 'make lock' --output-file requirements-release.txt

.PHONY: npm-package
npm-package: $(RUNTIME_READY)  ## Make the npm packages in build/npm/
	$(PYTHON) tools/make_npm_package.py build/npm

RELEASE_READY := build/release/venv/.ready

$(RELEASE_READY): requirements-release.txt | $(VENV_READY)
	$(PYTHON) -m venv build/release/venv
	build/release/venv/bin/python -m pip install --quiet --requirement requirements-release.txt
	touch $@

.PHONY: release-check
release-check: install $(RELEASE_READY)  ## Build the last commit's release twice, compare, install and use it; 15 minutes
	$(WITH_CHROMIUM) tools/release_check.sh

.PHONY: tag
tag: install  ## Write the date of the release, commit it, and tag the commit; pushes nothing
	$(PYTHON) tools/date_release.py
	git commit --quiet --message 'Release $(VERSION)' CHANGELOG.md CITATION.cff
	git tag v$(VERSION)
	@echo 'to publish it: git push origin main v$(VERSION)'

.PHONY: clean
clean:  ## Remove everything that was built or installed
	rm -rf .venv node_modules build dist $(BUNDLE) $(GPU_BUNDLE) webgl_js_bridge/LICENSE webgl_js_bridge/types .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV_READY): requirements-dev.txt pyproject.toml
	python="$$(tools/find_python.sh)"; "$$python" -m venv .venv
	$(PYTHON) -m pip install --quiet --requirement requirements-dev.txt
	$(PYTHON) -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

$(NODE_READY): package.json package-lock.json
	@command -v npm >/dev/null || { echo 'npm: not found; install Node.js 20.19 or newer' >&2; exit 1; }
	@[ ! -L node_modules ] || { echo 'node_modules: a link, whose folder npm ci would empty; remove the link' >&2; exit 1; }
	npm ci --no-audit --no-fund
	touch $@

$(BUNDLE): $(BRIDGE_FILES) tools/bundle_bridge.mjs | $(NODE_READY)
	node tools/bundle_bridge.mjs webgl_js_bridge/index.js $@

$(GPU_BUNDLE): $(BRIDGE_FILES) tools/bundle_bridge.mjs | $(NODE_READY)
	node tools/bundle_bridge.mjs webgpu_js_bridge/index.js $@

$(WHEEL): $(PACKAGE_FILES) $(BUNDLE) $(GPU_BUNDLE) pyproject.toml | $(VENV_READY)
	$(PYTHON) -m build --sdist --wheel --no-isolation --outdir dist . >build/wheel.log 2>&1 || { cat build/wheel.log; exit 1; }

COMPILER := tools/compile_archive.mjs tools/compile_archive.py

$(RUNTIME)/python_stdlib.zip: $(COMPILER) $(NODE_READY)
	node tools/compile_archive.mjs stdlib node_modules/pyodide/python_stdlib.zip $@

$(RUNTIME_READY): $(WHEEL) $(RUNTIME)/python_stdlib.zip $(COMPILER) $(LOADER_FILES) $(BRIDGE_FILES) tools/write_lock.py
	cp node_modules/pyodide/pyodide.{mjs,asm.mjs,asm.wasm} $(RUNTIME)
	rm -rf $(RUNTIME)/*.whl $(PUBLIC)/packages
	mkdir -p $(PUBLIC)/packages
	cp $(WHEEL) dist/py_tensor-$(VERSION).tar.gz $(PUBLIC)/packages
	node tools/compile_archive.mjs wheel $(WHEEL) $(RUNTIME)/$(WHEEL_NAME)
	$(PYTHON) tools/write_lock.py node_modules/pyodide/pyodide-lock.json $(RUNTIME)
	node tools/make_page_files.mjs $(WHEEL) $(RUNTIME)
	touch $@

$(PHOTOS_READY): tools/copy_photos.py | $(VENV_READY)
	$(PYTHON) tools/copy_photos.py $(PUBLIC)/photos
	touch $@

$(DIGITS_READY): tools/copy_digits.py | $(VENV_READY)
	$(PYTHON) tools/copy_digits.py $(PUBLIC)/digits
	touch $@

$(JINJA_READY): tools/pack_jinja.py | $(VENV_READY)
	$(PYTHON) tools/pack_jinja.py $@

# Its models are downloaded. Without a connection the page says that there is no gallery.
$(GALLERY_READY): tools/make_gallery.py tools/make_bench_models.py web/src/features/analyser/gallery/gallery.json | $(VENV_READY)
	$(PYTHON) tools/make_gallery.py $(PUBLIC)/gallery && touch $@ || echo 'gallery: not made, so the site has none' >&2

# Material for MkDocs prints news of other projects unless this variable is set.
$(DOCS): $(DOCS_FILES) $(PACKAGE_FILES) | $(VENV_READY)
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --quiet

$(SITE): $(WEB_FILES) tools/compress.mjs $(RUNTIME_READY) $(PHOTOS_READY) $(DIGITS_READY) $(GALLERY_READY) $(JINJA_READY) $(DOCS) $(NODE_READY)
	$(NODE_BIN)/vite build web --logLevel warn
	touch $@
