// <guild-leaderboard guild="ID" api-key="KEY"></guild-leaderboard>: the live leaderboard of a server, on any page (docs/widget.md).
import { GuildLeaderboard } from './leaderboard.ts';

if (!customElements.get('guild-leaderboard')) customElements.define('guild-leaderboard', GuildLeaderboard);
