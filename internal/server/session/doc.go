// Package session says who sends a request, and lets people sign in and out:
// cookies for browsers, bearer tokens for programs. What a person may do is
// not its matter.
package session
