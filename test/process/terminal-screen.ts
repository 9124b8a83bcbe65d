const COLUMNS = 80;

/** Returns the lines that a terminal of 80 columns shows after this output. It knows the sequences that commands here write. */
export function screenOf(output: string): string[] {
  const rows: string[][] = [[]];
  let x = 0;
  let y = 0;
  let saved = { x, y };
  const row = () => {
    while (rows.length <= y) rows.push([]);
    return rows[y] as string[];
  };
  const put = (character: string) => {
    if (x === COLUMNS) {
      x = 0;
      y++;
    }
    const cells = row();
    while (cells.length < x) cells.push(' ');
    cells[x++] = character;
  };
  const eraseInLine = (part: number) => {
    if (part === 2) row().splice(0);
    else if (part === 1) row().fill(' ', 0, x + 1);
    else row().splice(x);
  };
  const eraseBelow = () => {
    row().splice(x);
    rows.splice(y + 1);
  };
  const control = (argument: string, command: string) => {
    const n = Number(argument) || 0;
    if (command === 'K') eraseInLine(n);
    else if (command === 'J') eraseBelow();
    else if (command === 'G') x = (n || 1) - 1;
    else if (command === 'A') y = Math.max(0, y - (n || 1));
    else if (command === 'B') y += n || 1;
    else if (!/[hlm]/.test(command)) throw new Error(`The screen does not know the sequence CSI ${argument}${command}`);
  };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the control characters of a terminal
  for (const [text, argument, command, other] of output.matchAll(/\x1b\[([?0-9;]*)([A-Za-z])|\x1b(.)|[\s\S]/g)) {
    if (command !== undefined) control(argument ?? '', command);
    else if (other === '7') saved = { x, y };
    else if (other === '8') ({ x, y } = saved);
    else if (text === '\r') x = 0;
    else if (text === '\n') y++;
    else put(text);
  }
  return rows.map((cells) => cells.join('').trimEnd());
}
