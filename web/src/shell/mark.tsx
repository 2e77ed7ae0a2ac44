/** Mark is the product's sign. */
export function Mark({ size = 26 }: { size?: number }) {
  return <img src="/favicon.svg" width={size} height={size} alt="" />;
}
