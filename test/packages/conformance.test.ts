import { clientKinds } from '../../tools/bot-clients.ts';
import { describeConformance } from '../conformance/on-client.ts';

for (const kind of clientKinds) if (kind.name === 'node-redis 5') describeConformance(kind);
