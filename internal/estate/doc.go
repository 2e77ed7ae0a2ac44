// Package estate reads and writes what an installation is described by, for
// people who do so by the API: repositories, clusters and projects, as Argo CD
// stores them. Credentials are written and never read. That somebody may is
// settled before; nothing is deployed here.
package estate
