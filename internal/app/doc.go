// Package app puts the parts together, and is the only place that knows all of
// them: nothing but the command line stands above it. It has
//
//   - the engine: renderers and controllers are registered by name, and what one
//     part learns is passed to those that it concerns;
//   - what the server asks the engine for, behind the interfaces of internal/serve:
//     live objects, events, explanations, expansions, actions on objects;
//   - what commands ask of a hub without an engine: how applications are, and what an
//     engine would make of them.
//
// The rules of a single part, such as what a project permits or what a takeover
// changes, are in the package of that part, which knows no other.
package app
