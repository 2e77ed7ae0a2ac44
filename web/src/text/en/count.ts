/** plural is a number with its word. */
export const plural = (n: number, one: string, many: string) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

export const apps = (n: number) => plural(n, 'application', 'applications');
