// Prints each failed test of several runs, then "N passed, N failed" over their JSON reports; fails unless all have passed.
// A run without a report counts as one failure. The failures stand last, because the output of a whole run is long.
import { readFileSync } from 'node:fs';
import { basename, relative } from 'node:path';

const hasFailed = ({ status }) => status === 'failed';

let passed = 0;
let failed = 0;
for (const report of process.argv.slice(2)) {
  const run = basename(report, '.json');
  try {
    const { numPassedTests, numFailedTests, testResults, success } = JSON.parse(readFileSync(report, 'utf8'));
    const failures = testResults.filter(hasFailed).flatMap(failuresOf);
    // A run can fail outside of its tests.
    const missed = Math.max(numFailedTests, success ? 0 : 1) - failures.length;
    passed += numPassedTests;
    failed += failures.length + Math.max(0, missed);
    for (const failure of failures) console.log(`${run}: ${failure}\n`);
    if (missed > 0) console.log(`${run}: failed outside of its tests`);
  } catch (error) {
    console.log(`${run}: no report: ${error.message}`);
    failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

/** Returns the failures of a file as texts. A file that cannot start has no failed test, and counts as one failure itself. */
function failuresOf({ name, message, assertionResults }) {
  const describe = (test, text) => `${relative(process.cwd(), name)}: ${test}\n${text.replace(/^/gm, '  ')}`;
  const tests = assertionResults.filter(hasFailed);
  if (tests.length === 0) return [describe('did not start', message)];
  return tests.map(({ fullName, failureMessages }) => describe(fullName, failureMessages.join('\n')));
}
