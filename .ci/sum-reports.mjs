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
    passed += numPassedTests;
    // A file that cannot start has no failed test; a run can fail without either.
    let failures = 0;
    for (const { name: file, message, assertionResults } of testResults.filter(hasFailed)) {
      const tests = assertionResults.filter(hasFailed);
      failures += Math.max(tests.length, 1);
      if (tests.length === 0) show(run, file, 'did not start', message);
      for (const { fullName, failureMessages } of tests) show(run, file, fullName, failureMessages.join('\n'));
    }
    if (failures < numFailedTests || (failures === 0 && !success)) console.log(`${run}: failed outside of its tests`);
    failed += Math.max(failures, numFailedTests, success ? 0 : 1);
  } catch (error) {
    console.log(`${run}: no report: ${error.message}`);
    failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function show(run, file, test, message) {
  console.log(`${run}: ${relative(process.cwd(), file)}: ${test}\n${message.replace(/^/gm, '  ')}\n`);
}
