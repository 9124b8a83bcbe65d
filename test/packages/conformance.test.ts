import { clientKinds } from '../../tools/bot-clients.ts';
import { conformanceSuites, describeConformance } from '../conformance/on-client.ts';
import { someCases } from '../support/variants.ts';

// The first tier has all cases with ioredis.
const suites = conformanceSuites.map((suite) => ({ ...suite, cases: someCases(suite.cases) }));

for (const kind of clientKinds) if (kind.name === 'node-redis 5') describeConformance(kind, suites);
