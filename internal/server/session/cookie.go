package session

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/internal/auth/oidc"
)

// Cookies: browsers keep at most 4 KiB in one, and somebody with many groups
// needs more. By TLS they have a name that browsers take from this host alone:
// another one below the same domain, or whoever is on the way of a page without
// TLS, does not put a session of theirs in its place.
const (
	hostOnly   = "__Host-"
	cookieName = "causeway.token"
	chunk      = 3800
	maxChunks  = 5
)

// readCookie joins the parts of a token.
func readCookie(r *http.Request) string {
	var b strings.Builder
	for i := range maxChunks {
		c, err := r.Cookie(partName(i, secure(r)))
		if err != nil {
			break
		}
		b.WriteString(c.Value)
	}
	return b.String()
}

func partName(i int, tls bool) string {
	if i == 0 {
		return nameOf(cookieName, tls)
	}
	return nameOf(cookieName, tls) + "." + strconv.Itoa(i)
}

func nameOf(cookie string, tls bool) string {
	if tls {
		return hostOnly + cookie
	}
	return cookie
}

// writeCookie hands a token to the browser, out of reach of the page's
// scripts; parts of an earlier one go. It is false when the token is too long.
func writeCookie(w http.ResponseWriter, text string, life time.Duration, secure bool) bool {
	if len(text) > maxChunks*chunk {
		return false
	}
	for i := range maxChunks {
		part := text[min(i*chunk, len(text)):min((i+1)*chunk, len(text))]
		age := int(life.Seconds())
		if part == "" {
			age = -1
		}
		http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where the browser came by TLS: a fleet on a laptop has none
			Name: partName(i, secure), Value: part, Path: "/", MaxAge: age, HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
		})
	}
	return true
}

// Cookies of signing in with an issuer.
const (
	attemptName = "causeway.signin"
	// idName has the ID token, for the issuer that wants it back.
	idName = "causeway.id"
)

// writeOne writes a cookie of one host that is sent to a path below its base; an
// empty one goes. What browsers take from one host alone goes to all of its paths.
func writeOne(w http.ResponseWriter, name, value string, base *url.URL, path string, life time.Duration) {
	age := int(life.Seconds())
	if value == "" {
		age = -1
	}
	tls, path := base.Scheme == tlsScheme, base.Path+path
	if tls {
		path = "/"
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where the browser comes by TLS: a fleet on a laptop has none
		Name: nameOf(name, tls), Value: value, Path: path, MaxAge: age, HttpOnly: true, Secure: tls, SameSite: http.SameSiteLaxMode,
	})
}

// writeAttempt writes the cookie of a sign-in that has begun; an empty one goes.
func writeAttempt(w http.ResponseWriter, value string, base *url.URL) {
	writeOne(w, attemptName, value, base, oidc.CallbackPath, oidc.AttemptLife)
}

// writeID writes the cookie of an ID token; an empty one goes.
func writeID(w http.ResponseWriter, value string, base *url.URL, life time.Duration) {
	writeOne(w, idName, value, base, sessionPath, life)
}

// readOne returns the value of a cookie that writeOne wrote; empty without one.
func readOne(r *http.Request, name string, base *url.URL) string {
	c, err := r.Cookie(nameOf(name, base.Scheme == tlsScheme))
	if err != nil {
		return ""
	}
	return c.Value
}

// secure reports whether the browser came by TLS, here or before a proxy.
func secure(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}
