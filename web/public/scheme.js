// Before the first picture, so that a dark page never flashes white. It is a
// file of its own because the policy takes no inline script.
(() => {
  let wanted = 'auto';
  try {
    wanted = localStorage.getItem('causeway.scheme') ?? 'auto';
  } catch {
    // no storage: as the system has it
  }
  const dark = wanted === 'dark' || (wanted === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
