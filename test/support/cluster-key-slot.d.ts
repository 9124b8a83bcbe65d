declare module 'cluster-key-slot' {
  /** Returns the slot of a key, from 0 to 16383. */
  function calculateSlot(key: string): number;
  export = calculateSlot;
}
