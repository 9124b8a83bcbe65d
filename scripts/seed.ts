import { seedCommand } from '../src/cli/seed.ts';
import { run } from '../src/cli/terminal.ts';

await run(seedCommand());
