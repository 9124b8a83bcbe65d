/** The content codings that the service sends. */
export type Encoding = 'br' | 'gzip';

/**
 * Returns the coding to send, by Accept-Encoding (RFC 9110 section 12.5.3); undefined = none. Of codings that the client likes
 * equally, it is the one that makes less bytes. Express's `req.acceptsEncodings` takes the one that the client names first.
 */
export function chooseEncoding(accepted: string | undefined): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const weights = new Map(accepted.toLowerCase().split(',').map(parseWeight));
  const weight = (coding: Encoding) => weights.get(coding) ?? weights.get('*') ?? 0;
  const best = weight('gzip') > weight('br') ? 'gzip' : 'br';
  return weight(best) > 0 && weight(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

/** Parses one element of the list, such as "gzip;q=0.5". */
function parseWeight(element: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = element.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
}
