import { byId, codeBlock, el, heading, inputWithId, prose, table } from './elements.js';
import { requestOf, send } from './request.js';
import { codeSamples } from './samples.js';
import { describe } from './schemas.js';

/** @typedef {import('./schemas.js').Parameter} Parameter */
/** @typedef {import('./schemas.js').Operation} Operation */
/** @typedef {ReturnType<typeof import('./schemas.js').resolver>} Resolve */

/**
 * Creates the card of an operation: its form, code that sends the same request, and its answers.
 * @param {string} path
 * @param {Operation} operation
 * @param {Resolve} resolve
 */
export function operationCard(path, { operationId, summary, description, parameters, responses }, resolve) {
  /** @type {Map<Parameter, HTMLInputElement>} */
  const inputs = new Map();
  const fields = [];
  for (const parameter of parameters.map((reference) => resolve(reference))) {
    const { name, in: place, schema, example, required } = parameter;
    const placeholder = String(schema.default ?? example ?? '');
    const isGuild = name === 'guild_id';
    const input = isGuild
      ? inputWithId('guild')
      : el('input', { name, placeholder, required, spellcheck: false, autocomplete: 'off' });
    if (name === 'user_id') input.value = byId('operations').dataset.userId ?? '';
    inputs.set(parameter, input);
    if (!isGuild) fields.push(el('label', {}, name, el('small', {}, `${place}: `, describe(schema)), input));
  }
  const answer = el('div', { className: 'answer', ariaLive: 'polite' });
  const form = el('form', {}, ...fields, el('button', { type: 'submit' }, 'Send'));
  let sent = 0;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (!(/** @type {HTMLFormElement} */ (document.forms.namedItem('credentials')).reportValidity())) return;
    const turn = ++sent;
    const elements = await send(requestOf(path, inputs), (etag) => {
      for (const [{ name }, input] of inputs) if (name === 'If-None-Match') input.value = etag;
      form.requestSubmit();
    });
    // An earlier request can be answered after a later request.
    if (turn === sent) answer.replaceChildren(...elements);
    refreshSamples();
    elements[0]?.scrollIntoView({ block: 'nearest' });
  });

  return el(
    'section',
    { className: 'card', ariaLabel: summary },
    heading('h2', operationId, summary),
    el('p', { className: 'path' }, el('span', { className: 'verb' }, 'GET'), el('code', {}, `/api/v1${path}`)),
    prose('p', description),
    form,
    answer,
    samplesPart(operationId, () => requestOf(path, inputs)),
    el('h3', {}, 'Answers'),
    ...Object.entries(responses).map(([status, reference]) => answerPart(status, resolve(reference), resolve)),
  );
}

/** Returns the API key that the service itself has put into the field, if it is still there: only a demo does that. */
function keyOfDemo() {
  const { defaultValue, value } = inputWithId('key');
  return value.trim() === defaultValue ? defaultValue : '';
}

/** @type {(() => void)[]} */
const refreshers = [];
let language = 'curl';

/** Writes all samples anew, after a change of a field or of the language. */
export function refreshSamples() {
  for (const refresh of refreshers) refresh();
}

/**
 * Creates the code that sends a request, with a choice of the language that holds for all operations.
 * @param {string} id
 * @param {() => import('./request.js').Request} current
 */
function samplesPart(id, current) {
  const { block, code } = codeBlock('Code', '');
  const radios = codeSamples('').map(({ label }) => {
    const radio = el('input', { type: 'radio', name: `language-${id}`, value: label });
    radio.addEventListener('input', () => {
      language = label;
    });
    return radio;
  });
  refreshers.push(() => {
    const { url, headers } = current();
    for (const radio of radios) radio.checked = radio.value === language;
    code.textContent = codeSamples(url, headers, keyOfDemo()).find(({ label }) => label === language)?.source ?? '';
  });
  const labels = radios.map((radio) => el('label', {}, radio, radio.value));
  block.firstElementChild?.firstChild?.replaceWith(
    el('fieldset', { className: 'languages' }, el('legend', {}, 'Language of the code'), ...labels),
  );
  return block;
}

/**
 * Creates the part on one status: when it comes, its headers, and an example of each body.
 * @param {string} status
 * @param {import('./schemas.js').ResponseObject} response
 * @param {Resolve} resolve
 */
function answerPart(status, { description, headers = {}, content = {} }, resolve) {
  const part = el('details', {}, el('summary', {}, el('b', {}, status), ' ', prose('span', description)));
  for (const [type, { schema, examples }] of Object.entries(content)) {
    part.append(el('p', {}, el('code', {}, type), ', schema ', describe(schema)));
    for (const [name, example] of Object.entries(examples)) {
      const code = status === '200' ? undefined : el('p', {}, 'Code ', el('a', { href: `#code-${name}` }, name));
      const title = code ? `Example of ${name}` : 'Example';
      part.append(...(code ? [code] : []), codeBlock(title, JSON.stringify(resolve(example).value, null, 2)).block);
    }
  }
  const rows = Object.entries(headers).map(([name, header]) => ({
    cells: [el('code', {}, name), prose('span', resolve(header).description)],
  }));
  part.append(table(`Headers of ${status}`, ['Header', 'Meaning'], rows));
  return part;
}
