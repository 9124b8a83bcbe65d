import protobuf from 'protobufjs';

/** The fields of opentelemetry/proto/collector/trace/v1 that the test reads, with their numbers. A decoder skips the others. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`);
const Request = root.lookupType('ExportTraceServiceRequest');

/** An attribute of a span or of a resource. */
export interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
/** A span, as a collector is sent it. */
export interface Span {
  readonly traceId: Buffer;
  readonly parentSpanId?: Buffer;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: number;
  readonly endTimeUnixNano: number;
  readonly attributes: readonly KeyValue[];
  readonly status?: { readonly code: number };
}
/** The spans of a resource. */
export interface ResourceSpans {
  readonly resource: { readonly attributes: readonly KeyValue[] };
  readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
}

/** Returns the spans in a request to a collector of OpenTelemetry, of each resource. */
export function resourceSpansOf(body: Buffer): readonly ResourceSpans[] {
  return (Request.toObject(Request.decode(body), { longs: Number }) as { resourceSpans: ResourceSpans[] })
    .resourceSpans;
}
