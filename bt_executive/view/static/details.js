'use strict';
// The foot of the page: the state at the moment, and what the run was made of.

class DetailsView {
  constructor(model) {
    this.model = model;
    this.fields = h('tbody', {});
    this.state = h('details', { class: 'state', ontoggle: () => this.redraw() }, h('summary', {}, t('state')), h('table', {}, this.fields));
    const { run } = model.data;
    const text = (name, words) => h('details', {}, h('summary', {}, name), h('pre', { tabindex: 0 }, words));
    const fold = (title, children) => (children.length ? h('details', {}, h('summary', {}, title), children) : null);
    const errors = model.data.events.filter(([, kind]) => kind === 'ERROR');
    this.element = foldable('details-panel', t('details'),
      run.can_share ? h('p', { class: 'share' }, t('share'), ['report', 'film', 'run'].map((kind) => [' · ', h('a', { href: `/share/${kind}`, download: '' }, t(`share_${kind}`))])) : null,
      h('dl', { class: 'figures' }, run.facts.map(([name, value]) => h('div', {}, h('dt', {}, t(name)), h('dd', {}, value)))),
      run.notes.length ? h('div', { class: 'notes' }, h('h3', {}, t('notes')), h('ul', {}, run.notes.map((each) => h('li', {}, each)))) : null,
      this.state,
      fold(`${t('errors')} (${errors.length})`, errors.slice(0, 500).map(([ts,, , message]) => h('p', {}, `${clockText(Math.round(ts - model.began))}  ${message}`))),
      fold(`${t('between')} (${model.data.between.length})`, model.data.between.slice(0, 500).map((remark) => h('p', {}, `${clockText(Math.round(remark.ts - model.began))}  ${remark.text}`))),
      fold(t('overrides'), run.overrides.map((each) => h('p', {}, h('code', {}, each)))),
      fold(t('configuration'), Object.entries(run.files).map(([name, words]) => text(name, words))),
      fold(t('logs'), Object.entries(run.logs).map(([name, words]) => text(name, words))));
    this.state.hidden = !model.trees.some((tree) => tree.fields.length);
  }

  // Leads to the downloads, from the head; null: there are none.
  share() {
    if (!this.model.data.run.can_share) return null;
    const lead = () => { this.element.open = true; this.element.scrollIntoView({ block: 'center' }); this.element.querySelector('.share a').focus({ preventScroll: true }); };
    return h('button', { type: 'button', class: 'link', onclick: lead }, t('sharing'));
  }

  show(ts) {
    this.ts = ts;
    if (this.state.open) this.redraw();
  }

  redraw() {
    const tree = this.model.treeAt(this.ts);
    if (!this.state.open || !tree || !tree.moments.length) return;
    const index = tree.indexAt(this.ts);
    const { fields } = tree.stateAt(index);
    const changed = tree.moments[index][4];
    replaceChildren(this.fields, tree.fields.map((name, id) => h('tr', { class: id in changed ? 'changed' : '' }, h('th', { scope: 'row' }, name), h('td', {}, fields[id]))));
  }
}
