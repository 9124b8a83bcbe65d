/** The constant answer of the two bare servers: a captured answer of the service. */
export interface ConstantReply {
  /** Name, value, name, value, ... without the headers that Node adds. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Returns the answer that the benchmark passes in the environment. */
export function constantReply(): ConstantReply {
  return JSON.parse(process.env.REPLY ?? '') as ConstantReply;
}
