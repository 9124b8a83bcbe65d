import { ATTRIBUTES, attributeOf, PROPERTIES, type Property } from './attributes.ts';
import { tellAuthor } from './widget-problem.ts';

/** Returns the value of a property by its attribute. A value that is not valid counts as the default. */
function propertyValue(property: Property, text: string | null): string | number | boolean {
  const attribute = ATTRIBUTES[property];
  switch (attribute.kind) {
    case 'switch':
      return text !== null;
    case 'part':
      return text !== 'off' && text !== 'false';
    case 'number':
      return property === 'pageSize' ? pageSizeOf(text) : refreshOf(text);
    case 'web address':
      if (!text || /^(https?:\/)?\//i.test(text)) return text ?? '';
      tellTakes(property, 'an http address');
      return '';
    default:
      return text ?? '';
  }
}

function pageSizeOf(text: string | null): number {
  const { min, max, byDefault } = ATTRIBUTES.pageSize;
  const rows = Number(text ?? byDefault);
  if (Number.isInteger(rows) && rows >= min && rows <= max) return rows;
  tellTakes('pageSize', `${min} to ${max}`);
  return byDefault;
}

function refreshOf(text: string | null): number {
  const { min, max, byDefault } = ATTRIBUTES.refreshInterval;
  const seconds = Number(text ?? byDefault);
  if (seconds === 0 || (seconds >= min && seconds <= max)) return seconds;
  tellTakes('refreshInterval', `0 or ${min} to ${max}`);
  return seconds > max ? max : byDefault;
}

/** Tells the author what an attribute takes. */
function tellTakes(property: Property, what: string): void {
  tellAuthor(`The ${attributeOf(property)} attribute takes ${what}.`);
}

/** Defines a property for each attribute. */
export function reflectAttributes(prototype: HTMLElement): void {
  for (const property of PROPERTIES) {
    const attribute = attributeOf(property);
    Object.defineProperty(prototype, property, {
      get(this: HTMLElement) {
        return propertyValue(property, this.getAttribute(attribute));
      },
      set(this: HTMLElement, value: unknown) {
        if (value === false && ATTRIBUTES[property].kind === 'switch') this.removeAttribute(attribute);
        else this.setAttribute(attribute, textOf(value));
      },
    });
  }
}

/** Returns the text that a property's value has as an attribute. */
function textOf(value: unknown): string {
  if (value === false) return 'off';
  if (value === true) return '';
  return String(value ?? '');
}
