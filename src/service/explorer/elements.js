/** Elements of the page. Text is added as text, never as markup. */

/** @param {string} id */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {string} id */
export const inputWithId = (id) => /** @type {HTMLInputElement} */ (byId(id));

/**
 * Creates an element. Strings among the children become text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} properties
 * @param {...(Node | string | undefined)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children.filter((child) => child !== undefined));
  return node;
}

/**
 * Creates an element with text in which `backquotes` mark code.
 * @param {'p' | 'span'} tag
 * @param {string} text
 */
export function prose(tag, text) {
  return el(tag, {}, ...text.split('`').map((part, i) => (i % 2 ? el('code', {}, part) : part)));
}

/**
 * Creates a heading that links to itself, so that its address can be copied.
 * @param {'h2' | 'h3'} tag
 * @param {string} id
 * @param {string} text
 */
export function heading(tag, id, text) {
  return el(tag, { id }, el('a', { href: `#${id}` }, text));
}

/**
 * Creates a table. Each row may have an id, as the target of links.
 * @param {string} label
 * @param {string[]} heads
 * @param {{ id?: string, cells: (Node | string)[] }[]} rows
 */
export function table(label, heads, rows) {
  const head = el('tr', {}, ...heads.map((text) => el('th', { scope: 'col' }, text)));
  const body = rows.map(({ id = '', cells: [first = '', ...others] }) =>
    el('tr', { id }, el('th', { scope: 'row' }, first), ...others.map((cell) => el('td', {}, cell))),
  );
  const content = el('table', {}, el('thead', {}, head), el('tbody', {}, ...body));
  return el('div', { className: 'scroll', tabIndex: 0, role: 'group', ariaLabel: label }, content);
}

/**
 * Creates a block of code with a button that copies it.
 * @param {string} title
 * @param {string} text
 */
export function codeBlock(title, text) {
  const code = el('pre', { tabIndex: 0, role: 'group', ariaLabel: title }, text);
  const copy = el('button', { type: 'button', className: 'minor', ariaLabel: `Copy ${title}` }, 'Copy');
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code.textContent ?? '');
      copy.textContent = 'Copied';
    } catch {
      // A browser offers the clipboard over HTTPS and on localhost only.
      getSelection()?.selectAllChildren(code);
      copy.textContent = 'Selected';
    }
    copy.addEventListener('blur', () => copy.replaceChildren('Copy'), { once: true });
  });
  return { block: el('div', { className: 'code' }, el('div', { className: 'bar' }, title, copy), code), code };
}
