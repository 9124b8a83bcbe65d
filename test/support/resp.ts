/** RESP2, as far as a proxy needs it: where a message ends, and the words of a command. */

/** Returns the end of the message that begins at `from`; -1 while it is incomplete. */
function endOfMessage(bytes: Buffer, from: number): number {
  const line = bytes.indexOf('\r\n', from);
  if (line < 0) return -1;
  const end = line + 2;
  const size = Number(bytes.toString('latin1', from + 1, line));
  switch (String.fromCharCode(bytes[from] ?? 0)) {
    case '$':
      if (size < 0) return end;
      return end + size + 2 <= bytes.length ? end + size + 2 : -1;
    case '*': {
      let at = end;
      for (let item = 0; item < size && at >= 0; item++) at = endOfMessage(bytes, at);
      return at;
    }
    default:
      return end;
  }
}

/** Splits a stream of bytes into messages. */
export class MessageSplitter {
  private rest: Buffer = Buffer.alloc(0);

  /** Returns the messages that are complete now. */
  push(chunk: Buffer): Buffer[] {
    const bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    const messages: Buffer[] = [];
    let from = 0;
    for (;;) {
      const end = from < bytes.length ? endOfMessage(bytes, from) : -1;
      if (end < 0) break;
      messages.push(bytes.subarray(from, end));
      from = end;
    }
    this.rest = bytes.subarray(from);
    return messages;
  }
}

/** Returns the words of a message that is a list of bulk strings. */
export function wordsOf(message: Buffer): Buffer[] {
  const words: Buffer[] = [];
  let at = message.indexOf('\r\n') + 2;
  while (at < message.length) {
    const line = message.indexOf('\r\n', at);
    const size = Number(message.toString('latin1', at + 1, line));
    words.push(message.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return words;
}

/** Returns a message that is a list of bulk strings. */
export function messageOfWords(words: readonly (Buffer | string)[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${words.length}\r\n`)];
  for (const word of words) {
    const bytes = Buffer.from(word);
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}
