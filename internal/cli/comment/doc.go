// Package comment is the command that writes a comment to a pull request.
package comment
