import { lazy, type ComponentType } from 'react';

type Load<P> = () => Promise<{ default: ComponentType<P> }>;

/** Unloaded is thrown in place of a part whose code did not come: what loads modules and styles remembers that until the document is loaded anew. */
export class Unloaded extends Error {
  constructor(cause: unknown) {
    super('the code of this part of the page could not be loaded', { cause });
    this.name = 'Unloaded';
  }
}

/** loaded is the component once its code has come, or one that throws Unloaded: so the way to it never fails by itself. */
export async function loaded<P>(load: Load<P>): Promise<ComponentType<P>> {
  try {
    return (await load()).default;
  } catch (cause) {
    return function Missing() {
      throw new Unloaded(cause);
    };
  }
}

/** part is a component whose code is loaded when it is first shown. */
export const part = <P,>(load: Load<P>) => lazy(async () => ({ default: await loaded(load) }));
