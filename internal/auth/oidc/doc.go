// Package oidc lets an OpenID Connect issuer say who somebody is: by signing in
// there with a browser (authorization code with PKCE), or by an ID token that a
// program brings. It reads settings in Argo CD's form, asks the issuer, and
// checks what comes back. It keeps no sessions, and does not know what somebody
// may do.
package oidc
