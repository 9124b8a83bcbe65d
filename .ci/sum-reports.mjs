// Prints "N passed, N failed" over the JSON reports of several test runs, and fails unless all have passed.
// A run without a report counts as one failure.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  try {
    const { numPassedTests, numFailedTests, testResults, success } = JSON.parse(readFileSync(file, 'utf8'));
    passed += numPassedTests;
    // A file that cannot start has no failed test; a run can fail without either.
    const hasFailed = ({ status }) => status === 'failed';
    const unstarted = testResults.filter((each) => hasFailed(each) && !each.assertionResults.some(hasFailed));
    failed += Math.max(numFailedTests + unstarted.length, success ? 0 : 1);
  } catch (error) {
    console.error(`no report: ${error.message}`);
    failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
