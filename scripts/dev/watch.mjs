// `npm run dev`: builds the widget and restarts the service after each change, with readable log lines. It passes the signal that ends it
// on, which a pipe between two programs in a shell would not.
import { spawn } from 'node:child_process';
import pretty from 'pino-pretty';
import { buildScript } from './build-widget.mjs';

const [widget] = await buildScript({ watch: true });

const service = spawn(
  'tsx',
  ['watch', '--clear-screen=false', '--include=src/widget/dist/widget.js', 'src/service/main.ts'],
  {
    stdio: ['inherit', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  },
);
service.stdout.pipe(pretty());
// Ctrl-C reaches the service from the terminal: twice would end it at once.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => service.kill(signal));
service.on('exit', (code) => {
  process.exitCode = code ?? 1;
  void widget[Symbol.asyncDispose]();
});
