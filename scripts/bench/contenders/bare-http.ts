import { createServer } from 'node:http';
import { constantReply } from './constant.ts';

/** (a) node:http that reads nothing and writes a constant: the upper limit of Node's HTTP server. */
const { headers, body } = constantReply();
const list = [...headers];

createServer((_req, res) => {
  res.writeHead(200, list);
  // Node writes a string together with the head, and a Buffer separately.
  res.end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
