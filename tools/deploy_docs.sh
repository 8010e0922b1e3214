#!/usr/bin/env bash
# Add this version's documentation to those on the branch "documentation", and write all to build/public/docs/.
# The branch has a folder for each minor version, and a copy of the last one named "latest"; mike keeps their list. If
# there is no such branch yet, that of the remote repository is used; nothing is pushed.
# usage: DOCS_ADDRESS=https://example.org/docs/ tools/deploy_docs.sh
set -euo pipefail

branch=documentation
docs=build/public/docs
version="$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)"
minor="${version%.*}"

# mike calls mkdocs by its name, and the reference is that of this folder.
export PATH="$PWD/.venv/bin:$PATH" PYTHONPATH="$PWD" NO_MKDOCS_2_WARNING=1
GIT_COMMITTER_NAME="$(git log -1 --format=%cn)" GIT_COMMITTER_EMAIL="$(git log -1 --format=%ce)"
export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
mike --quiet deploy --branch "$branch" --update-aliases --title "$version" "$minor" latest
mike --quiet set-default --branch "$branch" latest
rm -rf "$docs"
mkdir -p "$docs"
# Files get the time of now, so that make does not build the documentation once more.
git archive "$branch" | tar --extract --touch --directory "$docs"
