// Package ci holds what runs previews in pull requests: a workflow for GitHub
// and a template for GitLab. It has no code: the tests hold both to the
// commands that there are, and run their shell.
package ci
