// Package web has the pages of the browser as they were built into the binary.
package web

import (
	"embed"
	"io/fs"
)

// static has the page that says how to build the others, and the others where
// npm built them.
//
//go:embed all:static
var static embed.FS

// Files are the built pages, with index.html at the root. Without npm there is
// only an index.html that tells how to build them.
func Files() fs.FS {
	app, err := fs.Sub(static, "static/app")
	if err == nil {
		if _, err = fs.Stat(app, "index.html"); err == nil {
			return app
		}
	}
	return notBuilt{}
}

// notBuilt has the placeholder as its index.
type notBuilt struct{}

// Open implements fs.FS.
func (notBuilt) Open(name string) (fs.File, error) {
	if name != "index.html" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return static.Open("static/placeholder.html")
}
