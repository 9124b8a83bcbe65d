/** Code that sends one request, as `x-codeSamples` of an OpenAPI document holds it. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** Returns code that sends one request, in each language. @param key to stand in the code; unless given, the code takes it from the variable KEY. */
export function codeSamples(url: string, headers?: Record<string, string>, key?: string): CodeSample[];
