// Prints "N passed, N failed" over the JSON reports of several test runs, and fails unless all have passed.
// A run without a report counts as one failure.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites, success } = JSON.parse(readFileSync(file, 'utf8'));
    passed += numPassedTests;
    // A suite that cannot start has no failed test; a run can fail without either.
    failed += Math.max(numFailedTests, numFailedTestSuites, success ? 0 : 1);
  } catch (error) {
    console.error(`no report: ${error.message}`);
    failed++;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
