import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { LoadConnection } from './load-connection.ts';

/** The load to put on a server. */
export interface LoadPlan {
  readonly requests: readonly Buffer[];
  /** Index of the first request to send. The list is sent in order and repeats. */
  readonly from: number;
  readonly connections: number;
  /** Seconds of load before the measured time. Their answers do not count; their failures do. */
  readonly settleSeconds: number;
  readonly seconds: number;
  /** Requests a second, however late the answers are; unless given, each connection sends its next request when it has its answer. */
  readonly rate?: number;
}

interface LoadResult {
  /** Number of answers with 2xx or 304. */
  readonly answered: number;
  /** Number of failures by status, or "lost" if there was no answer. */
  readonly failures: Readonly<Record<string, number>>;
  /** Measured seconds. */
  readonly seconds: number;
  /** Latencies in nanoseconds. At a rate, a request that waits for a connection counts from when it was due. */
  readonly latency: RecordableHistogram;
}

/** Requests at a rate are due at whole milliseconds. */
const TICK_MS = 1;
/** Time limit for the last answers. */
const LAST_ANSWERS_MS = 5000;

/**
 * Puts load on a server and measures the answers.
 * @param onEdge called when the measured time begins and ends, to read other meters at the same moments.
 * @throws if the server cannot be reached.
 */
export async function runLoad(
  port: number,
  { requests, from, connections: count, settleSeconds, seconds, rate }: LoadPlan,
  onEdge: (edge: 'start' | 'end') => void = () => {},
): Promise<LoadResult> {
  const latency = createHistogram({ figures: 3 });
  const failures: Record<string, number> = {};
  let answered = 0;
  let next = from % requests.length;
  let measuredFrom = Number.POSITIVE_INFINITY;
  let isOver = false;

  const fail = (reason: string): void => {
    failures[reason] = (failures[reason] ?? 0) + 1;
  };
  const send = (connection: LoadConnection, now: number): void => {
    connection.send(requests[next] as Buffer, now);
    next = next + 1 === requests.length ? 0 : next + 1;
  };
  const onAnswer = (connection: LoadConnection, status: number): void => {
    if (isOver) return;
    const now = performance.now();
    if (!((status >= 200 && status < 300) || status === 304)) {
      fail(String(status));
    } else if (connection.sentAt >= measuredFrom) {
      answered++;
      latency.record(Math.max(1, Math.round((now - connection.sentAt) * 1e6)));
    }
    if (rate === undefined) {
      send(connection, now);
    } else {
      idle.push(connection);
      sendDue();
    }
  };
  const idle: LoadConnection[] = [];
  let begin = Number.POSITIVE_INFINITY;
  let sent = 0;
  /** Sends what is due at the rate, as long as a connection is free. */
  const sendDue = (): void => {
    const perMs = (rate ?? 0) / 1000;
    const tick = Math.floor((performance.now() - begin) / TICK_MS) * TICK_MS;
    for (let due = Math.floor(tick * perMs); sent < due && idle.length > 0; sent++) {
      // The first tick at which it was due.
      const dueAt = begin + Math.ceil((sent + 1) / perMs / TICK_MS) * TICK_MS;
      send(idle.pop() as LoadConnection, dueAt);
    }
  };
  const onLost = (connection: LoadConnection): void => {
    if (connection.isBusy) fail('lost');
    connection.isBusy = false;
  };

  const connections = Array.from({ length: count }, () => new LoadConnection(port, onAnswer, onLost));
  await Promise.all(connections.map((connection) => connection.open()));
  begin = performance.now();
  if (rate === undefined) for (const connection of connections) send(connection, begin);
  else idle.push(...connections);
  const ticks = rate === undefined ? undefined : setInterval(sendDue, TICK_MS);
  await delay(settleSeconds * 1000);
  onEdge('start');
  measuredFrom = performance.now();
  await delay(seconds * 1000);
  isOver = true;
  clearInterval(ticks);
  const measured = (performance.now() - measuredFrom) / 1000;
  onEdge('end');
  for (const end = performance.now() + LAST_ANSWERS_MS; connections.some(({ isBusy }) => isBusy); await delay(5)) {
    if (performance.now() > end) break;
  }
  for (const connection of connections) {
    if (connection.isBusy) fail('lost');
    connection.close();
  }
  return { answered, failures, seconds: measured, latency };
}
