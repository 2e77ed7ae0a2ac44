// Package page serves the built pages of the browser: files with the headers
// that keep a page from doing what it should not. It knows nothing of what the
// pages show.
package page
