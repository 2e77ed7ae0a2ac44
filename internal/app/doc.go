// Package app puts the parts together, and is the only place that knows all of
// them: nothing but the command line stands above it. It has the engine: renderers
// and controllers are registered by name, what one part learns is passed to who knows
// whom it concerns, and the server is given what it asks for.
//
// It decides nothing itself. The rules of a single part, such as what a project permits or
// what a takeover changes, are in the package of that part, which knows no other; whom
// news concern is in internal/controller/route, and what is measured in
// internal/telemetry/gauges. What looks at applications without controllers is
// internal/inspect.
package app
