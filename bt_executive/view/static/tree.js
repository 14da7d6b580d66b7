'use strict';
// The behavior tree at a time, as an outline. A failure of a condition that does not apply is not red.

const LETTERS = { I: 'not_reached', R: 'runs', S: 'succeeded', F: 'was_refused', N: 'not_concerned' };
const SIGNS = { I: '·', R: '▸', S: '✓', F: '✗', N: '–' };
const KINDS = { sequence: '→', selector: '?', parallel: '⇉', decorator: '◇', leaf: '' };
const UNTOLD = new Set(['', 'no', 'None', '[]']);

class TreeView {
  constructor(model) {
    this.model = model;
    this.whole = h('input', { type: 'checkbox', onchange: () => this.redraw() });
    this.list = h('ul', { class: 'nodes', role: 'tree', 'aria-label': t('tree') });
    this.none = h('p', { class: 'empty' }, t('no_tree'));
    this.merged = h('p', { class: 'quiet', hidden: true }, t('merged'));
    this.element = foldable('tree-panel', t('tree'), h('div', { class: 'tools' }, h('label', {}, this.whole, ' ', t('whole_tree'))),
      h('p', { class: 'legend' }, ['R', 'S', 'F', 'N'].map((letter) => h('span', {}, h('i', { class: `sign s-${letter}` }, SIGNS[letter]), t(LETTERS[letter])))), this.none, this.list, this.merged);
    this.list.addEventListener('keydown', (event) => this.key(event));
  }

  show(ts) {
    const tree = this.model.treeAt(ts);
    const none = !tree || !tree.moments.length;
    this.none.hidden = !none;
    this.list.hidden = none;
    if (none) { this.tree = null; return; }
    const index = tree.indexAt(ts);
    if (tree === this.tree && index === this.index) return;
    if (tree !== this.tree || tree.nodes.length !== this.rows.length) this.build(tree);
    this.index = index;
    this.redraw();
  }

  build(tree) {
    this.tree = tree;
    this.merged.hidden = !tree.merged;
    const depths = [];
    this.rows = tree.nodes.map(([name, kind, parent], id) => {
      depths[id] = parent === null ? 0 : depths[parent] + 1;
      const row = { name: h('span', { class: 'name' }, name), sign: h('i', { class: 'sign' }), words: h('span', { class: 'words' }), status: h('span', { class: 'status' }), depth: depths[id] };
      row.element = h('li', { role: 'treeitem', tabindex: -1, 'aria-level': depths[id] + 1 }, row.sign, h('span', { class: 'kind', 'aria-hidden': 'true' }, KINDS[kind]), row.name, row.words, row.status);
      row.element.style.setProperty('--depth', depths[id]);
      return row;
    });
    if (this.rows.length) this.rows[0].element.tabIndex = 0;
    replaceChildren(this.list, this.inOrder().map((row) => row.element));
  }

  // The rows in the order of the tree: each below its parent, whenever it was inserted.
  inOrder() {
    const below = this.rows.map(() => []);
    this.tree.nodes.forEach(([,, parent], id) => { if (parent !== null) below[parent].push(id); });
    const flat = (id) => [this.rows[id], ...below[id].flatMap(flat)];
    return this.rows.length ? flat(0) : [];
  }

  redraw() {
    if (!this.tree) return;
    const { letters, words } = this.tree.stateAt(this.index);
    const shown = this.chosen(letters, words);
    this.rows.forEach((row, id) => {
      const letter = letters[id];
      row.element.className = `s-${letter}`;
      row.element.hidden = !shown[id];
      setText(row.sign, SIGNS[letter]);
      setText(row.status, t(LETTERS[letter]));
      setText(row.words, letter === 'I' || UNTOLD.has(words[id]) ? '' : words[id]);
    });
  }

  // Without the whole tree: the branches, and what runs, refused or succeeded below them.
  chosen(letters, words) {
    const { nodes } = this.tree;
    if (this.whole.checked) return nodes.map(() => true);
    const shown = nodes.map(([,, parent], id) => (parent === null || nodes[parent][2] === null) || letters[id] === 'R' || letters[id] === 'F' || letters[id] === 'S');
    for (let id = 0; id < nodes.length; id += 1) {
      const parent = nodes[id][2];
      if (parent !== null && nodes[parent][2] !== null && !shown[parent]) shown[id] = false;
      if (parent !== null && letters[parent] === 'N' && letters[id] !== 'F') shown[id] = false;
    }
    nodes.forEach(([,, parent], id) => { if (parent !== null && (nodes[parent][2] === null || this.rows[id].depth <= 2) && letters[parent] !== 'N' && letters[id] !== 'I') shown[id] = true; });
    return shown;
  }

  key(event) {
    const rows = this.inOrder().map((row) => row.element).filter((element) => !element.hidden);
    const at = rows.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined || !rows[to]) return;
    event.preventDefault();
    event.stopPropagation();
    for (const row of rows) row.tabIndex = -1;
    rows[to].tabIndex = 0;
    rows[to].focus();
  }
}
