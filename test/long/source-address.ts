import { Socket } from 'node:net';

/**
 * Loaded before the service: its connections come from the address in SOURCE_ADDRESS, so that a proxy can tell them from those of others
 * on the same machine.
 */
const { connect } = Socket.prototype;
Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  // node:net hands the options and the listener over as one array.
  const [options] = args[0] as [object];
  Object.assign(options, { localAddress: process.env.SOURCE_ADDRESS });
  return (connect as (...args: unknown[]) => Socket).apply(this, args);
};
