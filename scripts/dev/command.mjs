// Runs a command from its source: `node scripts/dev/command.mjs keys create ..`. A fresh clone has no packages yet.
await import('tsx').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write('error: the packages of this repository are not installed: run "npm ci" first\n');
  process.exit(1);
});
await import('../../src/cli/main.ts');
