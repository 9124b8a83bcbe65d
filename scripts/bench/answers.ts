import { isDeepStrictEqual } from 'node:util';
import type { ConstantReply, RunningContender } from './contenders.ts';
import type { MixedRequest } from './requests.ts';

/** Headers that each Node server adds by itself. */
const ADDED_BY_NODE = /^(date|connection|keep-alive)$/;

/** Captures one answer of the service for (a). @throws if it is not a 200. */
export async function captureReply(service: RunningContender, request: MixedRequest): Promise<ConstantReply> {
  const { status, headers, body } = await fetchAnswer(service, request);
  if (status !== 200) throw new Error(`The service answered ${status} to ${request.path}: ${body}`);
  return { headers: Object.fromEntries([...headers].filter(([name]) => !ADDED_BY_NODE.test(name))), body };
}

/**
 * Compares the answers of all contenders with the answers of the first contender.
 * @throws at the first answer whose status or JSON differs.
 */
export async function compareAnswers(
  [service, ...others]: readonly RunningContender[],
  requests: readonly MixedRequest[],
): Promise<void> {
  for (const request of requests) {
    const expected = await fetchAnswer(service as RunningContender, request);
    for (const other of others) {
      const { status, body } = await fetchAnswer(other, request);
      if (status !== expected.status || !isDeepStrictEqual(JSON.parse(body), JSON.parse(expected.body))) {
        throw new Error(`${other.name} answers another way to ${request.path}:\n${body}\n${expected.body}`);
      }
    }
  }
}

async function fetchAnswer({ port }: RunningContender, { path, guild }: MixedRequest) {
  const headers = { 'x-api-key': guild.key, 'accept-encoding': 'identity' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
}
