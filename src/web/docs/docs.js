/** Shows the service's OpenAPI document and sends its operations. Text is added as text, never as markup. */
(() => {
  /**
   * The parts of an OpenAPI document that are shown.
   * @typedef {{ $ref: string }} Reference
   * @typedef {{
   *   $ref?: string, type?: string, enum?: string[], anyOf?: Schema[], items?: Schema, minimum?: number, maximum?: number,
   *   pattern?: string, format?: string, default?: unknown, description?: string, required?: string[],
   *   properties?: Record<string, Schema>,
   * }} Schema
   * @typedef {{ name: string, in: string, schema: Schema, example?: unknown, required?: boolean }} Parameter
   * @typedef {{ description: string, headers?: Record<string, unknown> }} ResponseObject
   * @typedef {{
   *   operationId: string, summary: string, description: string, parameters: (Parameter | Reference)[],
   *   responses: Record<string, ResponseObject | Reference>,
   * }} Operation
   * @typedef {{
   *   info: { summary: string, description: string }, paths: Record<string, { get: Operation }>,
   *   components: { schemas: Record<string, Schema> },
   * }} Spec
   */

  const api = new URL('api/v1', document.baseURI).href;
  /** @param {string} id */
  const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
  /** @param {string} id */
  const inputWithId = (id) => /** @type {HTMLInputElement} */ (byId(id));

  /**
   * Creates an element. Strings among the children become text.
   * @template {keyof HTMLElementTagNameMap} T
   * @param {T} tag
   * @param {Record<string, unknown>} properties
   * @param {...(Node | string | undefined)} children
   * @returns {HTMLElementTagNameMap[T]}
   */
  function el(tag, properties, ...children) {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children.filter((child) => child !== undefined));
    return node;
  }

  /**
   * Creates an element with text in which `backquotes` mark code.
   * @param {'p' | 'span'} tag
   * @param {string} text
   */
  function prose(tag, text) {
    return el(tag, {}, ...text.split('`').map((part, i) => (i % 2 ? el('code', {}, part) : part)));
  }

  /**
   * @param {string[]} heads
   * @param {(Node | string)[][]} rows
   */
  function table(heads, rows) {
    const head = el('tr', {}, ...heads.map((text) => el('th', { scope: 'col' }, text)));
    const body = rows.map((cells) => el('tr', {}, ...cells.map((cell) => el('td', {}, cell))));
    const scroller = el('div', { className: 'scroll', tabIndex: 0 });
    scroller.append(el('table', {}, el('thead', {}, head), el('tbody', {}, ...body)));
    return scroller;
  }

  /** @param {Reference} reference */
  const nameOf = ({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1);

  /**
   * Returns a schema in a few words, such as "integer 1..100, default 10".
   * @param {Schema} schema
   * @returns {string}
   */
  function describe(schema) {
    if (schema.$ref) return nameOf({ $ref: schema.$ref });
    if (schema.enum) return schema.enum.join(' | ');
    if (schema.anyOf) return schema.anyOf.map(describe).join(' or ');
    if (schema.type === 'array') return `array of ${describe(schema.items ?? {})}`;
    const { type, minimum, maximum, pattern, default: fallback } = schema;
    const upper = maximum === Number.MAX_SAFE_INTEGER ? '2^53-1' : maximum;
    const range = minimum === undefined ? '' : upper === undefined ? ` from ${minimum}` : ` ${minimum}..${upper}`;
    const rule = pattern && !schema.format ? ` ${pattern}` : '';
    return `${type}${schema.format ? ` (${schema.format})` : rule}${range}${fallback === undefined ? '' : `, default ${fallback}`}`;
  }

  /**
   * Returns a function that follows references within the document.
   * @param {Spec} spec
   */
  function resolver(spec) {
    /**
     * @template {object} T
     * @param {T | Reference} value
     * @returns {T}
     */
    return (value) =>
      '$ref' in value
        ? value.$ref
            .slice(2)
            .split('/')
            .reduce((/** @type {any} */ at, key) => at[key], spec)
        : value;
  }

  /**
   * @param {string} path
   * @param {Operation} operation
   * @param {ReturnType<typeof resolver>} resolve
   */
  function operationCard(path, operation, resolve) {
    const parameters = operation.parameters.map((parameter) => resolve(parameter));
    /** @type {Map<Parameter, HTMLInputElement>} */
    const inputs = new Map();
    const fields = parameters
      .filter(({ name }) => name !== 'guild_id')
      .map((parameter) => {
        const { name, in: place, schema, example, required } = parameter;
        const placeholder = String(schema.default ?? example ?? '');
        const input = el('input', { name, placeholder, required, spellcheck: false, autocomplete: 'off' });
        inputs.set(parameter, input);
        return el('label', {}, name, el('small', {}, `${place}: ${describe(schema)}`), input);
      });
    const answer = el('div', { className: 'answer' });
    answer.setAttribute('aria-live', 'polite');
    const form = el('form', {}, ...fields, el('button', { type: 'submit' }, 'Send'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      send(path, inputs, answer);
    });

    const statuses = Object.entries(operation.responses).map(([status, reference]) => {
      const response = resolve(reference);
      const headers = Object.keys(response.headers ?? {}).join(', ');
      return [status, prose('span', response.description), el('code', {}, headers)];
    });
    const details = el('details', {}, el('summary', {}, 'Answers and their headers'));
    details.append(table(['Status', 'When', 'Headers'], statuses));
    const title = el('h2', { id: operation.operationId }, operation.summary);
    const card = el('section', { className: 'card' }, title);
    card.setAttribute('aria-labelledby', operation.operationId);
    card.append(
      el('p', { className: 'path' }, el('span', { className: 'verb' }, 'GET'), el('code', {}, `/api/v1${path}`)),
      prose('p', operation.description),
      el('h3', {}, 'Try it'),
      form,
      answer,
      details,
    );
    return card;
  }

  /** @param {string} text */
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

  /**
   * Sends an operation and shows the answer.
   * @param {string} path
   * @param {Map<Parameter, HTMLInputElement>} inputs
   * @param {HTMLElement} answer
   */
  async function send(path, inputs, answer) {
    const guild = inputWithId('guild');
    const key = inputWithId('key');
    if (!guild.value.trim()) return guild.focus();
    let target = path.replace('{guild_id}', encodeURIComponent(guild.value.trim()));
    const query = new URLSearchParams();
    /** @type {Record<string, string>} */
    const headers = {};
    if (key.value.trim()) headers['x-api-key'] = key.value.trim();
    for (const [{ name, in: place }, { value }] of inputs) {
      if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value.trim()));
      else if (value.trim() !== '' && place === 'query') query.set(name, value.trim());
      else if (value.trim() !== '') headers[name.toLowerCase()] = value.trim();
    }
    const url = api + target + (query.size ? `?${query}` : '');
    // The command does not hold the key, because people copy and share it.
    const shown = Object.entries(headers).map(([name, value]) =>
      name === 'x-api-key' ? `-H "x-api-key: $KEY"` : `-H ${quoted(`${name}: ${value}`)}`,
    );
    const curl = ['curl -i', ...shown, quoted(url)].join(' ');
    try {
      const response = await fetch(url, { headers, cache: 'no-store', redirect: 'error' });
      const text = await response.text();
      const good = response.ok || response.status === 304;
      const headerLines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
      answer.replaceChildren(
        el('p', { className: `status ${good ? 'good' : 'bad'}` }, `${response.status} ${response.statusText}`),
        block('Body', text === '' ? '(none)' : indent(text)),
        block('Headers', headerLines),
        block('As a command', curl),
      );
    } catch {
      answer.replaceChildren(
        el('p', { className: 'status bad' }, 'The service cannot be reached.'),
        block('As a command', curl),
      );
    }
  }

  /**
   * @param {string} title
   * @param {string} text
   */
  function block(title, text) {
    return el('div', {}, el('h3', {}, title), el('pre', { tabIndex: 0 }, text));
  }

  /**
   * Returns JSON with line breaks. Numbers keep their digits, so a total beyond 2^53 is shown exactly.
   * @param {string} json
   */
  function indent(json) {
    try {
      const keep = json.replace(
        /("(?:[^"\\]|\\.)*")|(?<![\d.])(\d{16,})(?![\d.eE])/g,
        (_all, string, digits) => string ?? `"\\u0000${digits}"`,
      );
      return JSON.stringify(JSON.parse(keep), null, 2).replace(/"\\u0000(\d+)"/g, '$1');
    } catch {
      return json;
    }
  }

  /**
   * @param {string} name
   * @param {Schema} schema
   */
  function schemaDetails(name, schema) {
    const required = new Set(schema.required);
    const rows = Object.entries(schema.properties ?? {}).map(([field, rule]) => [
      el('code', {}, field),
      `${describe(rule)}${required.has(field) ? '' : ' (optional)'}`,
      rule.description ?? '',
    ]);
    const details = el('details', {}, el('summary', {}, name), prose('p', schema.description ?? ''));
    details.append(table(['Field', 'Type', 'Meaning'], rows));
    return details;
  }

  async function show() {
    const response = await fetch(`${api}/openapi.json`);
    if (!response.ok) throw new Error(`status ${response.status}`);
    /** @type {Spec} */
    const spec = await response.json();
    const resolve = resolver(spec);
    byId('summary').textContent = spec.info.summary;
    byId('about').append(
      ...spec.info.description.split('\n\n').map((paragraph) => prose('p', paragraph)),
      el(
        'p',
        {},
        'The document for tools: ',
        el('a', { href: `${api}/openapi.json` }, 'openapi.json'),
        ' (OpenAPI 3.1).',
      ),
    );
    byId('operations').append(
      ...Object.entries(spec.paths).map(([path, { get }]) => operationCard(path, get, resolve)),
    );
    byId('schemas').append(
      ...Object.entries(spec.components.schemas).map(([name, schema]) => schemaDetails(name, schema)),
    );
  }

  const snippet = byId('widget-snippet');
  const src = new URL(snippet.dataset.path ?? '', document.baseURI);
  snippet.tabIndex = 0;
  snippet.textContent =
    `<script src="${src}" integrity="${snippet.dataset.integrity}" crossorigin="anonymous" defer></script>\n` +
    '<guild-leaderboard guild="…" api-key="gr_…"></guild-leaderboard>';
  byId('credentials').addEventListener('submit', (event) => event.preventDefault());
  show().catch(() => {
    byId('summary').textContent = 'The API document could not be loaded. Reload the page to try again.';
  });
})();
