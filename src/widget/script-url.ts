// The getter of the class: on the document itself, an element of the page with name="currentScript" hides it.
const getter = globalThis.Document && Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')?.get;

/** Address of this script; undefined in an ES module and on a server. */
export const scriptUrl: string | undefined = getter?.call(document)?.src;
