// The getter of the class: on the document itself, an element of the page with name="currentScript" hides it.
const getter =
  typeof Document === 'undefined'
    ? undefined
    : Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')?.get;
const element = getter?.call(document);

/** Address of this script; undefined in an ES module and on a server. */
export const scriptUrl: string | undefined = getter && element instanceof HTMLScriptElement ? element.src : undefined;
