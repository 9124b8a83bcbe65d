/** @param {string} text */
const shellText = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Returns code that sends one request, in three languages. The API key comes from the environment variable KEY, because people
 * copy and share code.
 * @param {string} url
 * @param {Record<string, string>} headers further headers
 * @param {string} key an API key that everybody may have, to stand in the code instead of the variable
 */
export function codeSamples(url, headers = {}, key = '') {
  const further = Object.entries(headers);
  /** @param {string} indent */
  const literals = (indent) =>
    further.map(([name, value]) => `${indent}${JSON.stringify(name)}: ${JSON.stringify(value)},\n`).join('');
  const options = further.map(([name, value]) => ` \\\n  -H ${shellText(`${name}: ${value}`)}`).join('');
  const shellKey = key === '' ? '"x-api-key: $KEY"' : shellText(`x-api-key: ${key}`);
  const curl = `curl -i -H ${shellKey}${options} \\\n  ${shellText(url)}`;
  const javascript = `const response = await fetch(${JSON.stringify(url)}, {
  headers: {
    "x-api-key": ${key === '' ? 'process.env.KEY' : JSON.stringify(key)},
${literals('    ')}  },
});
console.log(response.status, await response.text());`;
  const python = `${key === '' ? 'import os\n' : ''}from urllib.request import Request, urlopen

request = Request(
    ${JSON.stringify(url)},
    headers={
        "x-api-key": ${key === '' ? 'os.environ["KEY"]' : JSON.stringify(key)},
${literals('        ')}    },
)
with urlopen(request, timeout=10) as response:
    print(response.status, response.read().decode())`;
  return [
    { lang: 'Shell', label: 'curl', source: curl },
    { lang: 'JavaScript', label: 'fetch', source: javascript },
    { lang: 'Python', label: 'Python', source: python },
  ];
}
