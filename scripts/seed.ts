import '../src/cli/seed.ts';
