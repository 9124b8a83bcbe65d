/** A block of code in a guide, with the heading that it stands under. */
export interface Snippet {
  readonly heading: string;
  readonly language: string;
  readonly source: string;
}

/** Returns the blocks of code of a guide in Markdown, in their order. */
export function snippetsOf(guide: string): readonly Snippet[] {
  return guide.split(/^## /m).flatMap((section) => {
    const [heading = ''] = section.split('\n');
    const blocks = [...section.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)];
    return blocks.map(([, language = '', source = '']) => ({ heading, language, source }));
  });
}
