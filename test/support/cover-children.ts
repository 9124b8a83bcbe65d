// `npm run coverage` sets this folder. Node gives the variable on to each process that a test starts, and to theirs.
// It is set here and not at the start of the run, so that the processes of the test runner write nothing.
if (process.env.COVERAGE_OF_CHILDREN) process.env.NODE_V8_COVERAGE = process.env.COVERAGE_OF_CHILDREN;
