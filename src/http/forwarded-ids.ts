import type { Request } from 'express';

/** What a proxy says that a request is called. */
export interface ForwardedIds {
  /** Of X-Request-Id, if it may stand in a header, a body and a log line. */
  readonly requestId: string | undefined;
  /** The trace id of `traceparent` (W3C Trace Context). */
  readonly traceId: string | undefined;
}

/** Not with the beginning of an API key, so that no key is logged. */
const REQUEST_ID = /^(?!.*gr_)[\w.:=+/-]{1,128}$/;
const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;

const NONE: ForwardedIds = { requestId: undefined, traceId: undefined };

/**
 * Reads the ids that a trusted proxy sent; none from anybody else, and none that is malformed.
 * @param isTrusted as Express's "trust proxy fn": whether the peer is a proxy of the operator.
 */
export function forwardedIds(req: Request, isTrusted: (address: string, hop: number) => boolean): ForwardedIds {
  if (!isTrusted(req.socket.remoteAddress ?? '', 0)) return NONE;
  const { 'x-request-id': requestId, traceparent } = req.headers;
  return {
    requestId: typeof requestId === 'string' && REQUEST_ID.test(requestId) ? requestId : undefined,
    traceId: typeof traceparent === 'string' ? TRACE_PARENT.exec(traceparent)?.[1] : undefined,
  };
}
