// The getter of the class: on the document itself, an element of the page with name="currentScript" hides it.
const element = Object.getOwnPropertyDescriptor(Document.prototype, 'currentScript')?.get?.call(document);

/** Address of this script; undefined in an ES module. */
export const scriptUrl: string | undefined = element instanceof HTMLScriptElement ? element.src : undefined;
