'use strict';
// What an operator does from the page: goals, answers, the queue, pauses, faults. And what was said.

const FAULT_NAMES = ['camera_off', 'camera_frozen', 'camera_corrupt', 'tf_off', 'tf_jumping', 'wheel_slip', 'mast_jammed', 'battery_lost', 'battery_low', 'clock_jump'];

class Controls {
  constructor(server, connection) {
    Object.assign(this, { server, drafts: new Map(), desk: null });
    this.input = h('input', { type: 'text', class: 'prompt', placeholder: t('prompt_hint'), 'aria-label': t('prompt'), autocomplete: 'off', enterKeyHint: 'send' });
    this.input.addEventListener('keydown', (event) => this.keys(event));
    this.history = [];
    this.at = 0;
    this.replies = h('ol', { class: 'replies', 'aria-live': 'polite', 'aria-label': t('replies') });
    this.requests = h('div', { class: 'requests' });
    this.asks = h('button', { type: 'button', class: 'asks', hidden: true, onclick: () => this.showRequests() });
    new IntersectionObserver(([seen]) => { this.requestsSeen = seen.isIntersecting; this.nameAsks(); }, { rootMargin: '0px 0px -90px' }).observe(this.requests);
    this.queue = h('ol', { class: 'queue', 'aria-label': t('queue') });
    this.question = h('p', { class: 'question', hidden: true });
    this.words = h('p', { class: 'model-words', hidden: true });
    this.faults = h('div', { class: 'faults' });
    this.teleop = new Teleop(server, connection);
    const order = (name) => h('button', { type: 'button', onclick: () => this.line(`:${name}`) }, t(name));
    this.form = h('form', { class: 'prompt-row', onsubmit: (event) => { event.preventDefault(); this.submit(); } }, this.input, h('button', { type: 'submit' }, t('send')), order('pause'), order('resume'), order('safe_stop'), order('reset'));
    this.element = panel('controls-panel', t('controls'), this.requests, this.question, this.form, this.words, this.replies,
      h('div', { class: 'desk' }, h('section', {}, h('h3', {}, t('queue')), this.queue), this.teleop.element, h('details', { class: 'fault-box' }, h('summary', {}, t('faults')), this.faults)));
  }

  get typed() { return { text: this.input.value, drafts: [...this.drafts], goesOn: document.activeElement.matches(TEXT_FIELDS) }; }

  // With what was being typed in the ones before. Whoever types goes on in a text field: elsewhere
  // letters drive.
  goOn({ text, drafts, goesOn }) {
    this.input.value = text;
    this.drafts = new Map(drafts);
    if (goesOn) this.input.focus({ preventScroll: true });
  }

  keys(event) {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    this.at = Math.min(Math.max(this.at + (event.key === 'ArrowUp' ? -1 : 1), 0), this.history.length);
    this.input.value = this.history[this.at] || '';
  }

  submit() {
    const text = this.input.value.trim();
    if (!text) return;
    this.history.push(text);
    this.at = this.history.length;
    this.input.value = '';
    this.line(text);
  }

  async line(text) { this.answered(await this.server.ask({ do: 'line', text })); }

  answered(answer) { if (answer.text) this.say(answer.ok, answer.text); }

  say(ok, text) {
    const lines = text.includes('\n');
    this.replies.append(h('li', { class: ok ? 'ok' : 'bad' }, lines ? h('pre', {}, text) : text));
    while (this.replies.children.length > 30) this.replies.firstChild.remove();
    this.replies.scrollTop = this.replies.lastChild.offsetTop - this.replies.offsetTop; // its beginning
  }

  show(desk, readOnly) {
    const before = this.desk;
    this.desk = desk;
    this.form.hidden = readOnly;
    for (const [id, ok, text] of desk.replies) if (id > (this.told || 0)) { this.told = id; this.say(ok, text); }
    setText(this.question, desk.question ? `${t('question')}: ${desk.question}` : '');
    this.question.hidden = !desk.question;
    setText(this.words, desk.words);
    this.words.hidden = !desk.words;
    if (!before || JSON.stringify(before.requests) !== JSON.stringify(desk.requests)) this.drawRequests(readOnly);
    replaceChildren(this.queue, desk.queue.length ? desk.queue.map(([id, words]) => h('li', { class: id === desk.active ? 'active' : '' }, words)) : h('li', { class: 'quiet' }, t('empty_queue')));
    this.teleop.show(desk, readOnly);
    this.drawFaults(desk.faults, readOnly);
    this.count();
  }

  drawRequests(readOnly) {
    replaceChildren(this.requests, this.desk.requests.map((request) => this.request(request, readOnly)));
    this.nameAsks();
  }

  // Whoever looks at another part of the page is told that something waits, and is led there.
  nameAsks() {
    const count = this.desk ? this.desk.requests.length : 0;
    setText(this.asks, `${t('requests')} (${count}) ↑`);
    this.asks.hidden = !count || this.requestsSeen;
    document.title = `${count ? `(${count}) ` : ''}bt_executive`;
  }

  showRequests() {
    this.requests.scrollIntoView({ block: 'start' });
    const first = this.requests.querySelector('button');
    if (first) first.focus({ preventScroll: true });
  }

  // A request with what it amounts to; edits and reasons are kept while others come and go.
  request(request, readOnly) {
    const draft = this.drafts.get(request.id) || { arguments: JSON.stringify(request.arguments), word: '' };
    this.drafts.set(request.id, draft);
    const answer = async (action, text) => {
      for (const button of element.querySelectorAll('button')) button.disabled = true;
      this.answered(await this.server.ask({ do: 'resolve', request: request.id, action, text }));
      for (const button of element.querySelectorAll('button')) button.disabled = false;
    };
    const args = h('input', { type: 'text', value: draft.arguments, 'aria-label': t('edit_arguments'), title: t('edit_arguments'), oninput: () => { draft.arguments = args.value; } });
    const word = h('input', { type: 'text', value: draft.word, placeholder: t('why'), 'aria-label': t('why'), oninput: () => { draft.word = word.value; } });
    const element = h('article', { class: 'request', 'aria-label': `${t('requests')}: ${request.tool}` },
      h('h3', {}, `${t('requests')}: ${callText(request.tool, request.arguments)}`, ' ', h('span', { class: 'left' })),
      request.amounts_to ? h('p', { class: 'amounts' }, `${t('amounts_to')} ${request.amounts_to}`) : null, h('p', {}, request.risk), request.reason ? h('p', { class: 'quiet' }, `“${request.reason}”`) : null,
      readOnly ? null : h('div', { class: 'answers' }, h('button', { type: 'button', class: 'approve', onclick: () => answer('approve', '') }, t('approve')), h('span', {}, args, h('button', { type: 'button', onclick: () => answer('edit', args.value) }, t('edit'))), h('span', {}, word, h('button', { type: 'button', class: 'reject', onclick: () => answer('reject', word.value) }, t('reject')))));
    element.dataset.expires = request.expires_at;
    return element;
  }

  count() {
    for (const element of this.requests.children) {
      const left = Number(element.dataset.expires) - Date.now() / 1000;
      setText(element.querySelector('.left'), Number.isFinite(left) ? t('expired_in', Math.max(Math.round(left), 0)) : '');
    }
  }

  drawFaults(faults, readOnly) {
    const text = JSON.stringify([faults, readOnly]);
    if (text === this.drawnFaults) return;
    this.drawnFaults = text;
    const active = new Set(Object.values(faults).flat());
    const known = Object.keys(faults).length ? [...new Set([...FAULT_NAMES, ...active])] : [];
    replaceChildren(this.faults, known.length ? known.map((name) => h('button', { type: 'button', disabled: readOnly, 'aria-pressed': String(active.has(name)), onclick: async () => this.answered(await this.server.ask({ do: 'fault', text: name, on: !active.has(name) })) }, name)) : h('p', { class: 'quiet' }, t('no_faults')));
  }
}
