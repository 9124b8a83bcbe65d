import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ConstantReply } from './contenders/constant.ts';
import { isConstant } from './contenders.ts';
import type { MixedRequest } from './mix.ts';
import type { RunningContender } from './start-contender.ts';

/** Attempts at a request that is answered 503, and the wait between them. */
const ATTEMPTS = 10;
const RETRY_AFTER_MS = 200;

/** Headers that each Node server adds by itself. */
const ADDED_BY_NODE = /^(date|connection|keep-alive)$/i;

interface Answer {
  readonly status: number;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/**
 * Captures one answer of the service for the two bare servers.
 * @throws if the answer is not a 200.
 */
export async function captureReply(port: number, path: string, key: string): Promise<ConstantReply> {
  const { status, rawHeaders, body } = await fetchAnswer(port, path, key);
  if (status !== 200) throw new Error(`The service answered ${status} to ${path}: ${body}`);
  const headers: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (ADDED_BY_NODE.test(rawHeaders[i] as string)) continue;
    headers.push(rawHeaders[i] as string, rawHeaders[i + 1] as string);
  }
  return { headers, body };
}

/**
 * Compares the answers of all contenders with those of the first, except for the two bare servers.
 * @throws at the first answer whose status or JSON differs.
 */
export async function compareAnswers(
  running: readonly RunningContender[],
  requests: readonly MixedRequest[],
): Promise<void> {
  const [service, ...others] = running.filter(({ name }) => !isConstant(name)) as [RunningContender];
  for (const { path, guild } of requests) {
    const expected = await fetchAnswer(service.port, path, guild.key);
    for (const { name, port } of others as RunningContender[]) {
      const { status, body } = await fetchAnswer(port, path, guild.key);
      if (status !== expected.status || !isDeepStrictEqual(JSON.parse(body), JSON.parse(expected.body))) {
        throw new Error(`"${name}" and "${service.name}" answer ${path} differently:\n${body}\n${expected.body}`);
      }
    }
  }
}

/** Sends one request on its own connection. A 503 is tried again, because a short stall must not end a run. */
async function fetchAnswer(port: number, path: string, key: string): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await request(port, path, key);
    if (answer.status !== 503 || attempt === ATTEMPTS) return answer;
    await delay(RETRY_AFTER_MS);
  }
}

function request(port: number, path: string, key: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = get({ port, host: '127.0.0.1', path, agent: false, headers: { 'x-api-key': key } }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, rawHeaders: response.rawHeaders, body }));
    });
    sent.on('error', reject);
  });
}
