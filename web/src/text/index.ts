import { en, type Text } from './en';

/** The texts of the pages in the language in use. */
export const t: Text = en;
