/** Code that sends one request, as `x-codeSamples` of an OpenAPI document holds it. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** Returns code that sends one request, in each language. @param key the API key to write into the code; without it, the code reads the variable KEY. */
export function codeSamples(url: string, headers?: Record<string, string>, key?: string): CodeSample[];
