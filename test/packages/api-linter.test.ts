import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository, runProgram } from '../support/run-command.ts';

it.each(['docs/openapi.json', 'docs/public-openapi.json'])(
  'the linter of OpenAPI finds no error and no warning in %s',
  async (file) => {
    const bin = join(repository, 'tools/node_modules/@redocly/cli/bin/cli.js');
    const { code, stdout, stderr } = await runProgram(process.execPath, [bin, 'lint', file, '--format=json'], {
      env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout).totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
  },
);
