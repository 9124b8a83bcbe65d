import { setTimeout as delay } from 'node:timers/promises';
import { DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { VERSION } from './build-info.ts';

/** The facts about a request that its span has; never a key, a path or an address. */
interface TracedContext {
  readonly requestId: string;
  readonly traceParent: string | undefined;
  traceId: string | undefined;
  readonly startedAt: number;
  readonly route: string;
  readonly identity: { readonly guildId: string; readonly plan: string } | undefined;
  readonly problem: { readonly code: string } | undefined;
}

/** The running export of spans, as {@link startTracing} returns it. */
export type Tracing = ReturnType<typeof startTracing>;

/** A collector that is away is reported once in this time. */
const WARN_EVERY_MS = 60_000;

/**
 * Sends a span for each request to the collector in OTEL_EXPORTER_OTLP_ENDPOINT, by the SDK, which reads its further settings from the
 * environment. Only main.ts imports this module, and only with that setting: the SDK costs start-up time and memory.
 * @param now milliseconds on the clock of the contexts' `startedAt`.
 */
export function startTracing(warn: (reason: string) => void, now: () => number) {
  let warnedAt = Number.NEGATIVE_INFINITY;
  const ignore = (): void => {};
  const error = (message: string): void => {
    if (now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = now();
    warn(message);
  };
  diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.ERROR);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'guildrank', 'service.version': VERSION }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer('guildrank', VERSION);
  const epoch = Date.now() - now();
  return {
    /** Records a request that has been answered, and names its trace if the service began it. */
    record: (method: string, status: number, context: TracedContext): void => {
      const { requestId, traceParent, startedAt, route, identity, problem } = context;
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        'guildrank.request_id': requestId,
        ...(identity && { 'guildrank.guild': identity.guildId, 'guildrank.plan': identity.plan }),
        ...(problem && { 'error.type': problem.code }),
      };
      const options = { kind: SpanKind.SERVER, startTime: epoch + startedAt, attributes };
      const span = tracer.startSpan(`${method} ${route}`, options, contextOf(traceParent));
      if (span.isRecording()) context.traceId = span.spanContext().traceId;
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(epoch + now());
    },
    /** Sends what is left, for `limitMs` at most. */
    stop: async (limitMs: number): Promise<void> => {
      await Promise.race([provider.shutdown().catch(ignore), delay(limitMs)]);
    },
  };
}

/** Returns the context of the span that a trusted proxy began; `traceparent` is version-trace-span-flags. */
function contextOf(traceParent: string | undefined) {
  if (!traceParent) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = ''] = traceParent.split('-');
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}
