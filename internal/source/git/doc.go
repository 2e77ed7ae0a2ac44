// Package git fetches Git repositories with the git executable into bare
// stores and reads them from there as file trees, without work trees.
//
// A Remote looks once for all of a repository's references; a View of that
// look-up resolves branches, tags, commits and ranges; a Store holds the
// objects; a Tree reads them. When to look is the caller's concern, and so
// is what a tree is used for.
//
// Git is only run in repositories that the engine made. Others are found by
// files alone (Place) and read through a StandIn; a Checkout reads a work
// tree's edits as well. No hooks, no user's configuration and no commands
// named by a repository are ever run.
package git
