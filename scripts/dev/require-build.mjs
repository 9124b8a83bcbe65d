// Runs before `npm start`, which needs what the build makes.
import { existsSync } from 'node:fs';

if (!existsSync('dist/guildrank.cjs')) {
  process.stderr.write('error: there is no build of the service yet: run "npm run build" first\n');
  process.exit(1);
}
