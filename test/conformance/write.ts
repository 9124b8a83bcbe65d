import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../support/run-command.ts';
import { conformanceFiles } from './text.ts';

mkdirSync(join(repository, 'conformance'), { recursive: true });
for (const [name, text] of conformanceFiles()) writeFileSync(join(repository, 'conformance', name), text);
