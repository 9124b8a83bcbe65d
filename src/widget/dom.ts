/** Creates an element. Strings among the children become text, never markup. */
export function el<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[T] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Creates an element whose class is its name as a part, too. */
export function part<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  name: string,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[T] {
  return el(tag, { class: name, part: name }, ...children);
}

/** Creates the place of messages. */
export function createNote(): HTMLElement {
  const note = part('p', 'note');
  note.role = 'status';
  return note;
}

/** Sets a text unless it is there: a live region announces each change. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
