// The build appends this to the worker that searches the documentation with lunr.
{
  const ENTRY_OF_NAME = 1e9;
  const { Index, TokenSet } = lunr;
  const { search } = Index.prototype;

  // lunr prefers rare words: for "conv2d" it lists "conv2d_transpose" first. Entries with a name of the query come
  // first here, those of shorter paths before others.
  Index.prototype.search = function (query) {
    const names = new Set(query.toLowerCase().split(/[\s*+.]+/));
    const results = search.call(this, query);
    for (const result of results) {
      const path = result.ref.split("#")[1]?.split(".") ?? [];
      if (path.length > 1 && names.has(path.at(-1).toLowerCase())) {
        result.score += ENTRY_OF_NAME / path.length ** 4;
      }
    }
    return results;
  };

  // lunr's own text of a node has no separator between letters and numbers. Two nodes of words with digits may have the
  // same text, are taken for one, and the search for "sum" fails.
  TokenSet.prototype.toString = function () {
    const edges = Object.entries(this.edges).sort();
    this._str ??= [+this.final, ...edges.map(([letter, node]) => `${letter}${node.id}`)].join();
    return this._str;
  };
}
