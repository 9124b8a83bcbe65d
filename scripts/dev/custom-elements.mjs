// Describes the elements of the package guildrank-widget in custom-elements.json, for editors and tools that write documentation:
// https://github.com/webcomponents/custom-elements-manifest. It reads the types of src/widget/index.ts.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { ATTRIBUTES, attributeOf } from '../../src/widget/attributes.ts';

const SOURCE = fileURLToPath(new URL('../../src/widget', import.meta.url));
const ENTRY = join(SOURCE, 'index.ts');
const TAGS = { GuildLeaderboard: 'guild-leaderboard', GuildMember: 'guild-member', GuildStats: 'guild-stats' };

const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  types: [],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
};

/** Returns the manifest of all elements. */
export function manifestOfElements() {
  const program = ts.createProgram([ENTRY, join(SOURCE, 'css.d.ts')], compilerOptions);
  const checker = program.getTypeChecker();
  const exported = new Map(
    checker
      .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(ENTRY)))
      .map((symbol) => [symbol.name, symbol]),
  );
  const typeOf = (name) => checker.getDeclaredTypeOfSymbol(exported.get(name));
  const described = (symbol) => {
    const description = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll('\n', ' ');
    return { name: symbol.name, ...(description && { description }) };
  };
  const typed = (symbol) => ({
    ...described(symbol),
    type: { text: checker.typeToString(checker.getTypeOfSymbol(symbol)) },
  });
  /** Returns the documentation tags of an interface and of the interfaces that it extends. */
  const tagsOf = (type) => [
    ...(type.symbol?.getJsDocTags(checker) ?? []),
    ...(type.isClassOrInterface() ? checker.getBaseTypes(type).flatMap(tagsOf) : []),
  ];

  const declarations = Object.entries(TAGS).map(([name, tagName]) => {
    const type = typeOf(name);
    // All other properties come from HTMLElement.
    const own = type.getProperties().filter((each) => each.declarations[0].getSourceFile().fileName.startsWith(SOURCE));
    const tags = tagsOf(type).map((tag) => [tag.name, ts.displayPartsToString(tag.text)]);
    const told = (wanted) =>
      tags
        .filter(([tag]) => tag === wanted)
        .map(([, text]) => text.split(' - '))
        .map(([each, description]) => ({ name: each, ...(description && { description }) }));
    const parts = told('csspart').flatMap(({ name: names }) => names.split(/\s+/));
    return {
      kind: 'class',
      customElement: true,
      ...described(exported.get(name)),
      tagName,
      superclass: { name: 'HTMLElement' },
      attributes: own
        .filter((each) => each.name in ATTRIBUTES)
        .map((each) => ({ ...typed(each), name: attributeOf(each.name), fieldName: each.name })),
      members: own.map((each) =>
        each.flags & ts.SymbolFlags.Method ? { kind: 'method', ...described(each) } : { kind: 'field', ...typed(each) },
      ),
      events: told('fires').map(({ name: event }) => typed(typeOf('GuildrankEvents').getProperty(event))),
      slots: told('slot'),
      cssParts: parts.map((part) => ({ name: part })),
      cssProperties: told('cssproperty'),
    };
  });
  const path = 'dist/index.js';
  const exports = declarations.flatMap(({ name, tagName }) => [
    { kind: 'js', name, declaration: { name, module: path } },
    { kind: 'custom-element-definition', name: tagName, declaration: { name, module: path } },
  ]);
  return {
    schemaVersion: '2.1.0',
    modules: [{ kind: 'javascript-module', path, declarations, exports }],
  };
}
