import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { ALL_VARIANTS } from './variants.ts';

/** Lists after the summary how many tests were left out, by their cause. With REQUIRE_ALL=1 a test that was left out fails the run. */
export class LeftOutReporter implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    // A run of some tests by their name leaves out all others on purpose.
    if (this.vitest?.config.testNamePattern) return;
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const cause = causeOf(test);
        counts.set(cause, (counts.get(cause) ?? 0) + 1);
      }
    }
    // Not by a lack of this machine: the long tier has them.
    if (!ALL_VARIANTS && modules.some(({ project }) => project.name.startsWith('second')))
      this.vitest?.logger.log('not run: further variants and full lengths (npm run test:long)');
    if (counts.size === 0) return;
    for (const [cause, count] of [...counts].sort(([, a], [, b]) => b - a)) {
      this.vitest?.logger.log(`not run: ${count} ${count === 1 ? 'test' : 'tests'}, ${cause}`);
    }
    if (process.env.REQUIRE_ALL === '1') process.exitCode = 1;
  }
}

function causeOf(test: TestCase): string {
  const result = test.result();
  return test.meta().leftOut ?? (result.state === 'skipped' ? result.note : undefined) ?? 'without a reason';
}
