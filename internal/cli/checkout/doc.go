// Package checkout has the flags of commands that look at a repository without a hub, and opens it.
package checkout
