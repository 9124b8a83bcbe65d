/** The constant answer of the two bare servers: the bytes of a real page, as the benchmark captured it. */
export interface ConstantReply {
  /** Name, value, name, value, ... without what Node adds itself. */
  readonly headers: readonly string[];
  readonly body: string;
}

export function constantReply(): ConstantReply {
  return JSON.parse(process.env.REPLY ?? '') as ConstantReply;
}
