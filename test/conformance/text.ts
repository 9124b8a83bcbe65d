import { suites } from './cases.ts';
import { rulesText } from './rules-cases.ts';
import type { Suite } from './state.ts';

/** Returns the files of conformance/, by name. */
export function conformanceFiles(): Map<string, string> {
  const scripts = suites().map((suite) => [`${suite.script}.json`, textOf(suite)] as const);
  return new Map([...scripts, ['rules.json', rulesText()]]);
}

/** Returns a suite with a state and a case a line, so that a change of one is a change of one line. */
function textOf({ script, states, cases }: Suite): string {
  const lines = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).join(',\n');
  return `{"script":"${script}","guild":"g","states":[\n${lines(states)}\n],"cases":[\n${lines(cases)}\n]}\n`;
}
