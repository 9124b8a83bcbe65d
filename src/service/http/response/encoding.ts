/** The content codings that the service sends. */
export type Encoding = 'br' | 'gzip';

/**
 * Returns the coding to send, by Accept-Encoding (RFC 9110 section 12.5.3); undefined = none. Express's `req.acceptsEncodings` takes the coding that
 * the client names first.
 * @param offered the codings to choose from. Of codings that the client likes equally, the first is taken.
 */
export function chooseEncoding(accepted: string | undefined, offered: readonly Encoding[]): Encoding | undefined {
  if (accepted === undefined) return undefined;
  const weights = new Map(accepted.toLowerCase().split(',').map(parseWeight));
  let best: Encoding | undefined;
  let most = weights.get('identity') ?? 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    const isLiked = best === undefined ? weight >= most : weight > most;
    if (weight > 0 && isLiked) {
      best = coding;
      most = weight;
    }
  }
  return best;
}

/** Parses one element of the list, such as "gzip;q=0.5". */
function parseWeight(element: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = element.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [coding, weight === undefined ? 1 : Number(weight.slice(2))];
}
