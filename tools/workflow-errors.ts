// Prints, as JSON, what GitHub's own parser says against each of the given workflow files: wrong keys, types, contexts and needs.
// A process of its own: the parser imports JSON in a way that tsx takes, and vitest does not.
import { readFileSync } from 'node:fs';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';

const errors: string[][] = [];
for (const name of process.argv.slice(2)) {
  const { context, value } = parseWorkflow({ name, content: readFileSync(name, 'utf8') }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  errors.push(context.errors.getErrors().map(({ message }) => message));
}
process.stdout.write(JSON.stringify(errors));
