/** without is an object that lacks some of its properties. */
export function without<T extends object, K extends keyof T>(whole: T, names: readonly K[]): Omit<T, K> {
  const left: readonly PropertyKey[] = names;
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !left.includes(name))) as Omit<T, K>;
}
