import { plural } from './count';

/** Texts of the settings. */
export const settings = {
  settings: {
    you: 'You',
    name: 'Name',
    email: 'Mail',
    nobody: 'nobody: you have not signed in',
    via: 'Signed in',
    vias: {
      local: 'with an account of this installation',
      oidc: 'with the issuer',
      kubernetes: 'with a token of Kubernetes',
      project: 'with a token of a project',
    } as Record<string, string>,
    groups: 'Groups',
    noGroups: 'none',
    look: 'Appearance and keys',
    rights: 'What you may do',
    rightsLead: 'With everything, with all of the projects that are named, or with some objects that a rule names.',
    resource: 'With',
    yes: 'everywhere',
    no: 'no',
    some: 'some',
    off: 'switched off',
    projects: (n: number) => plural(n, 'project', 'projects'),
    moreProjects: 'There are more projects than were looked at.',
    installation: 'This installation',
    ways: 'Ways to sign in',
    password: 'Accounts of the installation, with a password',
    oidc: (issuer: string) => `${issuer} (OpenID Connect)`,
    tokens: 'Tokens of Kubernetes and of programs: Authorization: Bearer',
    audit: 'Who did what',
    // What parts of the page are looked for by, beside their names.
    words: {
      you: 'account groups sign out everywhere sessions',
      look: 'theme dark light keyboard shortcuts',
      keys: 'tokens programs',
      accounts: 'users passwords sessions',
      rights: 'permissions roles',
      installation: 'version sign-in audit',
    },
  },
};
