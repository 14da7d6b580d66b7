'use strict';
// A list of any length of which only the rows in view are elements. Rows may be of different height.

const ROW_GUESS_PX = 30;
const BEYOND_PX = 300;
const LOOKS = 4;

class VirtualList {
  // make(item, index): the element of a row. sign(item, index): a text that changes with what the row shows.
  constructor(label, make, sign) {
    Object.assign(this, { make, sign });
    this.items = [];
    this.heights = [];
    this.elements = new Map();
    this.signs = new Map();
    this.above = h('div', {});
    this.rows = h('div', { class: 'rows', role: 'list', 'aria-label': label });
    this.below = h('div', {});
    this.element = h('div', { class: 'virtual', tabindex: 0 }, this.above, this.rows, this.below);
    this.element.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => { this.draw(); if (this.wanted !== undefined) this.showIndex(this.wanted); }).observe(this.element);
  }

  set(items) {
    const atEnd = this.element.scrollTop + this.element.clientHeight >= this.element.scrollHeight - 40;
    const grew = items.length > this.items.length && this.items.length > 0;
    this.items = items;
    this.heights.length = items.length;
    this.refresh();
    if (grew && atEnd && this.followsEnd) this.showIndex(items.length - 1);
  }

  height(index) { return this.heights[index] || ROW_GUESS_PX; }

  // Rows may have changed: those that have are made anew, the others stay, with a click that is under way.
  refresh() {
    for (const [index, element] of this.elements) {
      if (index < this.items.length && this.signs.get(index) === this.sign(this.items[index], index)) continue;
      element.remove();
      this.elements.delete(index);
      this.heights[index] = undefined;
    }
    this.drawn = '';
    this.draw();
  }

  draw() {
    const top = this.element.scrollTop - BEYOND_PX;
    const bottom = this.element.scrollTop + this.element.clientHeight + BEYOND_PX;
    let [at, first] = [0, 0];
    while (first < this.items.length && at + this.height(first) < top) { at += this.height(first); first += 1; }
    let [end, last] = [at, first];
    while (last < this.items.length && end < bottom) { end += this.height(last); last += 1; }
    const drawn = `${first}-${last}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.place(first, last);
    let rest = 0;
    for (let index = last; index < this.items.length; index += 1) rest += this.height(index);
    this.above.style.height = `${at}px`;
    this.below.style.height = `${rest}px`;
  }

  // Makes the rows that come into view, and takes those away that left it.
  place(first, last) {
    for (const [index, element] of this.elements) if (index < first || index >= last) { element.remove(); this.elements.delete(index); }
    const fresh = [];
    let next = this.rows.firstChild;
    for (let index = first; index < last; index += 1) {
      let element = this.elements.get(index);
      if (!element) {
        element = this.make(this.items[index], index);
        element.setAttribute('role', 'listitem');
        element.dataset.index = index;
        this.elements.set(index, element);
        this.signs.set(index, this.sign(this.items[index], index));
        this.rows.insertBefore(element, next);
        fresh.push([index, element]);
      } else next = element.nextSibling;
    }
    for (const [index, element] of fresh) this.heights[index] = element.offsetHeight || ROW_GUESS_PX;
  }

  // Scrolls a row into view. Heights are known only after rows are made, so it checks again.
  showIndex(index) {
    this.wanted = index;
    if (!this.element.clientHeight) return;
    for (let look = 0; look < LOOKS; look += 1) {
      let at = 0;
      for (let each = 0; each < index; each += 1) at += this.height(each);
      const { scrollTop, clientHeight } = this.element;
      if (at >= scrollTop && at + this.height(index) <= scrollTop + clientHeight) break;
      this.element.scrollTop = Math.max(at - clientHeight / 2, 0);
      this.draw();
    }
    this.draw();
    this.wanted = undefined;
  }
}
