import { type Command, InvalidArgumentError } from 'commander';
import { RESERVED_SPACE, readWidgetFile } from '../service/http/site/widget-file.ts';
import { parseId } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { print } from './terminal.ts';

interface Options {
  readonly snippet?: boolean;
  readonly url: string;
  readonly guild: string;
  readonly json?: boolean;
}

/** Defines `widget`, which tells what a web page needs to load exactly this version of the widget. */
export function defineWidget(command: Command, context: CommandContext): void {
  command
    .option('--snippet', 'print the HTML for a web page instead')
    .option('--url <url>', 'address of the service, for the snippet', parseUrl, 'https://ranks.example.com')
    .option('--guild <id>', 'guild that the snippet shows', parseId, '81384788765712384')
    .option('--json', 'print JSON')
    .action(({ snippet, url, guild, json }: Options) => {
      const { path, integrity } = readWidgetFile();
      const html = [
        RESERVED_SPACE,
        `<script src="${url}/${path}" integrity="${integrity}" crossorigin="anonymous" defer></script>`,
        `<guild-leaderboard guild="${guild}"></guild-leaderboard>`,
      ];
      print(context, json, { path: `/${path}`, integrity, snippet: html.join('\n') }, () =>
        snippet ? html : [`/${path}`, integrity],
      );
    });
}

/** Parses the address of a service. @returns it without a slash at the end. */
function parseUrl(text: string): string {
  if (!/^https?:\/\/[^?#\s"'<>]+$/.test(text) || !URL.canParse(text)) {
    throw new InvalidArgumentError('It must be an address such as https://ranks.example.com');
  }
  return text.replace(/\/+$/, '');
}
