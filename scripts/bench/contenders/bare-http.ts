import { createServer } from 'node:http';
import { constantReply } from './constant.ts';

/** (a) node:http that looks at nothing and answers a constant: the most that Node's HTTP server can do. */
const { headers, body } = constantReply();
const list = [...headers];

createServer((_req, res) => {
  res.writeHead(200, list);
  // A string goes out in one piece with the head; a Buffer would be a second piece.
  res.end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
